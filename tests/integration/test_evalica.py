"""Strengths beside those of another implementation; it is slow to import, with all it brings."""

import math

import evalica
import pytest

from acm_workers.ranking.bradley_terry import fit
from acm_workers.ranking.games import Game
from tests.support.played_games import drawn


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
