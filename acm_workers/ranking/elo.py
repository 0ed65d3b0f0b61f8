"""Elo ratings."""

import random
from collections.abc import Sequence
from typing import Literal, NamedTuple

from acm_workers.ranking.games import Game
from schemas.ranking import Rating

SHUFFLES = 200
"""Number of orders that ``shuffled`` averages; ratings are stable from about a hundred."""

_SCALE = 400.0


class _IndexedGame(NamedTuple):
    """A game by the indices of its players, the lower index first."""

    a: int
    b: int
    score_a: float


def expected(a: float, b: float) -> float:
    """Return the score that a player rated ``a`` is expected to reach against one rated ``b``."""
    return 1.0 / (1.0 + float(10.0 ** ((b - a) / _SCALE)))


def ratings(
    players: Sequence[str],
    games: Sequence[Game],
    *,
    k: float = 32.0,
    initial: float = 1500.0,
    order: Literal["chronological", "shuffled"] = "chronological",
    seed: int = 0,
) -> dict[str, Rating]:
    """Rate every player by the games.

    With ``shuffled``, points are the mean over ``SHUFFLES`` seeded orders of the same games,
    regardless of their order, and an entry of the history is the mean of a player's points after
    that many games in each order.

    Args:
        players: All players; players without a game keep the initial rating.
        games: Games, each between two of the players.
        k: The most points one game can move.
        initial: The rating that each player starts with.
        order: ``chronological`` rates the games once, in the order given.
        seed: Seed of the shuffles.

    Raises:
        ValueError: A game has a player who is not in ``players``, or the same player twice.
    """
    indexed = _indexed(players, games)
    if order == "shuffled":
        histories = _shuffled(len(players), indexed, k, initial, seed)
    else:
        histories = _histories(len(players), indexed, k, initial)
    return {
        player: _rating(player, history, _scores(index, indexed))
        for index, (player, history) in enumerate(zip(players, histories, strict=True))
    }


def _indexed(players: Sequence[str], games: Sequence[Game]) -> list[_IndexedGame]:
    indices = {player: index for index, player in enumerate(players)}
    indexed = []
    for game in games:
        if game.a == game.b or game.a not in indices or game.b not in indices:
            raise ValueError(f"not a game between two of the players: {game}")
        a, b = indices[game.a], indices[game.b]
        indexed.append(
            _IndexedGame(a, b, game.score_a) if a < b else _IndexedGame(b, a, 1 - game.score_a)
        )
    return indexed


def _histories(
    players: int, indexed: Sequence[_IndexedGame], k: float, initial: float
) -> list[list[float]]:
    histories = [[initial] for _ in range(players)]
    for a, b, score_a in indexed:
        points_a, points_b = histories[a][-1], histories[b][-1]
        change = k * (score_a - expected(points_a, points_b))
        histories[a].append(points_a + change)
        histories[b].append(points_b - change)
    return histories


def _shuffled(
    players: int, indexed: Sequence[_IndexedGame], k: float, initial: float, seed: int
) -> list[list[float]]:
    """Return the mean of the histories over shuffles; a player has as many games in each."""
    draw = random.Random(seed)  # noqa: S311
    shuffled = sorted(indexed)  # the given order must not affect the shuffles
    sums = [[0.0] * len(history) for history in _histories(players, indexed, k, initial)]
    for _ in range(SHUFFLES):
        draw.shuffle(shuffled)
        for total, history in zip(sums, _histories(players, shuffled, k, initial), strict=True):
            for index, points in enumerate(history):
                total[index] += points
    return [[points / SHUFFLES for points in total] for total in sums]


def _scores(index: int, indexed: Sequence[_IndexedGame]) -> list[float]:
    """Return the score of one player in each of its games."""
    return [
        game.score_a if game.a == index else 1 - game.score_a
        for game in indexed
        if index in (game.a, game.b)
    ]


def _rating(player: str, history: Sequence[float], scores: Sequence[float]) -> Rating:
    return Rating(
        artifact_id=player,
        points=history[-1],
        games=len(scores),
        wins=scores.count(1.0),
        losses=scores.count(0.0),
        ties=scores.count(0.5),
        history=tuple(history),
    )
