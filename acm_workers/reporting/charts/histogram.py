"""Histograms of scores over candidates."""

from collections.abc import Sequence
from math import ceil, floor
from typing import NamedTuple

_MOST_BINS = 24


class HistogramBin(NamedTuple):
    """Scores from ``low`` to below ``high``; the last bin includes its end.

    Attributes:
        height: Height in percent of the highest bin.
        winner: Whether the bin contains the winner's score.
    """

    low: float
    high: float
    number: int
    height: float
    winner: bool


def histogram(
    values: Sequence[float], winner: float | None, low: float, high: float
) -> tuple[HistogramBin, ...]:
    """Count ``values`` on a scale from ``low`` to ``high``, in bins of a round width."""
    width = next(step for step in (0.25, 0.5, 1, 2, 5, 10, 20, 50, (high - low) or 1.0)
                 if (high - low) / step <= _MOST_BINS)  # fmt: skip
    first, last = floor(low / width), max(ceil(high / width), floor(low / width) + 1)
    counts = [0] * (last - first)

    def place(value: float) -> int:
        return min(max(floor(value / width) - first, 0), len(counts) - 1)

    for value in values:
        counts[place(value)] += 1
    most = max(counts) or 1
    return tuple(
        HistogramBin(
            low=(first + index) * width,
            high=(first + index + 1) * width,
            number=count,
            height=round(100 * count / most, 1),
            winner=winner is not None and place(winner) == index,
        )
        for index, count in enumerate(counts)
    )
