import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking import pairs
from schemas.config.judging import Pairwise, Strategy
from tests.support.judged import judge


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [(2, "round_robin"), (10, "round_robin"), (11, "swiss"), (50, "swiss"), (51, "top_k")],
)
def test_auto_goes_by_the_number_of_candidates(candidates: int, expected: Strategy) -> None:
    assert pairs.resolved(Pairwise(strategy="auto"), candidates) == expected


@pytest.mark.parametrize("strategy", ["adaptive", "round_robin", "swiss", "top_k"])
def test_a_strategy_that_is_named_is_taken(strategy: Strategy) -> None:
    assert pairs.resolved(Pairwise(strategy=strategy), 60) == strategy


def test_top_k_admits_ten_or_as_many_as_top_n_says() -> None:
    assert pairs.admitted(Pairwise(strategy="top_k"), 60) == 10
    assert pairs.admitted(Pairwise(strategy="auto"), 60) == 10
    assert pairs.admitted(Pairwise(strategy="top_k", top_n=4), 60) == 4
    assert pairs.admitted(Pairwise(strategy="top_k"), 3) == 3


def test_all_are_admitted_where_nothing_limits_them() -> None:
    assert pairs.admitted(Pairwise(), 60) == 60


@pytest.mark.parametrize(
    ("pairwise", "expected"),
    [
        (Pairwise(), {"j": 45, "k": 45}),
        (Pairwise(strategy="round_robin", position_swap="both"), {"j": 90, "k": 90}),
        (Pairwise(iterations=2), {"j": 90, "k": 90}),
        (Pairwise(strategy="swiss"), {"j": 20, "k": 20}),
        (Pairwise(max_comparisons=31), {"j": 16, "k": 15}),
        (Pairwise(max_comparisons=31, position_swap="both"), {"j": 16, "k": 14}),
        (Pairwise(max_comparisons=1000), {"j": 45, "k": 45}),
        (Pairwise(strategy="round_robin", max_comparisons=31), {"j": 45, "k": 45}),
        (Pairwise(strategy="swiss", max_comparisons=31), {"j": 16, "k": 15}),
    ],
)
def test_most_of_ten_candidates_and_two_judges(
    pairwise: Pairwise, expected: dict[str, int]
) -> None:
    assert pairs.most(10, 0, [judge("j"), judge("k")], pairwise) == expected


def test_most_of_playoffs_counts_pairs_with_a_new_candidate() -> None:
    panel = [judge("j")]

    assert pairs.most(10, 2, panel, Pairwise()) == {"j": 21}
    assert pairs.most(10, 2, panel, Pairwise(strategy="swiss")) == {"j": 8}
    assert pairs.most(10, 2, panel, Pairwise(max_comparisons=5)) == {"j": 5}


def test_most_is_nothing_without_a_pair_or_a_judge() -> None:
    assert pairs.most(1, 0, [judge("j")], Pairwise()) == {"j": 0}
    assert pairs.most(0, 0, [judge("j")], Pairwise()) == {"j": 0}
    assert pairs.most(5, 0, [], Pairwise(max_comparisons=3)) == {}


@given(st.integers(2, 60), st.integers(0, 4))
def test_swiss_never_has_more_pairs_than_there_are(old: int, new: int) -> None:
    all_pairs = pairs.count(old + new, new or old, 1, "none", 1)

    assert 0 < pairs.swiss_pairs(old, new) <= all_pairs
