"""Who beat whom how often, as a table."""

from collections.abc import Sequence

from acm_workers.ranking.games import Game


def wins(ids: Sequence[str], games: Sequence[Game]) -> list[list[float]]:
    """Return how often each row beat each column; a tie counts half on both sides.

    Returns:
        Shape (n, n) in the order of ``ids``; games with anybody else are left out.
    """
    place = {one: number for number, one in enumerate(ids)}
    table = [[0.0] * len(ids) for _ in ids]
    for game in games:
        if game.a in place and game.b in place:
            table[place[game.a]][place[game.b]] += game.score_a
            table[place[game.b]][place[game.a]] += 1 - game.score_a
    return table


def counts(ids: Sequence[str], games: Sequence[Game]) -> list[list[int]]:
    """Return how often each row played each column; symmetric, shape as in ``wins``."""
    won = wins(ids, games)
    return [[round(won[i][j] + won[j][i]) for j in range(len(ids))] for i in range(len(ids))]
