from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking import pairs
from schemas.config.judging import Pairwise, PositionSwap, Strategy
from tests.support.judging_records import judge

swaps = st.sampled_from(["both", "random", "none"])


@pytest.mark.parametrize(("candidates", "expected"), [(1, 0), (5, 10), (10, 45), (20, 190)])
def test_round_robin_has_every_pair_once(candidates: int, expected: int) -> None:
    ids = [f"c{number}" for number in range(candidates)]

    found = pairs.round_robin(ids)

    assert len(found) == len({frozenset(pair) for pair in found}) == expected


def test_new_candidates_meet_everybody_and_old_ones_not_again() -> None:
    found = pairs.with_new(["p", "q"], ["x", "y"])

    assert found == [("p", "x"), ("p", "y"), ("q", "x"), ("q", "y"), ("x", "y")]


def test_none_keeps_the_order_given() -> None:
    found = pairs.planned([("p", "q")], [judge("j")], swap="none", iterations=2, seed=1)

    assert found == [("p", "q", "j", 1), ("p", "q", "j", 2)]


def test_both_asks_for_each_order() -> None:
    found = pairs.planned([("p", "q")], [judge("j"), judge("k")], swap="both", iterations=1, seed=1)

    assert found == [("p", "q", "j", 1), ("q", "p", "j", 1), ("p", "q", "k", 1), ("q", "p", "k", 1)]


def test_random_alternates_over_judges_and_iterations() -> None:
    judges = [judge("j"), judge("k")]

    found = pairs.planned([("p", "q")], judges, swap="random", iterations=2, seed=3)

    assert Counter(one.a for one in found) == {"p": 2, "q": 2}
    assert {one.a for one in found if one.judge == "j"} == {"p", "q"}


@given(st.integers(2, 9), st.integers(1, 3), st.integers(1, 3), st.integers())
def test_random_shows_everybody_first_as_often_as_second(
    candidates: int, judges: int, iterations: int, seed: int
) -> None:
    ids = [f"c{number}" for number in range(candidates)]
    panel = [judge(f"j{number}") for number in range(judges)]

    found = pairs.planned(
        pairs.round_robin(ids), panel, swap="random", iterations=iterations, seed=seed
    )

    first, second = Counter(one.a for one in found), Counter(one.b for one in found)
    assert all(abs(first[one] - second[one]) <= 1 for one in ids)


def test_random_depends_on_the_seed_and_on_nothing_else() -> None:
    ids, other_ids = ["a", "b", "c", "d"], ["w", "x", "y", "z"]
    rename = dict(zip(other_ids, ids, strict=True))

    def first_ones(names: list[str], seed: int) -> list[str]:
        found = pairs.planned(
            pairs.round_robin(names), [judge()], swap="random", iterations=1, seed=seed
        )
        return [rename.get(one.a, one.a) for one in found]

    assert first_ones(ids, 1) == first_ones(ids, 1) == first_ones(other_ids, 1)
    assert len({tuple(first_ones(ids, seed)) for seed in range(20)}) > 5


@given(st.integers(0, 6), st.integers(0, 4), st.integers(0, 3), swaps, st.integers(1, 3))
def test_count_is_the_number_of_planned_comparisons(
    old: int, new: int, judges: int, swap: PositionSwap, iterations: int
) -> None:
    round_ = pairs.with_new([f"o{n}" for n in range(old)], [f"n{n}" for n in range(new)])
    panel = [judge(f"j{number}") for number in range(judges)]

    found = pairs.planned(round_, panel, swap=swap, iterations=iterations, seed=0)

    assert pairs.count(old + new, new, judges, swap, iterations) == len(found) == len(set(found))


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
