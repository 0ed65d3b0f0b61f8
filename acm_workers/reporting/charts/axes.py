"""Axes: round numbers, and labels that keep apart."""

from collections.abc import Sequence
from math import ceil, floor
from typing import NamedTuple

COLOURS = 6
"""Colours that the style sheet has for series."""


class Tick(NamedTuple):
    """A line of an axis."""

    at: float
    label: str


def ticks(values: Sequence[float]) -> list[float]:
    """Return a handful of round numbers around ``values``, ascending; at least two."""
    low, high = min(values), max(values)
    step = next(
        step
        for power in range(-2, 12)
        for step in (10.0**power, 2 * 10.0**power, 5 * 10.0**power)
        if (high - low) / step <= 5
    )
    first, last = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    return [round(step * number, 2) for number in range(first, last + 1)]


def apart(places: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Move ``places`` so that neighbours are at least ``gap`` apart, within top and bottom."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = [0.0] * len(places)
    edge = top - gap
    for index in order:
        edge = moved[index] = max(places[index], edge + gap)
    edge = bottom + gap
    for index in reversed(order):
        edge = moved[index] = min(moved[index], edge - gap)
    return [round(place, 1) for place in moved]
