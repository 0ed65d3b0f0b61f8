"""Top N as in seed 003, section 13."""

from hypothesis import assume, given
from hypothesis import strategies as st

from acm_workers.ranking.standings import RankedQuality, choose_top_n
from schemas.config.ranking import TopN


def selected(levels: list[float], top_n: TopN | None = None) -> int:
    """Return how many of the best are chosen; nobody behind somebody who is not."""
    found = [
        one.selected
        for one in choose_top_n([RankedQuality(level, True) for level in levels], top_n or TopN())
    ]
    assert found == sorted(found, reverse=True)
    return sum(found)


def test_13_3_defaults() -> None:
    assert TopN() == TopN(count=3, threshold=0.7, min=1, max=5)


def test_13_4_takes_count_where_enough_are_above_the_threshold() -> None:
    assert selected([0.9, 0.85, 0.8, 0.75, 0.71]) == 3


def test_13_4_takes_those_above_the_threshold_where_they_are_fewer_than_count() -> None:
    assert selected([0.9, 0.7, 0.699]) == 2


def test_13_4_takes_the_best_available_where_too_few_are_above_the_threshold() -> None:
    assert selected([0.5, 0.4, 0.3]) == 1
    assert selected([0.8, 0.4, 0.3], TopN(min=2)) == 2


def test_13_3_takes_no_more_than_the_maximum() -> None:
    assert selected([0.9] * 8, TopN(count=7, max=5)) == 5


def as_in_13_4(levels: list[float], top_n: TopN) -> int:
    above = sum(level >= top_n.threshold for level in levels)
    if above >= top_n.count:
        return top_n.count
    return above if above >= top_n.min else min(top_n.min, len(levels))


@given(
    st.lists(st.sampled_from([0.0, 0.3, 0.69, 0.7, 0.71, 1.0]), max_size=8),
    st.integers(1, 6),
    st.integers(1, 6),
)
def test_13_4_whatever_the_levels(levels: list[float], count: int, least: int) -> None:
    assume(least <= count)
    top_n = TopN(count=count, min=least, max=6)

    assert selected(sorted(levels, reverse=True), top_n) == as_in_13_4(levels, top_n)


def test_every_candidate_has_its_reason() -> None:
    places = [
        RankedQuality(0.9, True),
        RankedQuality(0.6, True),
        RankedQuality(0.9, False),
        RankedQuality(None, True),
    ]

    assert [one.reason for one in choose_top_n(places, TopN(min=2))] == [
        "its level of 0.900 reaches the threshold of 0.7",
        "its level of 0.600 is below the threshold of 0.7, but at least 2 must be taken",
        "was not compared with the others",
        "nothing is known of its quality that can be compared",
    ]
