"""Games: verdicts on pairs as results that ratings are computed from."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from schemas.units import Comparison, Winner
from schemas.votes import Vote

SCORES: dict[Winner, float] = {"a": 1.0, "b": 0.0, "tie": 0.5}
"""Score of the candidate that was shown first, by verdict."""


class Game(NamedTuple):
    """One game of two candidates; ``score_a`` is 1, 0.5 or 0, and b scores 1 minus that."""

    a: str
    b: str
    score_a: float


def games(comparisons: Sequence[Comparison], *, tie_below: float | None = None) -> list[Game]:
    """Return the games of the comparisons that are done, in the order they were played.

    Two comparisons of a pair in both orders, by the same judge in the same iteration, make one
    game: their common verdict if they agree, otherwise a tie. The time of the game is that of the
    later comparison.

    Args:
        comparisons: Comparisons in any order; those without a result are left out.
        tie_below: Verdicts with less confidence count as ties; if absent, all verdicts count as
            given.
    """
    played = sorted(verdicts(comparisons, tie_below), key=lambda verdict: _played_at(verdict[0]))
    pairs: dict[tuple[frozenset[str], str, int], list[tuple[Comparison, float]]] = {}
    for comparison, score_a in played:
        pair = frozenset((comparison.a_id, comparison.b_id))
        key = (pair, comparison.judge, comparison.iteration)
        pairs.setdefault(key, []).append((comparison, score_a))
    ordered = sorted(pairs.values(), key=lambda both: _played_at(both[-1][0]))
    return [_game(both) for both in ordered]


def of_votes(votes: Iterable[Vote]) -> list[Game]:
    """Return the games of votes in their order; a skipped pair is not a game."""
    return [
        Game(vote.left_id, vote.right_id, vote.points) for vote in votes if vote.points is not None
    ]


def verdicts(
    comparisons: Iterable[Comparison], tie_below: float | None
) -> Iterator[tuple[Comparison, float]]:
    """Yield each comparison that has a result, with the score of a; arguments as in ``games``."""
    for comparison in comparisons:
        if comparison.state == "done" and comparison.winner is not None:
            unsure = tie_below is not None and (comparison.confidence or 0.0) < tie_below
            yield comparison, SCORES["tie" if unsure else comparison.winner]


def win_matrix(ids: Sequence[str], games: Sequence[Game]) -> list[list[float]]:
    """Return the number of wins of each row over each column; a tie counts half on both sides.

    Returns:
        Shape (n, n) in the order of ``ids``; games with other candidates are left out.
    """
    index = {candidate: number for number, candidate in enumerate(ids)}
    table = [[0.0] * len(ids) for _ in ids]
    for game in games:
        if game.a in index and game.b in index:
            table[index[game.a]][index[game.b]] += game.score_a
            table[index[game.b]][index[game.a]] += 1 - game.score_a
    return table


def game_counts(ids: Sequence[str], games: Sequence[Game]) -> list[list[int]]:
    """Return the number of games between each row and column; shape as in ``win_matrix``."""
    won = win_matrix(ids, games)
    return [[round(won[i][j] + won[j][i]) for j in range(len(ids))] for i in range(len(ids))]


def _played_at(comparison: Comparison) -> tuple[datetime, str]:
    return comparison.finished_at or comparison.created_at, comparison.id


def _game(both: Sequence[tuple[Comparison, float]]) -> Game:
    first = both[0][0]
    scores = {
        score_a if comparison.a_id == first.a_id else 1 - score_a for comparison, score_a in both
    }
    return Game(first.a_id, first.b_id, scores.pop() if len(scores) == 1 else SCORES["tie"])
