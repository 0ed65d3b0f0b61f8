"""Bradley-Terry strengths from games, with intervals and notes on their limits."""

import math
from collections.abc import Iterator, Sequence
from operator import itemgetter
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acm_workers.ranking import newton
from acm_workers.ranking.games import Game
from acm_workers.ranking.newton import Floats, Indices
from schemas.ranking import Estimate

POINTS_PER_LOGIT = 400 / math.log(10)
_MEAN = 1500.0
_HALF_GAME = 0.5
"""The prior: each player once tied with a reference of strength 0, half a win and half a loss. That
is the density of a strength with a standard deviation of 545 points, about flat where it matters.
"""
_Z = NormalDist().inv_cdf(0.975)
_LEAST_DRAWN = 1e-4
"""Minimum weight of half a game in a draw, which keeps strengths finite; about 1 % are clipped."""
_CELLS = 250_000
"""Maximum number of table cells that are drawn and solved together: some 20 MB."""
_EPSILON = np.finfo(np.float64).eps


class BradleyTerry(NamedTuple):
    """Strengths estimated from the games alone.

    Attributes:
        estimates: Estimates by id, around a mean of 1500; absent for players without a game.
        notes: Limits of the estimates, as sentences with ids.
    """

    estimates: dict[str, Estimate]
    notes: tuple[str, ...]


