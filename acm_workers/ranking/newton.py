"""Newton's method for Bradley-Terry strengths, of many tables at once."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SETTLED = 1e-5
"""Largest last step in nats: what is left is about its square, far below 0.001 points."""
_MOST_STEPS = 200
_EPSILON = np.finfo(np.float64).eps


class Tables:
    """Tables of games, each with its prior: games of every player with a reference of strength 0.

    Args:
        wins: Shape (tables, n, n); how often each row beat each column, a tie half on both sides.
        prior_wins: Shape (tables, n); how often each player beat the reference; above 0.
        prior_losses: How often it lost to the reference; above 0.
    """

    def __init__(self, wins: Floats, prior_wins: Floats, prior_losses: Floats) -> None:
        self._points = wins.sum(axis=2) + prior_wins
        self._games = wins + wins.transpose(0, 2, 1)
        self._prior = prior_wins + prior_losses

    def strengths(self, start: Floats) -> Floats:
        """Return the most likely strengths in nats, shape (tables, n).

        The priors make each likelihood strictly concave, so it has one finite maximum.

        Args:
            start: Shape (n,); where to begin.

        Raises:
            ArithmeticError: Not settled after many steps.
        """
        found = np.tile(start, (len(self._points), 1))
        moving = np.arange(len(found))
        for _ in range(_MOST_STEPS):
            step = self._step(moving, found[moving])
            found[moving] += step
            moving = moving[np.abs(step).max(axis=1, initial=0.0) > _SETTLED]
            if not moving.size:
                return found
        raise ArithmeticError(f"Bradley-Terry strengths did not settle in {_MOST_STEPS} steps")

    def _step(self, chosen: NDArray[np.intp], at: Floats) -> Floats:
        """Return how far to go from ``at``, so that every step is uphill.

        Newton's step is shortened by ln(1 + r) / r where r is the most that it moves two players
        apart: likelihoods of this kind change their curvature by no more than a factor of exp(r)
        on the way. Source: Sun and Tran-Dinh, "Generalized self-concordant functions: a recipe
        for Newton-type methods", Mathematical Programming 178 (2019).
        """
        games, prior = self._games[chosen], self._prior[chosen]
        odds = np.exp(at)
        chance = odds[:, :, None] / (odds[:, :, None] + odds[:, None, :])
        chance_prior = odds / (odds + 1)
        expected = games * chance
        points = self._points[chosen]
        slope = points - expected.sum(axis=2) - prior * chance_prior
        # What rounding leaves of a sum is no slope: a weak prior would make long steps of it.
        slope[np.abs(slope) <= 4 * at.shape[1] * _EPSILON * points] = 0.0
        curve = expected * (1 - chance)
        diagonal = np.arange(at.shape[1])
        bend = curve.sum(axis=2) + prior * chance_prior * (1 - chance_prior)
        curve *= -1
        curve[:, diagonal, diagonal] += bend
        step: Floats = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
        apart = np.maximum(step.max(axis=1), 0) - np.minimum(step.min(axis=1), 0)
        apart = np.maximum(apart, np.finfo(np.float64).tiny)
        step *= (np.log1p(apart) / apart)[:, None]
        return step
