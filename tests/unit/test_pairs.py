from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking import pairs
from schemas.config.judging import PositionSwap
from tests.support.judged import judge

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
