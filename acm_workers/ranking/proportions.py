"""Shares: how often something happened, and between what the true rate lies."""

from math import sqrt
from typing import NamedTuple

_Z = 1.96


class Proportion(NamedTuple):
    """How many of a number, with the 95 % Wilson interval of the rate.

    Attributes:
        hits: How often it happened.
        of: How often it could have; at least 1.
        value: The one through the other.
    """

    hits: int
    of: int
    value: float
    low: float
    high: float

    @property
    def excludes_half(self) -> bool:
        """Return whether chance alone, one in two, would hardly give this share."""
        return not self.low <= 0.5 <= self.high


def share(hits: int, of: int) -> Proportion | None:
    """Return ``hits`` as a share; None where it could not happen at all.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927).
    """
    if of == 0:
        return None
    value, squared = hits / of, _Z * _Z / of
    middle = value + squared / 2
    reach = _Z * sqrt(value * (1 - value) / of + squared / (4 * of))
    low = max(0.0, (middle - reach) / (1 + squared))
    return Proportion(hits, of, value, low, min(1.0, (middle + reach) / (1 + squared)))
