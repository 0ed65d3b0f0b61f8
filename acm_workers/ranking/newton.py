"""Newton's method for strictly concave log likelihoods of logistic models, many at once."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_SETTLED = 1e-6
"""Maximum size of the last step, in logits; the remaining error is about its square, far below
0.001 Elo points."""
_MAX_STEPS = 200


class LogisticModels(Protocol):
    """A batch of models with ``n`` parameters each, which are solved independently."""

    def derivatives(self, chosen: Indices, at: Floats) -> tuple[Floats, Floats]:
        """Return the gradient and the negated Hessian of the log likelihoods.

        Args:
            chosen: Indices of the models; shape (k,).
            at: Parameters of these models; shape (k, n).

        Returns:
            Shapes (k, n) and (k, n, n); the negated Hessians are positive definite.
        """

    def largest_change(self, step: Floats) -> Floats:
        """Return the largest change of any log odds of each model by a step; shape (k,)."""


def maximise(models: LogisticModels, start: Floats) -> Floats:
    """Return the maximum-likelihood parameters of each model, shape (models, n).

    Newton's step is shortened by ln(1 + r) / r, where r is the largest change of any log odds: the
    curvature of such a likelihood changes by a factor of at most exp(r) along the step, so every
    step increases the likelihood without a line search.

    Args:
        models: Models with a strictly concave likelihood, so that each has one maximum.
        start: Initial parameters; shape (models, n).

    Raises:
        ArithmeticError: The steps did not converge.

    Source: Sun and Tran-Dinh, "Generalized self-concordant functions: a recipe for Newton-type
    methods", Mathematical Programming 178 (2019).
    """
    found = start.copy()
    moving = np.arange(len(found))
    for _ in range(_MAX_STEPS):
        gradient, curvature = models.derivatives(moving, found[moving])
        step = np.asarray(np.linalg.solve(curvature, gradient[..., None])[..., 0], np.float64)
        change = np.maximum(models.largest_change(step), np.finfo(np.float64).tiny)
        step *= (np.log1p(change) / change)[:, None]
        found[moving] += step
        moving = moving[np.abs(step).max(axis=1, initial=0.0) > _SETTLED]
        if not moving.size:
            return found
    raise ArithmeticError(f"Newton's method did not settle in {_MAX_STEPS} steps")
