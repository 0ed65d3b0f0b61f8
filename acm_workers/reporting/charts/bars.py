"""Bars and intervals on one axis, in percent of its width."""

from collections.abc import Sequence
from typing import NamedTuple


class ScoreBar(NamedTuple):
    """A horizontal bar from zero; ``width`` is a percentage of the scale."""

    label: str
    anchor: str
    value: float
    width: float
    winner: bool
    combined: bool


class StrengthInterval(NamedTuple):
    """An interval with its middle; places are percentages of the chart's width."""

    label: str
    value: float
    low: float
    high: float
    start: float
    width: float
    middle: float
    winner: bool
    combined: bool


def place_values(values: Sequence[float]) -> list[float]:
    """Place values on an axis from the lowest to the highest, in percent."""
    low, high = min(values), max(values)
    reach = (high - low) or 1.0
    return [round(100 * (value - low) / reach, 2) for value in values]
