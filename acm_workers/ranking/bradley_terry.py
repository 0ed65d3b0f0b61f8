"""Bradley-Terry strengths from games, with intervals and with what makes them doubtful."""

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acm_workers.ranking import tally as tallies
from acm_workers.ranking.games import Game
from acm_workers.ranking.newton import Floats, Tables
from acm_workers.ranking.tally import GameCounts, Indices
from schemas.ranking import Estimate

POINTS_PER_NAT = 400 / math.log(10)
_MEAN = 1500.0
_HALF_GAME = 0.5
"""The prior: everybody once tied with a reference of strength 0, half a win and half a loss. That
is the density of a strength with a standard deviation of 545 points, about flat where it matters.
"""
_REACH = NormalDist().inv_cdf(0.975)
_LEAST_DRAWN = 1e-4
"""Least that a draw leaves of half a game: no draw is infinite, and one in a hundred is cut."""
_CELLS = 250_000
"""Cells of the tables that are drawn and solved at one time: some 20 MB."""


class BradleyTerry(NamedTuple):
    """What the games alone say.

    Attributes:
        estimates: By id, around a mean of 1500; absent for those who played no game.
        notes: What keeps the estimates from being taken at their word, in sentences with ids.
    """

    estimates: dict[str, Estimate]
    notes: tuple[str, ...]


def fit(
    ids: Sequence[str], games: Sequence[Game], *, bootstraps: int = 200, seed: int = 0
) -> BradleyTerry:
    """Estimate how strong each player is; the order of the games changes nothing.

    A tie is half a win for both. Where games alone give no finite strength (somebody never lost,
    or groups never met), the prior does, and ``notes`` say so. Intervals are 1.96 standard errors
    by the Bayesian bootstrap to both sides: simulated for 4 to 10 players who met once to three
    times, they hold the true strength in 95 to 100 %, where the middle 95 % of the draws hold it
    in 90 to 97 %.

    Args:
        ids: Also of those who played no game.
        games: Between two of ``ids`` each.
        bootstraps: How many draws the standard errors are taken from.
        seed: Of the draws.

    Raises:
        ValueError: A game has a player who is not in ``ids``, or twice the same one.
        ArithmeticError: The strengths did not settle.
    """
    counted = tallies.tally(ids, games)
    played = np.flatnonzero((counted.scored | counted.scored.T).any(axis=0)).tolist()
    names = [ids[place] for place in played]
    if not names:
        return BradleyTerry({}, ())
    counted = counted.of(played)
    best = strengths(counted)
    drawn = bootstrap(counted, best, number=bootstraps, seed=seed)
    reach = _REACH * drawn.std(axis=0)
    rows = zip(names, _points(best), _points(best - reach), _points(best + reach), strict=True)
    estimates = {
        name: Estimate(points=point, low=bottom, high=top) for name, point, bottom, top in rows
    }
    return BradleyTerry(estimates, _notes(names, counted))


def strengths(counted: GameCounts) -> Floats:
    """Return the most likely strengths in nats, shape (n,), around a mean of 0."""
    n = len(counted.beat)
    half = np.full((1, n), _HALF_GAME)
    found = Tables(counted.wins[None], half, half).strengths(np.zeros(n))
    best: Floats = _centred(found)[0]
    return best


def bootstrap(counted: GameCounts, start: Floats, *, number: int, seed: int) -> Floats:
    """Return strengths from the counts drawn anew, shape (number, n), around means of 0.

    Each count is drawn from a gamma distribution of that mean, which is how often those games
    would count if every game had an exponential weight; so is the prior. Drawing each pair's
    games with replacement would leave no doubt where a pair met once, nor about who never lost.

    Sources: Rubin, "The Bayesian bootstrap", Annals of Statistics 9 (1981); Newton and Raftery,
    "Approximate Bayesian inference with the weighted likelihood bootstrap", JRSS B 56 (1994).

    Args:
        counted: Of n players.
        start: Their strengths by the counts themselves.
        number: How many draws.
        seed: Of the draws.
    """
    draw = np.random.default_rng(abs(seed))
    found = [
        _drawn(counted, size, draw).strengths(start) for size in _sizes(number, len(counted.beat))
    ]
    return _centred(np.concatenate(found))


def _centred(nats: Floats) -> Floats:
    centred: Floats = nats - nats.mean(axis=1, keepdims=True)
    return centred


def _sizes(number: int, n: int) -> Iterator[int]:
    most = max(1, _CELLS // (n * n))
    for done in range(0, number, most):
        yield min(most, number - done)


def _drawn(counted: GameCounts, size: int, draw: np.random.Generator) -> Tables:
    n = len(counted.beat)
    wins = np.zeros((size, n, n))
    beat, tied = np.nonzero(counted.beat), np.nonzero(counted.tied)
    wins[:, beat[0], beat[1]] = draw.standard_gamma(counted.beat[beat], (size, len(beat[0])))
    # Both halves of a tie have the same weight.
    halves = draw.standard_gamma(counted.tied[tied], (size, len(tied[0]))) / 2
    wins[:, tied[0], tied[1]] += halves
    wins[:, tied[1], tied[0]] += halves
    prior = np.maximum(draw.standard_gamma(_HALF_GAME, (2, size, n)), _LEAST_DRAWN)
    return Tables(wins, prior[0], prior[1])


def _points(nats: Floats) -> list[float]:
    return [float(one) for one in _MEAN + POINTS_PER_NAT * nats]


def _notes(names: Sequence[str], counted: GameCounts) -> tuple[str, ...]:
    """Return what no number of bootstraps would tell."""
    notes = []
    scored = counted.scored
    linked = tallies.groups(scored | scored.T)
    if len(linked) > 1:
        notes.append(
            f"{len(linked)} groups were never compared with each other; only the prior places "
            f"them: {_listed(linked, names)}."
        )
    ways = tallies.reach(scored)
    parts = [part for part in tallies.groups(scored) if _met_others(part, scored)]
    undefeated = [part for part in parts if ways[:, part[0]].sum() == len(part)]
    winless = [part for part in parts if ways[part[0]].sum() == len(part)]
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


def _met_others(part: Indices, scored: NDArray[np.bool_]) -> bool:
    outside = np.ones(len(scored), dtype=np.bool_)
    outside[part] = False
    return bool((scored | scored.T)[part][:, outside].any())


def _listed(groups: Sequence[Indices], names: Sequence[str]) -> str:
    return "; ".join(", ".join(names[place] for place in group) for group in groups)
