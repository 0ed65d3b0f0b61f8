"""Laplace's approximation: the most likely strengths, and how sure of them one may be."""

from typing import NamedTuple

import numpy as np

from acm_workers.ranking.posterior_prior import Floats, StrengthPrior
from acm_workers.ranking.posterior_rows import VerdictRows

_BIAS_OF_ALL = 0.5
_BIAS_OF_ONE = 0.5
"""Standard deviations of the advantage, in logits, of being shown first: what all judges share,
and what each has of its own."""
_STEPS = 60
_CLOSE = 1e-6


class NormalMixture(NamedTuple):
    """A normal distribution for each guess of the prior, of candidates and then of judges.

    Attributes:
        mode: Strengths of candidates, then position biases of judges; shape (guesses, k).
        precision: Shape (guesses, k, k).
        weight: How likely each guess is after all; sums to 1.
    """

    mode: Floats
    precision: Floats
    weight: Floats


def fit(prior: StrengthPrior, rows: VerdictRows, judges: int) -> NormalMixture:
    """Return the posterior of strengths and position biases.

    The one shown first, a, wins against b before judge j with log odds of
    strength_a - strength_b + bias_j (Bradley-Terry with an order effect: Davidson and Beaver,
    Biometrics 33 (1977)). Each guess of the prior is fitted by Newton's method, all at once, and
    weighed by how well it foresaw the verdicts.
    """
    size = prior.centre.shape[1]
    known = _known(prior.variance, judges)
    centre = np.hstack([prior.centre, np.zeros((len(known), judges))])
    model = _Model(centre, known, rows, size)
    mode = model.climb()
    precision = model.precision(mode)
    narrower = np.linalg.slogdet(known)[1] - np.linalg.slogdet(precision)[1]
    likely = prior.log_weight + model.height(mode) + narrower / 2
    weight = np.exp(likely - likely.max())
    return NormalMixture(mode, precision, weight / weight.sum())


def _known(variance: Floats, judges: int) -> Floats:
    """Return the precision of strengths and biases before any verdict; shape (guesses, k, k)."""
    guesses, size = variance.shape
    known = np.zeros((guesses, size + judges, size + judges))
    known[:, range(size), range(size)] = 1 / variance
    bias = np.full((judges, judges), _BIAS_OF_ALL**2) + np.eye(judges) * _BIAS_OF_ONE**2
    known[:, size:, size:] = np.linalg.inv(bias)
    return known


class _Model:
    """The log posterior of each guess, its slope and its curvature."""

    def __init__(self, centre: Floats, known: Floats, rows: VerdictRows, candidates: int) -> None:
        self._centre, self._known, self._rows = centre, known, rows
        self._size = centre.shape[1]
        self._judge = rows.judge + candidates

    def climb(self) -> Floats:
        """Return the highest point of each guess; steps that lead down are halved."""
        here = self._centre.copy()
        height = self.height(here)
        for _ in range(_STEPS):
            step = np.linalg.solve(self.precision(here), self._slope(here)[..., None])[..., 0]
            length = np.ones(len(here))
            there, reached = here + step, self.height(here + step)
            while np.any(lower := reached < height - _CLOSE):
                length[lower] /= 2
                there = here + length[:, None] * step
                reached = self.height(there)
            moved = np.abs(there - here).max()
            here, height = there, reached
            if moved < _CLOSE:
                break
        return here

    def height(self, at: Floats) -> Floats:
        """Return the logarithm of prior times likelihood, but for a constant of each guess."""
        odds = self._odds(at)
        won, lost = self._rows.won, self._rows.weight - self._rows.won
        said = -(won * np.logaddexp(0, -odds) + lost * np.logaddexp(0, odds)).sum(axis=1)
        away = at - self._centre
        height: Floats = said - (away * self._pulled(away)).sum(axis=1) / 2
        return height

    def precision(self, at: Floats) -> Floats:
        """Return the negated second derivatives."""
        chance = _chance(self._odds(at))
        weight = self._rows.weight * chance * (1 - chance)
        a, b, judge, k = self._rows.first, self._rows.second, self._judge, self._size
        cells = [(a, a, 1), (b, b, 1), (judge, judge, 1), (a, b, -1), (b, a, -1),
                 (a, judge, 1), (judge, a, 1), (b, judge, -1), (judge, b, -1)]  # fmt: skip
        index = np.concatenate([one * k + other for one, other, _ in cells])
        value = np.hstack([sign * weight for *_, sign in cells])
        return self._known + _sums(index, value, k * k).reshape(-1, k, k)

    def _slope(self, at: Floats) -> Floats:
        rest = self._rows.won - self._rows.weight * _chance(self._odds(at))
        index = np.concatenate([self._rows.first, self._rows.second, self._judge])
        said = _sums(index, np.hstack([rest, -rest, rest]), self._size)
        return said - self._pulled(at - self._centre)

    def _pulled(self, away: Floats) -> Floats:
        pulled: Floats = (self._known @ away[..., None])[..., 0]
        return pulled

    def _odds(self, at: Floats) -> Floats:
        odds: Floats = at[:, self._rows.first] - at[:, self._rows.second] + at[:, self._judge]
        return odds


def _chance(odds: Floats) -> Floats:
    # Not by 1 / (1 + exp(-x)), which overflows.
    chance: Floats = (1 + np.tanh(odds / 2)) / 2
    return chance


def _sums(index: np.ndarray, value: Floats, size: int) -> Floats:
    """Return for each row of ``value`` the sums of its entries by index; shape (rows, size)."""
    shifted = index + size * np.arange(len(value))[:, None]
    sums = np.bincount(shifted.ravel(), weights=value.ravel(), minlength=size * len(value))
    # Of nothing at all they are integers.
    return sums.astype(np.float64).reshape(len(value), size)
