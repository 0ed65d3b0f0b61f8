import itertools
import math
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acm_workers.ranking.pairs import PlannedPair
from acm_workers.ranking.rounds import next_round
from schemas.config.judging import Pairwise
from tests.support.asking import answered, by_name, field, play

SWISS = Pairwise(strategy="swiss")


def met(pairs: list[PlannedPair]) -> list[frozenset[str]]:
    return [frozenset((pair.a, pair.b)) for pair in pairs]


@settings(max_examples=15)
@given(st.integers(2, 24), st.randoms(use_true_random=False))
def test_nobody_meets_the_same_one_twice_and_all_rounds_are_full(
    candidates: int, draw: random.Random
) -> None:
    found, _ = play(field(candidates, pairwise=SWISS), lambda pair: draw.choice(["a", "b", "tie"]))

    meetings = list(itertools.chain(*map(met, found)))
    assert len(set(meetings)) == len(meetings)
    assert len(found) >= math.ceil(math.log2(candidates))
    for one in found:
        playing = list(itertools.chain(*met(one)))
        assert len(set(playing)) == len(playing)
    assert len(meetings) == math.ceil(math.log2(candidates)) * (candidates // 2)


@pytest.mark.parametrize("candidates", [3, 5, 7, 9, 11])
def test_nobody_is_left_out_twice_before_everybody_was_once(candidates: int) -> None:
    found, _ = play(field(candidates, pairwise=SWISS), by_name)

    played = Counter(itertools.chain(*itertools.chain(*map(met, found))))
    numbers = [played[f"c{number}"] for number in range(candidates)]
    assert max(numbers) - min(numbers) <= 1


def test_the_first_round_pairs_equals_by_score() -> None:
    scores = {"c0": 9.0, "c1": 3.0, "c2": 8.5, "c3": 3.5}

    (first, *_), _ = play(field(4, scores=scores, pairwise=SWISS), by_name)

    assert set(met(first)) == {frozenset(("c0", "c2")), frozenset(("c1", "c3"))}


def test_winners_meet_winners() -> None:
    start = field(4, pairwise=SWISS)
    verdicts = {("c0", "c1"): "a", ("c2", "c3"): "a"}
    there = [answered(PlannedPair(*pair, "j0", 1), "a") for pair in verdicts]

    second = next_round(start._replace(comparisons=there)).pairs

    assert set(met(list(second))) == {frozenset(("c0", "c2")), frozenset(("c1", "c3"))}


def test_every_judge_looks_at_every_pair_of_a_round() -> None:
    start = field(4, judges=2, pairwise=Pairwise(strategy="swiss", iterations=2))

    (first, *_), ended = play(start, by_name)

    looks = Counter((frozenset((pair.a, pair.b)), pair.judge) for pair in first)
    assert set(looks.values()) == {2}
    assert len(looks) == 4
    assert ended == "All 16 comparisons of 2 Swiss rounds were asked."


def test_it_asks_no_more_than_it_may_and_says_so() -> None:
    limited = Pairwise(strategy="swiss", max_comparisons=5)

    found, ended = play(field(8, pairwise=limited), by_name)

    assert [len(one) for one in found] == [4, 1]
    assert ended == "All 5 comparisons that max_comparisons allows were asked."


def test_in_playoffs_each_new_candidate_meets_its_equals() -> None:
    start = field(4, new=("n5", "n6"), pairwise=SWISS)

    found, ended = play(start, by_name)

    assert all(set(pair) & {"n5", "n6"} for pair in itertools.chain(*map(met, found)))
    assert len(found) == 3
    assert ended == f"All {sum(map(len, found))} comparisons of 3 Swiss rounds were asked."


def test_pairs_of_an_earlier_strategy_are_not_asked_again() -> None:
    start = field(6, pairwise=SWISS)
    there = [answered(PlannedPair("c0", other, "j0", 1), "a") for other in ("c1", "c2", "c3")]

    found, _ = play(start._replace(comparisons=there), by_name)

    again = set(itertools.chain(*map(met, found))) & {
        frozenset(("c0", other)) for other in ("c1", "c2", "c3")
    }
    assert not again
    assert len(there) + sum(map(len, found)) == 9


def test_a_fifty_candidate_round_is_full_to_the_last() -> None:
    found, ended = play(field(50, pairwise=SWISS), by_name)

    assert [len(one) for one in found] == [25] * 6
    assert ended == "All 150 comparisons of 6 Swiss rounds were asked."
