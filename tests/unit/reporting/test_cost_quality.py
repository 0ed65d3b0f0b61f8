"""Cost against quality: the geometry of the chart, and who is drawn."""

from itertools import pairwise
from math import nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acm_workers.reporting import cost_quality, document_records
from acm_workers.reporting.charts import axes, scatter
from acm_workers.reporting.charts.scatter import ScatterChart, ScatterPoint
from acm_workers.reporting.data import CostQuality
from schemas.config.ranking import RankingMethod
from schemas.ranking import Estimate
from tests.support.records_builder import RecordsBuilder


def spot(usd: float, quality: float, group: str = "m") -> ScatterPoint:
    return ScatterPoint(label="one", mark="1", group=group, winner=False, usd=usd, quality=quality)


def drawn(*spots: ScatterPoint) -> ScatterChart:
    chart = scatter.scatter(spots)
    assert chart is not None
    return chart


def test_costs_begin_at_zero_and_lie_in_proportion() -> None:
    chart = drawn(spot(0.1, 5), spot(0.2, 10))

    assert [tick.label for tick in chart.x_ticks] == ["$0", "$0.05", "$0.1", "$0.15", "$0.2"]
    # From 52 to 466 for 0 to 0.2, and from 276 up to 16 for 5 to 10.
    assert [(dot.x, dot.y) for dot in chart.dots] == [(259, 276), (466, 16)]
    assert not chart.logarithmic


def test_costs_that_are_far_apart_lie_by_their_ratios() -> None:
    chart = drawn(spot(0.001, 5), spot(0.01, 6), spot(0.1, 10))

    assert chart.logarithmic
    assert [dot.x for dot in chart.dots] == [52, 259, 466]
    assert chart.x_ticks[0].label == "$0.001"


def test_a_cost_of_nothing_is_drawn_on_an_axis_that_has_a_zero() -> None:
    chart = drawn(spot(0.0, 5), spot(0.1, 10))

    assert not chart.logarithmic
    assert chart.dots[0].x == 52


def test_what_is_free_has_no_chart() -> None:
    assert scatter.scatter([spot(0, 5), spot(0, 7)]) is None


def test_more_groups_than_colours_share_a_last_one() -> None:
    chart = drawn(*(spot(0.1, number, group=f"m{number}") for number in range(8)))

    assert [dot.colour for dot in chart.dots] == [0, 1, 2, 3, 4, 5, None, None]
    assert chart.groups == ("m0", "m1", "m2", "m3", "m4", "m5")
    assert chart.uncoloured == 2


def test_marks_stand_to_the_right_of_dots_that_have_room() -> None:
    # 5 for the dot, 3 beside it and half of a letter of 8.
    assert scatter.marks([(100, 100)], ["1"]) == [(112, 104)]


points = st.tuples(st.floats(min_value=52, max_value=466), st.floats(min_value=16, max_value=276))


@given(st.lists(points, min_size=1, max_size=15))
def test_no_mark_covers_a_dot_or_another_mark(places: list[tuple[float, float]]) -> None:
    found = [mark for mark in scatter.marks(places, ["12"] * len(places)) if mark]

    for x, base in found:
        assert not [
            place
            for place in places
            if abs(place[0] - x) < 12.9 and abs(place[1] - base + 4) < 10.9
        ]
    for one, two in ((one, two) for one in found for two in found if one is not two):
        assert abs(one[0] - two[0]) > 15.8 or abs(one[1] - two[1]) > 11.8


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (0.3, 7.0, [0.2, 0.5, 1, 2, 5, 10]),
        (0.001, 0.4, [0.001, 0.01, 0.1, 1]),
        (1e-5, 2.0, [1e-5, 1e-3, 0.1, 10]),
    ],
)
def test_ratios_have_round_numbers(low: float, high: float, marks: list[float]) -> None:
    assert axes.decades(low, high) == marks


costs = st.floats(min_value=1e-9, max_value=1e6)


@given(costs, costs)
@example(nextafter(1000.0, 0.0), 1000.0)  # its logarithm is rounded to 3
@example(1.0, nextafter(500.0, 1000.0))
def test_round_numbers_of_ratios_enclose_both_ends(one: float, two: float) -> None:
    low, high = min(one, two), max(one, two) * 2
    marks = axes.decades(low, high)

    assert marks[0] <= low
    assert marks[-1] >= high
    assert len(marks) <= 7
    assert all(before < after for before, after in pairwise(marks))


