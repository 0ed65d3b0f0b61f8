"""The radar of criteria: its geometry, and who is drawn."""

import math
from itertools import combinations

import pytest

from acm_workers.reporting import document_records, ranking_charts
from acm_workers.reporting.charts import radar
from acm_workers.reporting.charts.radar import RadarAxis, RadarSpoke
from acm_workers.reporting.data import Candidate
from schemas.config.judging import Criterion
from schemas.config.ranking import Playoffs
from tests.support.records_builder import CRITERIA, RecordsBuilder


def axes(count: int) -> list[RadarAxis]:
    return [RadarAxis(f"criterion {index} and more", 1, 10) for index in range(count)]


def box(spoke: RadarSpoke) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a label; a letter is at most 7 wide and 12 high."""
    width = 7 * max(len(line) for line in spoke.words)
    left = spoke.label_x - {"start": 0, "middle": width / 2, "end": width}[spoke.anchor]
    top = spoke.label_y - 10
    return left, top, left + width, top + 12 + 14 * (len(spoke.words) - 1)


def test_the_first_spoke_points_upwards_and_the_others_go_clockwise() -> None:
    drawn = radar.radar(axes(4), [("one", True, [6, 7, 8, 9])])

    assert [(spoke.x, spoke.y) for spoke in drawn.spokes] == [
        (240, 45), (350, 155), (240, 265), (130, 155),
    ]  # fmt: skip


def test_the_middle_is_zero() -> None:
    drawn = radar.radar(axes(4), [("one", True, [5, 6, 8, 10])])

    assert [ring.label for ring in drawn.rings] == ["2", "4", "6", "8", "10"]
    assert drawn.middle == "0"
    assert drawn.outlines[0].points == "240.0,100.0 306.0,155.0 240.0,243.0 130.0,155.0"


def test_criteria_of_different_scales_are_drawn_in_percent_of_each() -> None:
    scales = [RadarAxis("a", 1, 10), RadarAxis("b", 0, 100), RadarAxis("c", 1, 5)]

    drawn = radar.radar(scales, [("one", True, [5.5, 50, 3])])

    assert drawn.middle.endswith(" %")
    corners = [corner.split(",") for corner in drawn.outlines[0].points.split()]
    reach = [math.dist((240, 155), (float(x), float(y))) for x, y in corners]
    assert reach == pytest.approx([reach[0]] * 3, abs=0.1)  # half of each scale


@pytest.mark.parametrize("count", range(radar.FEWEST, radar.MOST + 1))
def test_labels_of_spokes_neither_overlap_nor_leave_the_chart(count: int) -> None:
    boxes = [
        box(spoke) for spoke in radar.radar(axes(count), [("one", True, [5.0] * count)]).spokes
    ]

    assert all(left >= 0 and right <= radar.WIDTH for left, _, right, _ in boxes)
    assert all(top >= 0 and bottom <= radar.HEIGHT for _, top, _, bottom in boxes)
    for one, two in combinations(boxes, 2):
        beside = one[2] <= two[0] or two[2] <= one[0]
        assert beside or one[3] <= two[1] or two[3] <= one[1], (one, two)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("clarity", ("clarity",)),
        ("factual accuracy of it", ("factual accuracy", "of it")),
        ("a" * 40, ("a" * 16, "a" * 15 + "…")),
        ("正確さと完全性と明確さについて", ("正確さと完全性と", "明確さについて")),
    ],
)
def test_long_labels_are_broken_and_then_cut(name: str, lines: tuple[str, ...]) -> None:
    assert radar.wrapped(name) == lines


def candidates(*qualities: float, combined: bool = False) -> tuple[Candidate, ...]:
    made = RecordsBuilder()
    if combined:
        own = Playoffs(criteria=(Criterion(name="coherence"),))
        made.config = made.config.model_copy(update={"playoffs": own})
    document = made.document("a.md")
    ids = []
    for number, quality in enumerate(qualities, 1):
        ids.append(made.artifact(document, "text", number))
        made.evaluate(ids[-1], quality)
    if combined:
        mix = made.artifact(document, "both", 1, generator="combine", parents=tuple(ids[:2]))
        made.evaluate(mix, 9)
    made.rank(document)
    (known,) = document_records.document_records(made.material())
    return document_records.candidates(known)


def test_two_criteria_have_no_radar() -> None:
    found = candidates(7, 8)

    assert ranking_charts.criterion_profiles(found, found[0], CRITERIA[:2]) is None
    assert ranking_charts.criterion_profiles(found, found[0], CRITERIA[:3]) is not None


def test_candidates_without_scores_have_no_radar() -> None:
    found = tuple(one._replace(summary=None) for one in candidates(7, 8))

    assert ranking_charts.criterion_profiles(found, None, CRITERIA) is None


def test_the_winner_is_drawn_even_if_others_rank_higher() -> None:
    found = candidates(4, 5, 6, 7, 8, 9)

    drawn = ranking_charts.criterion_profiles(found, found[-1], CRITERIA)

    assert drawn is not None
    assert [one.label for one in drawn.radar.outlines] == [
        one.label for one in (found[-1], *found[:4])
    ]
    assert [one.winner for one in drawn.radar.outlines] == [True, False, False, False, False]
    assert drawn.left_out == 1


def test_a_candidate_that_lacks_a_score_is_left_out_and_counted() -> None:
    first, second = candidates(7, 8)
    assert first.summary is not None
    without = {name: score for name, score in first.summary.criteria.items() if name != "clarity"}
    lacking = first._replace(summary=first.summary.model_copy(update={"criteria": without}))

    drawn = ranking_charts.criterion_profiles((lacking, second), None, CRITERIA)

    assert drawn is not None
    assert [one.label for one in drawn.radar.outlines] == [second.label]
    assert drawn.incomplete == 1


def test_scores_by_criteria_of_their_own_are_not_among_those_of_others() -> None:
    found = candidates(7, 8, combined=True)

    drawn = ranking_charts.criterion_profiles(found, found[0], CRITERIA)

    assert drawn is not None
    assert not [one for one in drawn.radar.outlines if "combine" in one.label]


def test_of_many_criteria_those_of_the_highest_weights_are_drawn_in_their_order() -> None:
    names = [f"c{number}" for number in range(14)]
    criteria = [Criterion(name=name, weight=0.1 if name in ("c3", "c7") else 0.5) for name in names]
    (one, _) = candidates(7, 8)
    assert one.summary is not None
    given = one.summary.model_copy(update={"criteria": dict.fromkeys(names, 7.0)})

    drawn = ranking_charts.criterion_profiles([one._replace(summary=given)], None, criteria)

    assert drawn is not None
    assert [spoke.name for spoke in drawn.radar.spokes] == [
        name for name in names if name not in ("c3", "c7")
    ]
    assert drawn.criteria_left_out == 2
