"""Expected scores: what is left of the best of many noisy scores."""

import random
from statistics import fmean

import pytest

from acm_workers.ranking import posterior, score_effects
from tests.support import judging_records
from tests.support.judging_records import comparison

JUDGES = [judging_records.judge()]


def expected(scores: dict[str, float], of: str, games: int = 0) -> float:
    """Return the expected score of one, after it won so many comparisons with the others."""
    known = judging_records.summaries(
        {one: {"j": [score], "k": [score]} for one, score in scores.items()}, highest=10
    )
    effects = score_effects.estimate(known)
    assert effects is not None
    others = [one for one in scores if one != of]
    played = [
        comparison((of, others[number % len(others)]), "a", iteration=number + 1)
        for number in range(games)
    ]
    return posterior.expected_score(of, list(scores), effects, played, JUDGES)


def test_the_best_of_many_scores_is_expected_to_be_lower_and_above_the_mean() -> None:
    scores = {"a": 9.0, "b": 6.0, "c": 5.0, "d": 6.0}

    assert fmean(scores.values()) < expected(scores, "a") < 9.0


def test_won_comparisons_raise_what_is_expected() -> None:
    scores = {"a": 6.0, "b": 5.0, "c": 6.5}

    assert expected(scores, "a", games=6) > expected(scores, "a")


def test_a_single_candidate_is_expected_to_be_as_its_score_says() -> None:
    assert expected({"a": 7.0}, "a") == pytest.approx(7.0)


def test_the_winner_of_noise_alone_is_expected_near_the_mean_of_all() -> None:
    draw = random.Random(4)
    raw, left = [], []
    for _ in range(40):
        scores = {f"c{number}": 5.5 + draw.gauss(0, 1) for number in range(6)}
        best = max(scores, key=scores.__getitem__)
        known = judging_records.summaries(
            {one: {"j": [score], "k": [score + draw.gauss(0, 1)]} for one, score in scores.items()},
            highest=10,
        )
        effects = score_effects.estimate(known)
        assert effects is not None
        raw.append(known[best].overall - effects.centre)
        left.append(
            posterior.expected_score(best, list(scores), effects, [], JUDGES) - effects.centre
        )

    assert 0 < fmean(left) < fmean(raw) / 2
