"""Geometry of the charts; the templates only place what is computed here."""

from collections.abc import Sequence
from math import ceil, floor
from typing import NamedTuple

WIDTH, HEIGHT = 720, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 230, 12, 36
_LABEL_GAP = 15.0
COLOURS = 6


class Bar(NamedTuple):
    """A horizontal bar; ``start`` and ``width`` are percents of the chart's width."""

    label: str
    value: float
    start: float
    width: float
    winner: bool
    combined: bool


class Interval(NamedTuple):
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


class Tick(NamedTuple):
    """A line of an axis."""

    at: float
    label: str


class Line(NamedTuple):
    """One polyline with its label at the right end.

    Attributes:
        colour: From 0; colours repeat after ``COLOURS``, then dashed.
        label_y: Moved away from its neighbours, so that no two labels overlap.
    """

    label: str
    last: float
    points: str
    end_x: float
    end_y: float
    label_y: float
    colour: int
    dashed: bool


class Lines(NamedTuple):
    """A line chart of ``WIDTH`` × ``height``."""

    width: int
    height: int
    left: int
    right: int
    bottom: int
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]
    left_out: int


def spans(values: Sequence[float], base: float) -> list[tuple[float, float]]:
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


def places(values: Sequence[float]) -> list[float]:
    """Place values on an axis from the lowest to the highest, in percent."""
    low, high = min(values), max(values)
    reach = (high - low) or 1.0
    return [round(100 * (value - low) / reach, 2) for value in values]


def lines(series: Sequence[tuple[str, Sequence[float]]], left_out: int) -> Lines | None:
    """Draw ``series`` of (label, values at 0, 1, 2, ...); nothing to draw is None."""
    longest = max((len(values) for _, values in series), default=0)
    if longest < 2:
        return None
    height = max(HEIGHT, ceil(len(series) * _LABEL_GAP) + _TOP + _BOTTOM)
    floor_y, right = height - _BOTTOM, WIDTH - _RIGHT
    marks = ticks([value for _, values in series for value in values])
    low, high = marks[0], marks[-1]

    def x(step: int) -> float:
        return round(_LEFT + (right - _LEFT) * step / (longest - 1), 1)

    def y(value: float) -> float:
        return round(floor_y - (floor_y - _TOP) * (value - low) / (high - low), 1)

    ends = apart([y(values[-1]) for _, values in series], _LABEL_GAP, _TOP + 4, floor_y)
    drawn = tuple(
        Line(
            label=label,
            last=values[-1],
            points=" ".join(f"{x(step)},{y(value)}" for step, value in enumerate(values)),
            end_x=x(len(values) - 1),
            end_y=y(values[-1]),
            label_y=ends[index],
            colour=index % COLOURS,
            dashed=index >= COLOURS,
        )
        for index, (label, values) in enumerate(series)
    )
    stride = max(1, ceil((longest - 1) / 8))
    return Lines(
        width=WIDTH,
        height=height,
        left=_LEFT,
        right=right,
        bottom=floor_y,
        x_ticks=tuple(Tick(x(step), str(step)) for step in range(0, longest, stride)),
        y_ticks=tuple(Tick(y(mark), f"{mark:g}") for mark in marks),
        lines=drawn,
        left_out=left_out,
    )


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
