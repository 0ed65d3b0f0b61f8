from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.reporting import formatting, money
from acm_workers.reporting.charts import axes, bars, lines
from schemas.calls import EvidenceSummary, Usage
from tests.support import records_builder

places = st.lists(st.floats(min_value=0, max_value=200), min_size=1, max_size=12)


@given(places)
def test_labels_of_lines_never_overlap(wanted: list[float]) -> None:
    moved = sorted(axes.spread_apart(wanted, 15.0, 0.0, 200.0))

    assert all(after - before > 14.8 for before, after in pairwise(moved))
    assert moved[0] > -0.1
    assert moved[-1] < 200.1


@given(st.lists(st.floats(min_value=-3000, max_value=3000), min_size=1, max_size=20))
def test_axis_numbers_enclose_all_values(values: list[float]) -> None:
    marks = axes.ticks(values)

    assert 2 <= len(marks) <= 8
    assert marks[0] <= min(values) + 0.01
    assert marks[-1] >= max(values) - 0.01


@given(st.lists(st.floats(min_value=0, max_value=3000), min_size=1, max_size=20))
def test_places_on_an_axis_keep_their_order_and_stay_on_it(values: list[float]) -> None:
    placed = bars.place_values(sorted(values))

    assert placed == sorted(placed)
    assert all(0 <= one <= 100 for one in placed)


def test_nothing_played_draws_nothing() -> None:
    assert lines.lines([("one", (1500.0,))], 0) is None


def test_a_refused_call_costs_nothing_and_an_answered_one_of_no_price_is_unknown() -> None:
    made = records_builder.RecordsBuilder()
    document = made.document("a.md")
    made.artifact(document, "text", 1)
    artifact = made.artifacts[0]
    made.calls.clear()
    refused = {"state": "failed", "usage": Usage(), "cost_usd": None}
    made.call(artifact, "artifact", records_builder.T0, records_builder.T0, **refused)
    made.call(artifact, "artifact", records_builder.T0, records_builder.T0, cost_usd=None)

    assert money.total_cost(made.calls) == money.CallCost(0.0, unknown=1, uncertain=0)


def test_uncertain_calls_may_have_cost_what_was_set_aside_for_them() -> None:
    made = records_builder.RecordsBuilder()
    document = made.document("a.md")
    made.artifact(document, "text", 1)
    artifact = made.artifacts[0]
    made.calls.clear()
    lost = {"state": "uncertain", "usage": Usage(), "cost_usd": None}
    for most in (0.25, 0.5):
        made.call(
            artifact, "artifact", records_builder.T0, records_builder.T0, **lost, reserved_usd=most
        )

    bounded = money.total_cost(made.calls)
    made.call(
        artifact, "artifact", records_builder.T0, records_builder.T0, **lost, reserved_usd=None
    )

    assert (bounded.uncertain, bounded.uncertain_usd) == (2, 0.75)
    assert money.total_cost(made.calls).uncertain_usd is None


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        (money.CallCost(), "$0"),
        (money.CallCost(0.00004), "$0.000040"),
        (money.CallCost(1234.5), "$1,234.50"),
        (money.CallCost(0.0, unknown=1), "unknown for 1 call"),
        (money.CallCost(0.5, unknown=2), "$0.5000 + unknown for 2 calls"),
    ],
)
def test_costs_are_said_without_hiding_anything(amount: money.CallCost, said: str) -> None:
    assert formatting.cost(amount) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "< 1 %"),
        (0.004, "< 1 %"),
        (0.5, "50 %"),
        (0.994, "99 %"),
        (1.0, "> 99 %"),
        (None, "–"),
    ],
)
def test_a_probability_by_draws_is_never_certain(value: float | None, said: str) -> None:
    assert formatting.chance(value).replace("\N{NO-BREAK SPACE}", " ") == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.004, "0.00"), (-0.004, "0.00"), (-1.5, "\N{MINUS SIGN}1.50"), (None, "–")],
)
def test_a_difference_has_a_sign_unless_it_is_nothing(value: float | None, said: str) -> None:
    assert formatting.signed(value) == said


def test_what_a_text_rests_on_is_told_in_a_few_words() -> None:
    cited = EvidenceSummary(grounding="cited", reasoning="tokens", searches=2, sources=3)
    searched = EvidenceSummary(grounding="searched", searches=1, flags=("unfinished", "garbled"))

    assert formatting.proof(cited) == ["grounding: cited (3 sources)", "reasoning: tokens"]
    assert formatting.proof(searched) == [
        "grounding: searched (1 search)",
        "may break off",
        "letters are garbled",
    ]
    assert formatting.proof(EvidenceSummary()) == formatting.proof(None) == []
