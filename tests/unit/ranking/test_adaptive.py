import itertools
from collections import Counter

import numpy as np
import pytest

from acm_workers.ranking import adaptive, rounds
from acm_workers.ranking.pairs import PlannedPair
from schemas.config.judging import Pairwise
from schemas.units import Winner
from tests.support.comparison_rounds import answered, by_name, comparison_state, play

SCORES = {f"c{number}": 2.0 + number for number in range(8)}


def test_it_stops_once_it_is_sure_and_says_so() -> None:
    found, ended = play(comparison_state(8, judges=3, scores=SCORES), by_name)

    asked = sum(len(one) for one in found)
    assert 0 < asked < 84
    assert ended.startswith(f"Stopped after {asked} of at most 84 comparisons: ")
    assert float(ended.rstrip(".").rsplit(" ", 1)[1]) >= 0.9


def test_more_confidence_takes_more_comparisons() -> None:
    def asked(stop: float) -> int:
        start = comparison_state(
            8, judges=3, scores=SCORES, pairwise=Pairwise(stop_confidence=stop)
        )
        return sum(len(one) for one in play(start, by_name)[0])

    assert asked(0.6) < asked(0.99)


def test_it_asks_no_more_than_it_may_and_says_what_was_wanted() -> None:
    limited = Pairwise(max_comparisons=7)

    found, ended = play(comparison_state(8, judges=3, pairwise=limited), lambda _: "tie")

    assert sum(len(one) for one in found) == 7
    assert ended.startswith("All 7 comparisons that max_comparisons allows were asked; ")
    assert ended.endswith(", 0.90 was asked for.")


def test_a_round_robin_is_the_most_it_asks() -> None:
    found, ended = play(comparison_state(4, judges=2), lambda _: "tie")

    assert sum(len(one) for one in found) == 12
    assert ended.startswith("All 12 comparisons that a round robin has were asked; ")


def test_failed_comparisons_use_up_what_may_be_asked() -> None:
    found, ended = play(comparison_state(4, judges=1), lambda _: None)

    assert sum(len(one) for one in found) == 6
    assert ended.startswith("All 6 comparisons that a round robin has were asked; ")


def test_scores_alone_stop_nothing() -> None:
    far = {"c0": 1.0, "c1": 9.0, "c2": 1.1}

    (first, *_), ended = play(
        comparison_state(3, judges=3, scores=far), lambda pair: "a" if pair.a == "c1" else "b"
    )

    assert "c1" in {one for pair in first for one in (pair.a, pair.b)}
    assert ended.startswith("Stopped after ")


def test_each_new_candidate_is_compared_however_sure_the_best_one_is() -> None:
    scores = {"c0": 1.0, "c1": 2.0, "c2": 9.0, "n8": 1.0, "n9": 1.5}
    start = comparison_state(3, judges=3, scores=scores)
    before = [answered(pair, by_name(pair)) for one in play(start, by_name)[0] for pair in one]

    found, ended = play(start._replace(new=("n8", "n9"), comparisons=before), lambda pair: (
        "a" if pair.a == "c2" else "b"
    ))  # fmt: skip

    asked = {one for pair in itertools.chain(*found) for one in (pair.a, pair.b)}
    assert {"n8", "n9"} <= asked
    assert ended


@pytest.mark.parametrize("verdict", ["tie", "a", "b"])
def test_a_judge_who_always_says_the_same_makes_nobody_sure(verdict: Winner) -> None:
    found, ended = play(comparison_state(5, judges=1), lambda _: verdict)

    assert sum(len(one) for one in found) == 10
    assert ended.startswith("All 10 comparisons")


def test_judges_are_spread_before_one_looks_at_a_pair_again() -> None:
    start = comparison_state(3, judges=3, pairwise=Pairwise(iterations=2))

    found, _ = play(start, lambda _: "tie")

    looks: Counter[tuple[frozenset[str], str]] = Counter()
    for pair in itertools.chain(*found):
        both = frozenset((pair.a, pair.b))
        looks[both, pair.judge] += 1
        others = [looks[both, judge.name] for judge in start.judges]
        assert max(others) - min(others) <= 1


def test_judges_are_asked_about_as_often() -> None:
    found, _ = play(comparison_state(6, judges=3), lambda _: "tie")

    for number in range(1, len(found) + 1):
        asked = Counter(pair.judge for pair in itertools.chain(*found[:number]))
        assert max(asked.values()) - min(asked[f"j{place}"] for place in range(3)) <= 6


def test_both_orders_are_asked_together() -> None:
    (first, *_), _ = play(comparison_state(4, pairwise=Pairwise(position_swap="both")), by_name)

    assert {(pair.b, pair.a, pair.judge, pair.iteration) for pair in first} == set(first)


def test_none_shows_the_earlier_candidate_first() -> None:
    found, _ = play(comparison_state(5, pairwise=Pairwise(position_swap="none")), lambda _: "tie")

    assert all(pair.a < pair.b for pair in itertools.chain(*found))


