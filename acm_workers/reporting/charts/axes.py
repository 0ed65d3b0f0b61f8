"""Axes: round numbers for ticks, and labels that do not overlap."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

COLOURS = 6
"""Number of colours for series in the style sheet."""

_MOST_STEPS = 5


class Tick(NamedTuple):
    """A tick of an axis."""

    at: float
    label: str


def ticks(values: Sequence[float], finest: int = -2) -> list[float]:
    """Return a few round numbers around ``values``, ascending; at least two.

    Args:
        finest: Exponent of the smallest step, as a power of ten.
    """
    low, high = min(values), max(values)
    step = next(
        step
        for power in range(finest, 12)
        for step in (10.0**power, 2 * 10.0**power, 5 * 10.0**power)
        if (high - low) / step <= 5
    )
    first, last = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    return [round(step * number, -finest) for number in range(first, last + 1)]


def decades(low: float, high: float) -> list[float]:
    """Return a few round numbers around ``low`` and ``high``, in about equal ratios.

    Args:
        low: Lower end; above 0.
        high: Upper end; above ``low``.
    """
    lowest, highest = floor(log10(low)), ceil(log10(high))
    # The logarithm of a number beside a power of ten is rounded to that power's.
    lowest -= float(f"1e{lowest}") > low
    highest += float(f"1e{highest}") < high
    powers = range(lowest, highest + 1)
    steps = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    first = max(index for index, step in enumerate(steps) if step <= low)
    last = min(index for index, step in enumerate(steps) if step >= high)
    if last - first <= _MOST_STEPS:
        return steps[first : last + 1]
    stride = ceil((len(powers) - 1) / _MOST_STEPS)
    beyond = powers[-1] + stride
    return [float(f"1e{power}") for power in range(powers[0], beyond, stride)]


def spread_apart(places: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Move ``places`` so that neighbours are at least ``gap`` apart, between top and bottom."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = [0.0] * len(places)
    edge = top - gap
    for index in order:
        edge = moved[index] = max(places[index], edge + gap)
    edge = bottom + gap
    for index in reversed(order):
        edge = moved[index] = min(moved[index], edge - gap)
    return [round(place, 1) for place in moved]