class GameCounts(NamedTuple):
    """Counts of games between n players.

    Attributes:
        beat: Shape (n, n); number of wins of each row over each column.
        tied: Shape (n, n); number of ties of two players, only in the row of the earlier player.
    """

    beat: Indices
    tied: Indices

    @property
    def wins(self) -> Floats:
        """Return the wins of each row over each column; a tie counts half on both sides."""
        return self.beat + (self.tied + self.tied.T) / 2

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Return whether each row ever won or tied against each column."""
        return self.wins > 0

    def between(self, players: Sequence[int]) -> "GameCounts":
        """Return the games between some of the players."""
        chosen = np.ix_(players, players)
        return GameCounts(self.beat[chosen], self.tied[chosen])


def fit(
    ids: Sequence[str], games: Sequence[Game], *, bootstraps: int = 200, seed: int = 0
) -> BradleyTerry:
    """Estimate the strength of each player; the order of the games has no effect.

    A tie is half a win for both. If games alone give no finite strength (a player never lost, or
    groups never met), the prior makes it finite, and ``notes`` contains a remark. Intervals are
    1.96 standard errors by the Bayesian bootstrap to both sides: simulated for 4 to 10 players who
    met once to three times, they contain the true strength in 95 to 100 %, whereas the middle 95 %
    of the draws contain it in 90 to 97 %.

    Args:
        ids: All players, including those without a game.
        games: Games, each between two of ``ids``.
        bootstraps: Number of draws that the standard errors are estimated from.
        seed: Seed of the draws.

    Raises:
        ValueError: A game has a player who is not in ``ids``, or the same player twice.
        ArithmeticError: The strengths did not converge.
    """
    counts = count_games(ids, games)
    played = np.flatnonzero((counts.scored | counts.scored.T).any(axis=0)).tolist()
    names = [ids[index] for index in played]
    if not names:
        return BradleyTerry({}, ())
    counts = counts.between(played)
    best = strengths(counts)
    margin = _Z * bootstrap(counts, best, number=bootstraps, seed=seed).std(axis=0)
    points, low, high = (
        (_MEAN + POINTS_PER_LOGIT * logits).tolist()
        for logits in (best, best - margin, best + margin)
    )
    estimates = {
        name: Estimate(points=points[row], low=low[row], high=high[row])
        for row, name in enumerate(names)
    }
    return BradleyTerry(estimates, _notes(names, counts))


def count_games(players: Sequence[str], games: Sequence[Game]) -> GameCounts:
    """Count the games.

    Raises:
        ValueError: A game has a player who is not in ``players``, or the same player twice.
    """
    index = {player: number for number, player in enumerate(players)}
    try:
        a, b = (
            np.fromiter(map(index.__getitem__, map(itemgetter(side), games)), np.intp, len(games))
            for side in (0, 1)
        )
    except KeyError as error:
        raise ValueError(f"not a game between two of the players: {error} is none") from error
    if (a == b).any():
        raise ValueError(f"not a game between two of the players: {games[int((a == b).argmax())]}")
    scores = np.fromiter(map(itemgetter(2), games), np.float64, len(games))
    return count_columns(len(players), a, b, scores)


def count_columns(n: int, a: Indices, b: Indices, score_a: Floats) -> GameCounts:
    """Count games that are given as columns: the indices of both players, and the score of a."""
    outcome = np.rint(2 * score_a).astype(np.intp)  # 0 lost, 1 tied, 2 won
    counts = np.bincount((a * n + b) * 3 + outcome, minlength=3 * n * n).reshape(n, n, 3)
    lost, tied, won = counts[:, :, 0], counts[:, :, 1], counts[:, :, 2]
    return GameCounts(beat=won + lost.T, tied=np.triu(tied + tied.T))


def strengths(counts: GameCounts) -> Floats:
    """Return the most likely strengths in logits, shape (n,), around a mean of 0."""
    n = len(counts.beat)
    half = np.full((1, n), _HALF_GAME)
    found = newton.maximise(GameLikelihoods(counts.wins[None], half, half), np.zeros((1, n)))
    best: Floats = _centred(found)[0]
    return best


def bootstrap(counts: GameCounts, start: Floats, *, number: int, seed: int) -> Floats:
    """Return strengths of redrawn counts, shape (number, n), around means of 0.

    Each count, and the prior, is drawn from a gamma distribution with the count as its mean. This
    is the distribution of the weight of these games if every game has an exponential weight.
    Drawing each pair's games with replacement would leave no uncertainty where a pair met once, or
    about a player who never lost.

    Sources: Rubin, "The Bayesian bootstrap", Annals of Statistics 9 (1981); Newton and Raftery,
    "Approximate Bayesian inference with the weighted likelihood bootstrap", JRSS B 56 (1994).

    Args:
        counts: Game counts of n players.
        start: Their strengths by the counts themselves; shape (n,).
        number: Number of draws.
        seed: Seed of the draws.
    """
    generator = np.random.default_rng(abs(seed))
    found = [
        newton.maximise(_redrawn(counts, size, generator), np.tile(start, (size, 1)))
        for size in _batch_sizes(number, len(counts.beat))
    ]
    return _centred(np.concatenate(found))


class GameLikelihoods:
    """Log likelihoods of strengths; the prior consists of games against a reference of strength 0.

    Args:
        wins: Shape (models, n, n); number of wins of each row over each column; a tie counts half
            on both sides.
        prior_wins: Shape (models, n); number of wins of each player against the reference; above 0.
        prior_losses: Number of losses to the reference; above 0.
    """

    def __init__(self, wins: Floats, prior_wins: Floats, prior_losses: Floats) -> None:
        self._points = wins.sum(axis=2) + prior_wins
        self._games = wins + wins.transpose(0, 2, 1)
        self._prior = prior_wins + prior_losses

    def derivatives(self, chosen: Indices, at: Floats) -> tuple[Floats, Floats]:
        """Return the gradients and the negated Hessians; see ``LogisticModels``."""
        games, prior, points = self._games[chosen], self._prior[chosen], self._points[chosen]
        odds = np.exp(at)
        chance = odds[:, :, None] / (odds[:, :, None] + odds[:, None, :])
        chance_prior = odds / (odds + 1)
        expected = games * chance
        gradient: Floats = points - expected.sum(axis=2) - prior * chance_prior
        # A rounding error is no gradient: a weak prior would make long steps of it.
        gradient[np.abs(gradient) <= 4 * at.shape[1] * _EPSILON * points] = 0.0
        curvature: Floats = expected * (1 - chance)
        diagonal = np.arange(at.shape[1])
        own = curvature.sum(axis=2) + prior * chance_prior * (1 - chance_prior)
        curvature *= -1
        curvature[:, diagonal, diagonal] += own
        return gradient, curvature

    def largest_change(self, step: Floats) -> Floats:
        """Return the largest change of a distance between two players, including the reference."""
        apart: Floats = np.maximum(step.max(axis=1), 0) - np.minimum(step.min(axis=1), 0)
        return apart


def _centred(logits: Floats) -> Floats:
    centred: Floats = logits - logits.mean(axis=1, keepdims=True)
    return centred


def _batch_sizes(number: int, n: int) -> Iterator[int]:
    largest = max(1, _CELLS // (n * n))
    for done in range(0, number, largest):
        yield min(largest, number - done)


def _redrawn(counts: GameCounts, size: int, generator: np.random.Generator) -> GameLikelihoods:
    n = len(counts.beat)
    wins = np.zeros((size, n, n))
    beat, tied = np.nonzero(counts.beat), np.nonzero(counts.tied)
    wins[:, beat[0], beat[1]] = generator.standard_gamma(counts.beat[beat], (size, len(beat[0])))
    # Both halves of a tie have the same weight.
    halves = generator.standard_gamma(counts.tied[tied], (size, len(tied[0]))) / 2
    wins[:, tied[0], tied[1]] += halves
    wins[:, tied[1], tied[0]] += halves
    prior = np.maximum(generator.standard_gamma(_HALF_GAME, (2, size, n)), _LEAST_DRAWN)
    return GameLikelihoods(wins, prior[0], prior[1])


def _notes(names: Sequence[str], counts: GameCounts) -> tuple[str, ...]:
    """Return notes on strengths that are based on the prior, because no interval shows this."""
    notes = []
    scored = counts.scored
    linked = connected_groups(scored | scored.T)
    if len(linked) > 1:
        notes.append(
            f"{len(linked)} groups were never compared with each other; only the prior places "
            f"them: {_listed(linked, names)}."
        )
    paths = reachable(scored)
    groups = [group for group in connected_groups(scored) if _met_others(group, scored)]
    undefeated = [group for group in groups if paths[:, group[0]].sum() == len(group)]
    winless = [group for group in groups if paths[group[0]].sum() == len(group)]
    if undefeated:
        notes.append(
            "Lost no game to any other, so that only the prior keeps the strength finite: "
            f"{_listed(undefeated, names)}."
        )
    if winless:
        notes.append(
            "Won no game against any other, so that only the prior keeps the strength finite: "
            f"{_listed(winless, names)}."
        )
    return tuple(notes)


def connected_groups(linked: NDArray[np.bool_]) -> list[Indices]:
    """Return the strongly connected groups of a directed graph.

    Args:
        linked: Shape (n, n); whether there is an edge from each row to each column.
    """
    paths = reachable(linked)
    both = paths & paths.T
    return [np.flatnonzero(row) for number, row in enumerate(both) if row.argmax() == number]


def reachable(linked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether there is a path from each row to each column; each reaches itself."""
    paths = (linked | np.eye(len(linked), dtype=np.bool_)).astype(np.float64)
    for _ in range(len(linked).bit_length()):
        paths = ((paths @ paths) > 0).astype(np.float64)
    return paths > 0


def _met_others(group: Indices, scored: NDArray[np.bool_]) -> bool:
    outside = np.ones(len(scored), dtype=np.bool_)
    outside[group] = False
    return bool((scored | scored.T)[group][:, outside].any())


def _listed(groups: Sequence[Indices], names: Sequence[str]) -> str:
    return "; ".join(", ".join(names[index] for index in group) for group in groups)
