"""Games counted: who beat whom how often, and who is linked with whom by games."""

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acm_workers.ranking.games import Game

Indices = NDArray[np.intp]


class GameCounts(NamedTuple):
    """Counts of games between n players.

    Attributes:
        beat: Shape (n, n); how often each row beat each column.
        tied: Shape (n, n); how often two tied, at the row of the earlier player only.
    """

    beat: Indices
    tied: Indices

    @property
    def wins(self) -> NDArray[np.float64]:
        """Return how often each row beat each column, a tie half on both sides."""
        return self.beat + (self.tied + self.tied.T) / 2

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Return whether each row ever won or tied against each column."""
        return self.wins > 0

    def of(self, players: Sequence[int]) -> "GameCounts":
        """Return the games between some of the players."""
        chosen = np.ix_(players, players)
        return GameCounts(self.beat[chosen], self.tied[chosen])


def tally(players: Sequence[str], games: Sequence[Game]) -> GameCounts:
    """Count the games.

    Raises:
        ValueError: A game has a player who is not in ``players``, or twice the same one.
    """
    place = {player: number for number, player in enumerate(players)}
    try:
        a, b = (
            np.fromiter(map(place.__getitem__, map(itemgetter(side), games)), np.intp, len(games))
            for side in (0, 1)
        )
    except KeyError as error:
        raise ValueError(f"not a game between two of the players: {error} is none") from error
    if (a == b).any():
        raise ValueError(f"not a game between two of the players: {games[int((a == b).argmax())]}")
    scores = np.fromiter(map(itemgetter(2), games), np.float64, len(games))
    return from_columns(len(players), a, b, scores)


def from_columns(n: int, a: Indices, b: Indices, score_a: NDArray[np.float64]) -> GameCounts:
    """Count games that are given as columns: the places of both players, and what a scored."""
    outcome = np.rint(2 * score_a).astype(np.intp)  # 0 lost, 1 tied, 2 won
    counts = np.bincount((a * n + b) * 3 + outcome, minlength=3 * n * n).reshape(n, n, 3)
    lost, tied, won = counts[:, :, 0], counts[:, :, 1], counts[:, :, 2]
    return GameCounts(beat=won + lost.T, tied=np.triu(tied + tied.T))


def groups(linked: NDArray[np.bool_]) -> list[Indices]:
    """Return the groups in which everybody is linked with everybody, also over others.

    Args:
        linked: Shape (n, n); whether each row is linked to each column. Where links have a
            direction, two are in one group if there is a way in each.
    """
    ways = reach(linked)
    both = ways & ways.T
    return [np.flatnonzero(row) for number, row in enumerate(both) if row.argmax() == number]


def reach(linked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether there is a way from each row to each column, everybody's to itself too."""
    ways = (linked | np.eye(len(linked), dtype=np.bool_)).astype(np.float64)
    for _ in range(len(linked).bit_length()):
        ways = ((ways @ ways) > 0).astype(np.float64)
    return ways > 0
