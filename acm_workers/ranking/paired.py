"""Paired differences: the mean of one difference per document, its interval, its conclusion.

Documents are independent of each other, but the scores of one document are not. Each document
therefore gives one difference, and the spread of the differences includes the noise of judges and
of texts.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, variance
from typing import Literal, NamedTuple

TOGETHER = 0.95
"""Joint confidence level of all intervals of a comparison."""

FOUND = 0.8
"""Statistical power of ``MeanDifference.detectable``."""

_NEARLY_NORMAL = 1000
_HALVINGS = 60

Direction = Literal["better", "worse", "no difference seen"]


class MeanDifference(NamedTuple):
    """The mean of paired differences.

    Attributes:
        pairs: Number of pairs; at least 1.
        low: Lower end of the interval; absent for a single pair, which has no spread.
        high: Upper end of the interval.
        detectable: The true difference for which an interval of this width excludes 0 with
            probability ``FOUND``; absent if ``low`` is absent.
    """

    pairs: int
    mean: float
    low: float | None
    high: float | None
    detectable: float | None = None

    @property
    def direction(self) -> Direction:
        """Return on which side of 0 the whole interval lies."""
        if self.low is None or self.high is None or self.low <= 0 <= self.high:
            return "no difference seen"
        return "better" if self.low > 0 else "worse"


def mean_difference(
    differences: Sequence[float], *, endpoints: int = 1, least_sd: float = 0.0
) -> MeanDifference | None:
    """Return the mean difference with Student's interval; None without any pair.

    Args:
        differences: One difference for each document.
        endpoints: Number of intervals that hold simultaneously; each is widened (Bonferroni).
        least_sd: Lower bound of the standard deviation of one difference, because a few differences
            may agree by chance.
    """
    pairs = len(differences)
    if not pairs:
        return None
    mean = fmean(differences)
    if pairs == 1:
        return MeanDifference(1, mean, None, None)
    error = max(math.sqrt(variance(differences)), least_sd) / math.sqrt(pairs)
    reach = t_quantile(1 - (1 - TOGETHER) / endpoints, pairs - 1) * error
    beyond = t_quantile(2 * FOUND - 1, pairs - 1) * error
    return MeanDifference(pairs, mean, mean - reach, mean + reach, reach + beyond)


def conclusion(measures: Sequence[MeanDifference]) -> Direction:
    """Return the direction of the first measure that differs from 0; the order is by priority."""
    told = (one.direction for one in measures)
    return next((one for one in told if one != "no difference seen"), "no difference seen")


def t_quantile(inside: float, freedom: int) -> float:
    """Return the two-sided quantile of Student's t distribution.

    Args:
        inside: Probability of a value from -t to t; above 0 and below 1.
        freedom: Degrees of freedom; at least 1.
    """
    if freedom > _NEARLY_NORMAL:
        return NormalDist().inv_cdf((1 + inside) / 2)
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _inside(middle, freedom) < inside:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)


def _inside(angle: float, freedom: int) -> float:
    """Return the probability of values within t, for the angle whose tangent is t / sqrt(freedom).

    Source: Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3 and 26.7.4.
    """
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    if freedom == 1:
        return 2 * angle / math.pi
    term = cosine if odd else 1.0
    total = term
    for step in range(2 + odd, freedom - 1, 2):
        term *= cosine**2 * (step - 1) / step
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
