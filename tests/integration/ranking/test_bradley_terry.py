"""What Bradley-Terry says of its own certainty: intervals, and notes on what games leave open."""

import itertools
import math
import random

import evalica
import numpy as np
import pytest

from acm_workers.ranking.bradley_terry import POINTS_PER_LOGIT, fit
from acm_workers.ranking.games import Game
from tests.support.random_games import drawn


def played(*results: str) -> list[Game]:
    """Return games written as ``p>q`` or ``p=q``."""
    return [Game(one[0], one[2], 1.0 if one[1] == ">" else 0.5) for one in results]


def test_one_who_never_lost_has_a_finite_strength_and_a_note() -> None:
    found = fit(["p", "q", "r"], played("p>q", "p>r", "q>r", "r>q"))

    assert 1500 < found.estimates["p"].points < 2500
    assert found.notes == (
        "Lost no game to any other, so that only the prior keeps the strength finite: p.",
        "Won no game against any other, so that only the prior keeps the strength finite: q, r.",
    )


def test_more_wins_without_a_loss_are_a_higher_strength() -> None:
    few = fit(["p", "q"], played("p>q")).estimates["p"]
    many = fit(["p", "q"], played(*["p>q"] * 5)).estimates["p"]

    assert 1500 < few.points < many.points


def test_one_tie_is_enough_not_to_be_undefeated() -> None:
    assert fit(["p", "q"], played("p>q", "p=q")).notes == ()


def test_winner_of_one_game_may_still_be_the_weaker_one() -> None:
    found = fit(["p", "q"], played("p>q"), bootstraps=1000).estimates

    assert found["p"].low < 1500 < found["p"].high
    assert found["p"].high - found["p"].low > 400


def test_groups_that_never_met_are_told() -> None:
    found = fit(list("pqrst"), played("p>q", "q>p", "r=s", "t>r", "s>t"))

    assert found.notes == (
        "2 groups were never compared with each other; only the prior places them: p, q; r, s, t.",
    )
    assert sum(found.estimates[one].points for one in "pq") / 2 == 1500.0


def test_groups_that_lost_no_game_to_others_are_told() -> None:
    found = fit(list("pqrs"), played("p>q", "q>p", "q>r", "r=s"))

    assert found.notes == (
        "Lost no game to any other, so that only the prior keeps the strength finite: p, q.",
        "Won no game against any other, so that only the prior keeps the strength finite: r, s.",
    )


def test_interval_holds_the_estimate_and_shrinks_with_more_games() -> None:
    once = played("p>q", "q>r", "r>p", "p>r", "p=q")

    few, many = fit(list("pqr"), once), fit(list("pqr"), once * 100)

    for one in "pqr":
        short, long = many.estimates[one], few.estimates[one]
        assert long.low <= long.points <= long.high
        assert short.high - short.low < (long.high - long.low) / 4


def test_seed_draws_other_intervals_and_the_same_strengths() -> None:
    games = played("p>q", "q>r", "r>p", "p>r")

    first, again, other = (fit(list("pqr"), games, seed=seed) for seed in (1, 1, 2))

    assert first == again
    assert first.estimates["p"].points == other.estimates["p"].points
    assert first.estimates["p"].low != other.estimates["p"].low


def test_intervals_hold_the_true_strength_nineteen_times_in_twenty() -> None:
    ids, draw = list("pqrstu"), np.random.default_rng(7)
    held = []
    for seed in range(40):
        true = draw.normal(size=len(ids))
        points = 1500 + POINTS_PER_LOGIT * (true - true.mean())
        games = [
            Game(ids[a], ids[b], float(draw.random() < 1 / (1 + np.exp(true[b] - true[a]))))
            for a, b in itertools.combinations(range(len(ids)), 2)
            for _ in range(3)
        ]
        found = fit(ids, games, seed=seed).estimates
        held += [
            found[one].low <= value <= found[one].high
            for one, value in zip(ids, points, strict=True)
        ]

    assert 0.92 <= np.mean(held) <= 0.99


def test_pairs_that_met_once_are_not_taken_as_certain() -> None:
    ids, draw = [f"c{place}" for place in range(8)], random.Random(3)
    games = [Game(a, b, float(draw.random() < 0.5)) for a, b in itertools.combinations(ids, 2)]

    found = fit(ids, games).estimates.values()

    assert all(one.high - one.low > 200 for one in found)


def evalica_points(played: list[Game]) -> dict[str, float]:
    result = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    found = evalica.bradley_terry(
        [game.a for game in played],
        [game.b for game in played],
        [result[game.score_a] for game in played],
        tolerance=1e-12,
        limit=100_000,
    )
    return {str(one): 400 * math.log10(score) for one, score in found.scores.items()}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_strengths_are_those_of_evalica_with_a_tie_against_a_reference(seed: int) -> None:
    ids = [f"c{place}" for place in range(7)]
    played = drawn(ids, 40, seed)
    with_reference = [*played, *(Game("reference", one, 0.5) for one in ids)]

    ours = fit(ids, played, bootstraps=1).estimates
    theirs = evalica_points(with_reference)

    assert [ours[one].points - ours["c0"].points for one in ids] == pytest.approx(
        [theirs[one] - theirs["c0"] for one in ids], abs=0.01
    )


def test_strengths_are_those_of_evalica_where_there_are_many_games() -> None:
    ids = [f"c{place}" for place in range(6)]
    played = drawn(ids, 20_000, 4, spread=0.4)

    ours, theirs = fit(ids, played, bootstraps=1).estimates, evalica_points(played)

    assert [ours[one].points - ours["c0"].points for one in ids] == pytest.approx(
        [theirs[one] - theirs["c0"] for one in ids], abs=1.0
    )