def test_random_shows_everybody_first_about_as_often_as_second() -> None:
    ahead: Counter[tuple[int, str, str]] = Counter()
    for seed in range(4):
        found, _ = play(comparison_state(8, judges=2, seed=seed), lambda _: "tie")
        for pair in itertools.chain(*found):
            ahead[seed, pair.judge, pair.a] += 1
            ahead[seed, pair.judge, pair.b] -= 1

    # Everybody is shown seven times to each judge; draws alone would be 2.2 apart on average.
    assert np.mean([abs(one) for one in ahead.values()]) <= 1.5
    assert max(abs(one) for one in ahead.values()) <= 4


def test_random_depends_on_the_seed_and_not_on_the_ids() -> None:
    def first(prefix: str, seed: int) -> list[tuple[int, int]]:
        names = [f"{prefix}{number}" for number in range(6)]
        asked = rounds.next_round(comparison_state(names, seed=seed)).pairs
        return [(names.index(pair.a), names.index(pair.b)) for pair in asked]

    assert first("c", 1) == first("z", 1)
    assert len({tuple(first("c", seed)) for seed in range(6)}) > 1


def test_comparisons_of_an_earlier_strategy_count() -> None:
    whole = comparison_state(6, pairwise=Pairwise(strategy="round_robin"))
    asked = rounds.next_round(whole).pairs
    there = [answered(pair, "tie") for pair in asked[:-1]]

    rest = rounds.next_round(comparison_state(6)._replace(comparisons=there)).pairs

    assert {(pair.a, pair.b) for pair in rest} <= {(pair.a, pair.b) for pair in asked[-1:]} | {
        (pair.b, pair.a) for pair in asked[-1:]
    }
    assert len(rest) == 1


def test_rounds_grow_with_what_was_asked() -> None:
    found, _ = play(comparison_state(7, judges=3), lambda _: "tie")

    asked = 0
    for one in found[:-3]:
        assert len(one) >= int(asked / 10)
        asked += len(one)


def test_the_pair_that_tells_most_is_the_one_between_the_likeliest() -> None:
    draw = np.random.default_rng(0)
    drawn = draw.normal([2.0, 1.8, -3.0, -3.1], 0.5, (4000, 4))

    first, second = np.array(list(itertools.combinations(range(4), 2))).T
    gains = adaptive.information_gain(drawn, first, second)

    assert gains.argmax() == 0
    assert gains.min() >= 0


def test_a_verdict_that_names_the_best_one_tells_all_that_is_open() -> None:
    drawn = np.array([[50.0, -50.0], [-50.0, 50.0]])

    (gain,) = adaptive.information_gain(drawn, np.array([0]), np.array([1]))

    assert gain == pytest.approx(np.log(2))


def test_the_same_field_gives_the_same_round() -> None:
    there = [answered(PlannedPair("c0", "c1", "j0", 1), "a")]
    start = comparison_state(6, judges=2, seed=3)._replace(comparisons=there)

    assert rounds.next_round(start) == rounds.next_round(start)


def test_only_pairs_of_the_likeliest_candidates_are_asked_as_long_as_there_are_enough() -> None:
    scores = {f"c{number}": float(number) for number in range(16)}
    state = comparison_state(16, scores=scores, pairwise=Pairwise(stop_confidence=0.99))

    asked = rounds.next_round(state).pairs

    assert asked
    assert not {"c0", "c1", "c2"} & {side for pair in asked for side in (pair.a, pair.b)}


def _near_twins(pairwise: Pairwise) -> tuple[list[list[PlannedPair]], str]:
    """Play a field of two clear favourites that win every other game against each other."""
    scores = {"c0": 2.0, "c1": 2.5, "c2": 3.0, "c3": 2.2, "c4": 8.0, "c5": 8.0}
    start = comparison_state(6, judges=3, scores=scores, pairwise=pairwise)
    winners: tuple[Winner, Winner] = ("a", "b")
    turns = itertools.cycle(winners)

    def answer(pair: PlannedPair) -> Winner:
        return next(turns) if {pair.a, pair.b} == {"c4", "c5"} else by_name(pair)

    return play(start, answer)


def test_near_twins_are_compared_no_further_where_the_difference_does_not_matter() -> None:
    to_the_end, _ = _near_twins(Pairwise())

    found, ended = _near_twins(Pairwise(stop_within=1.0))

    asked = sum(map(len, found))
    assert asked < sum(map(len, to_the_end))
    assert ended.startswith(f"Stopped after {asked} of at most 45 comparisons: the best candidate")
    assert "is as good as the best: with a probability of 0.9" in ended
    assert "no other one is better by more than 1 points" in ended


def test_without_scores_no_difference_in_points_is_known() -> None:
    found, ended = play(
        comparison_state(4, judges=1, pairwise=Pairwise(stop_within=5.0)), lambda _: "tie"
    )

    assert sum(map(len, found)) == 6
    assert ended.startswith("All 6 comparisons")
