"""Bars and intervals on one axis, in percent of its width."""

from collections.abc import Sequence
from typing import NamedTuple


class ScoreBar(NamedTuple):
    """A horizontal bar; ``start`` and ``width`` are percents of the chart's width."""

    label: str
    value: float
    start: float
    width: float
    winner: bool
    combined: bool


class StrengthInterval(NamedTuple):
    """An interval with its middle; places are percents of the chart's width."""

    label: str
    value: float
    low: float
    high: float
    start: float
    width: float
    middle: float
    winner: bool
    combined: bool


def place_bars(values: Sequence[float], base: float) -> list[tuple[float, float]]:
    """Place bars that grow from ``base`` to each value: (start, width) in percent."""
    low, high = min(*values, base), max(*values, base)
    reach = (high - low) or 1.0
    return [
        (
            round(100 * (min(value, base) - low) / reach, 2),
            round(100 * abs(value - base) / reach, 2),
        )
        for value in values
    ]


def place_values(values: Sequence[float]) -> list[float]:
    """Place values on an axis from the lowest to the highest, in percent."""
    low, high = min(values), max(values)
    reach = (high - low) or 1.0
    return [round(100 * (value - low) / reach, 2) for value in values]
