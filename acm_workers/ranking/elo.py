"""Elo ratings."""

import random
from collections.abc import Sequence
from typing import Literal, NamedTuple

from acm_workers.ranking.games import Game
from schemas.ranking import Rating

SHUFFLES = 200
"""Orders that ``shuffled`` is the mean over; a hundred are the least that settles a rating."""

_SCALE = 400.0


class _Move(NamedTuple):
    """A game by the places of its players, the earlier one first."""

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
    whatever order they are given in, and an entry of the history is the mean of what a player had
    in each of them after that many games.

    Args:
        players: Also those who played no game; they keep the initial rating.
        games: Between two of the players each.
        k: The most points one game can move.
        initial: What everybody starts with.
        order: ``chronological`` rates the games once, in the order given.
        seed: Of the shuffles.

    Raises:
        ValueError: A game has a player who is not in ``players``, or twice the same one.
    """
    moves = _moves(players, games)
    if order == "shuffled":
        histories = _shuffled(len(players), moves, k, initial, seed)
    else:
        histories = _histories(len(players), moves, k, initial)
    return {
        player: _rating(player, history, _scores(place, moves))
        for place, (player, history) in enumerate(zip(players, histories, strict=True))
    }


def _moves(players: Sequence[str], games: Sequence[Game]) -> list[_Move]:
    places = {player: place for place, player in enumerate(players)}
    moves = []
    for game in games:
        if game.a == game.b or game.a not in places or game.b not in places:
            raise ValueError(f"not a game between two of the players: {game}")
        a, b = places[game.a], places[game.b]
        moves.append(_Move(a, b, game.score_a) if a < b else _Move(b, a, 1 - game.score_a))
    return moves


def _histories(players: int, moves: Sequence[_Move], k: float, initial: float) -> list[list[float]]:
    histories = [[initial] for _ in range(players)]
    for a, b, score_a in moves:
        points_a, points_b = histories[a][-1], histories[b][-1]
        moved = k * (score_a - expected(points_a, points_b))
        histories[a].append(points_a + moved)
        histories[b].append(points_b - moved)
    return histories


def _shuffled(
    players: int, moves: Sequence[_Move], k: float, initial: float, seed: int
) -> list[list[float]]:
    """Return the mean of the histories over shuffles; everybody has as many games in each."""
    draw = random.Random(seed)  # noqa: S311
    shuffled = sorted(moves)  # the order given must not decide what the shuffles are
    sums = [[0.0] * len(history) for history in _histories(players, moves, k, initial)]
    for _ in range(SHUFFLES):
        draw.shuffle(shuffled)
        for total, history in zip(sums, _histories(players, shuffled, k, initial), strict=True):
            for place, points in enumerate(history):
                total[place] += points
    return [[points / SHUFFLES for points in total] for total in sums]


def _scores(place: int, moves: Sequence[_Move]) -> list[float]:
    """Return what one player scored in each game."""
    return [
        move.score_a if move.a == place else 1 - move.score_a
        for move in moves
        if place in (move.a, move.b)
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