@pytest.mark.parametrize(
    ("usd", "said"), [(0, "$0"), (0.00002, "$0.00002"), (10, "$10"), (2500, "$2,500")]
)
def test_prices_have_the_digits_they_need(usd: float, said: str) -> None:
    assert scatter.price(usd) == said


def of(maker: RecordsBuilder, method: RankingMethod = "score") -> CostQuality | None:
    (known,) = document_records.document_records(maker.material())
    found = document_records.candidates(known)
    return cost_quality.cost_quality(
        known, [one for one in found if one.standing], found[0], method
    )


def made(*costs: float | None, **last: object) -> RecordsBuilder:
    """Return a document with a candidate of each cost, the later the better.

    Args:
        costs: In USD; None where a price is not known.
        last: What else is known of the call of the last one.
    """
    maker = RecordsBuilder()
    document = maker.document("a.md")
    for number, usd in enumerate(costs, 1):
        one = maker.artifact(document, "text", number)
        kept = last if number == len(costs) else {}
        maker.calls[-1] = maker.calls[-1].model_copy(update={"cost_usd": usd, **kept})
        maker.evaluate(one, 3.0 + number)
    maker.rank(document)
    return maker


def test_the_winner_is_marked_and_the_others_have_their_rank() -> None:
    found = of(made(0.1, 0.2, 0.3))

    assert found is not None
    assert found.chart is not None
    assert [(dot.point.mark, dot.point.usd) for dot in found.chart.dots] == [
        ("★ 1", 0.3), ("2", 0.2), ("3", 0.1),
    ]  # fmt: skip
    assert found.left_out == ()


def test_an_unknown_cost_is_left_out_and_never_zero() -> None:
    found = of(made(0.1, 0.2, None))

    assert found is not None
    assert found.chart is not None
    assert [dot.point.usd for dot in found.chart.dots] == [0.2, 0.1]
    assert found.left_out == ("1 candidate of unknown cost",)


def test_a_call_that_may_have_been_paid_makes_a_cost_unknown() -> None:
    found = of(made(0.1, 0.2, None, state="uncertain"))

    assert found is not None
    assert found.left_out == ("1 candidate of unknown cost",)


def test_texts_that_this_run_did_not_pay_for_are_not_drawn_as_free() -> None:
    stored = of(made(0.1, 0.2, 0.0, cached=True))
    maker = made(0.1, 0.2, 0.3)
    maker.calls = [call for call in maker.calls if call.unit_kind != "artifact"]

    rejudged = of(maker)

    assert stored is not None
    assert stored.left_out == ("1 candidate not paid for in this run",)
    assert rejudged == CostQuality(None, False, ("3 candidates not paid for in this run",))


def test_free_models_are_said_to_be_free() -> None:
    assert of(made(0.0, 0.0)) == CostQuality(None, True, ())


def test_a_single_candidate_is_compared_with_nobody() -> None:
    assert of(made(0.1)) is None


def test_what_exceeds_the_limit_is_counted() -> None:
    found = of(made(*([0.1] * (cost_quality.LIMIT + 2))))

    assert found is not None
    assert found.chart is not None
    assert len(found.chart.dots) == cost_quality.LIMIT
    assert found.left_out == ("2 candidates of lower rank",)


BELIEF = Estimate(points=1600, low=1550, high=1650)
ALONE = Estimate(points=1700, low=1640, high=1760)


@pytest.mark.parametrize(
    ("method", "quality"),
    [
        ("posterior", (1600, 1550, 1650)),
        ("bradley_terry", (1700, 1640, 1760)),
        ("combined", (0.4, None, None)),
        ("elo", (0.4, None, None)),
        ("score", (0.4, None, None)),
    ],
)
def test_quality_is_what_the_ranking_goes_by(
    method: RankingMethod, quality: tuple[float, float | None, float | None]
) -> None:
    maker = made(0.1, 0.2)
    there = maker.documents[0].id
    maker.standings[there] = tuple(
        one.model_copy(
            update={"rank_score": 0.4, "posterior": BELIEF, "bradley_terry": ALONE, "p_best": 0.4}
        )
        for one in maker.standings[there]
    )

    found = of(maker, method)

    assert found is not None
    assert found.chart is not None
    for dot in found.chart.dots:
        assert (dot.point.quality, dot.point.low, dot.point.high) == quality


def test_those_that_were_not_admitted_are_on_another_scale() -> None:
    maker = made(0.1, 0.2, 0.3)
    there = maker.documents[0].id
    *best, last = maker.standings[there]
    maker.standings[there] = (*best, last.model_copy(update={"admitted": False}))

    found = of(maker)

    assert found is not None
    assert found.left_out == ("1 candidate without a quality on the scale of the others",)
