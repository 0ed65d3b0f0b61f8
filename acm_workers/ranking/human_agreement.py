"""Agreement of a judge with people, estimated from few votes and many predictions."""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from acm_workers.ranking.newton import Floats

_Z = NormalDist().inv_cdf(0.975)
_LEAST_VOTES = 2
_LEAST_FOR_PREDICTION = 30
"""Minimum number of votes for using predictions; with fewer, their weight is too uncertain."""


class AgreementInterval(NamedTuple):
    """A share from 0 to 1 with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """Return the width of the interval."""
        return self.high - self.low


class AgreementEstimate(NamedTuple):
    """The agreement of a judge with people.

    Attributes:
        best: Estimate from votes and predictions if predictions help, otherwise from votes alone.
        people: Estimate from votes alone.
        predicted: Whether ``best`` is based on predictions as well.
    """

    best: AgreementInterval
    people: AgreementInterval
    predicted: bool


def estimate(
    agreed: Floats, weight: Floats, predicted: Floats, everywhere: Floats
) -> AgreementEstimate | None:
    """Return the mean agreement over all pairs; None below two votes.

    The estimate is prediction-powered: the mean of the predictions over all pairs, corrected by
    their error as measured on votes. The weight of the predictions is tuned to the votes and shrunk
    by its expected value under chance, so that useless predictions change nothing. Below 30 votes,
    only votes count.

    Args:
        agreed: Agreement of each vote with the judge: 1, 0, or a half; shape (votes,).
        weight: Inverse of the probability of each voted pair, up to a constant.
        predicted: Predicted agreement of each voted pair, made without votes.
        everywhere: Predicted agreement of every pair; shape (pairs,).

    Source: Angelopoulos, Duchi, Zrnic, "PPI++: Efficient Prediction-Powered Inference" (2023);
    intervals with added observations: Agresti and Coull, The American Statistician 52 (1998).
    """
    if len(agreed) < _LEAST_VOTES:
        return None
    alone = _interval(agreed, weight, np.zeros(len(agreed)), 0.0, 0.0)
    tuned = _tuned(agreed, weight, predicted)
    if len(agreed) < _LEAST_FOR_PREDICTION or tuned == 0.0:
        return AgreementEstimate(alone, alone, predicted=False)
    spread = tuned**2 * float(everywhere.var()) / len(everywhere)
    shift = tuned * (predicted - everywhere.mean())
    both = _interval(agreed, weight, shift, spread, 1.0)
    if both.width >= alone.width:
        return AgreementEstimate(alone, alone, predicted=False)
    return AgreementEstimate(both, alone, predicted=True)


def _tuned(agreed: Floats, weight: Floats, predicted: Floats) -> float:
    """Return the weight of the predictions: the slope of agreement on them, shrunk."""
    share = weight / weight.sum()
    x, y = predicted - share @ predicted, agreed - share @ agreed
    xx, yy, xy = (float(share @ product) for product in (x * x, y * y, x * y))
    if xx <= 0 or yy <= 0:
        return 0.0
    explained = xy * xy / (xx * yy)
    if explained <= 0:
        return 0.0
    freedom = max(_effective(weight) - 2, 1.0)
    # James and Stein's: what is explained by chance is 1 / freedom.
    return xy / xx * max(0.0, 1 - (1 - explained) / (freedom * explained))


def _interval(
    agreed: Floats, weight: Floats, shift: Floats, spread: float, tuned: float
) -> AgreementInterval:
    """Return the weighted mean of ``agreed - shift`` with its interval.

    Args:
        agreed: See ``estimate``.
        weight: See ``estimate``.
        shift: Prediction for each vote, minus the mean prediction over all pairs.
        spread: Variance of that mean.
        tuned: Number of weights that were tuned.
    """
    effective = _effective(weight)
    reach = _student(max(effective - 1 - tuned, 1.0))
    value = float(np.clip(weight @ (agreed - shift) / weight.sum(), 0, 1))
    # One more vote that agrees and one that does not: else few equal votes would leave no doubt.
    added = 2.0
    unit = float(weight @ weight / weight.sum())
    total = float(weight.sum()) + added * unit
    middle = float(weight @ (agreed - shift) + added / 2 * unit) / total
    rest = agreed - shift - middle
    inside = float(weight**2 @ rest**2) * effective / max(effective - tuned, 1.0)
    outside = added * unit**2 * ((1 - middle) ** 2 + middle**2) / 2
    error = math.sqrt((inside + outside) / total**2 + spread)
    low, high = middle - reach * error, middle + reach * error
    return AgreementInterval(value, max(0.0, min(low, value)), min(1.0, max(high, value)))


def _effective(weight: Floats) -> float:
    """Return the effective sample size of weighted votes (Kish)."""
    return float(weight.sum() ** 2 / (weight @ weight))


def _student(freedom: float) -> float:
    """Return the 97.5 % quantile of Student's t distribution.

    Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.5; within 0.01 from
    three degrees of freedom on.
    """
    z, n = _Z, max(freedom, 3.0)
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )
