"""Radar charts: a polygon for each of a few candidates, a spoke for each criterion."""

import textwrap
import unicodedata
from collections.abc import Sequence
from math import cos, pi, sin
from typing import NamedTuple

from acm_workers.reporting.charts.axes import COLOURS, ticks

WIDTH, HEIGHT = 480, 310
FEWEST, MOST = 3, 12
"""Minimum and maximum number of spokes: fewer enclose no area, and labels of more overlap."""

_X, _Y, _RADIUS = WIDTH / 2, HEIGHT / 2, 110.0
_LABEL_AT = 14.0
_LINE_HEIGHT = 14.0
_COLUMNS, _LINES = 16, 2


class RadarAxis(NamedTuple):
    """One criterion and the ends of its scale."""

    name: str
    low: float
    high: float


class RadarSpoke(NamedTuple):
    """A criterion's line from the middle to the rim.

    Attributes:
        words: The label, line by line.
        label_y: Position of the first line.
    """

    name: str
    words: tuple[str, ...]
    x: float
    y: float
    label_x: float
    label_y: float
    anchor: str


class RadarRing(NamedTuple):
    """A round number of the scale, as a polygon; its label is on the first spoke."""

    points: str
    y: float
    label: str


class RadarPolygon(NamedTuple):
    """A candidate's polygon."""

    label: str
    points: str
    colour: int
    winner: bool


class RadarChart(NamedTuple):
    """A radar of ``WIDTH`` × ``HEIGHT``.

    Attributes:
        x: Horizontal position of the middle; ``y`` is the vertical one.
        middle: Value at the middle, formatted like the ring labels.
        outlines: Best first.
    """

    width: int
    height: int
    x: float
    y: float
    spokes: tuple[RadarSpoke, ...]
    rings: tuple[RadarRing, ...]
    middle: str
    outlines: tuple[RadarPolygon, ...]


class _Scale(NamedTuple):
    """Values at the middle and at the rim."""

    middle: float
    rim: float
    unit: str

    def radius(self, value: float) -> float:
        return _RADIUS * (value - self.middle) / (self.rim - self.middle)

    def written(self, value: float) -> str:
        return f"{value:g}{self.unit}"


def radar(
    axes: Sequence[RadarAxis], series: Sequence[tuple[str, bool, Sequence[float]]]
) -> RadarChart:
    """Draw ``series`` of (label, whether it is the winner, a value for each axis).

    If the axes share one scale, the rings are scores; otherwise percentages of each scale. The
    middle is zero, so that a small difference looks small.
    """
    shared = len({(axis.low, axis.high) for axis in axes}) == 1
    rim = axes[0].high if shared else 100.0
    placed = [
        values if shared else [_percent(*pair) for pair in zip(axes, values, strict=True)]
        for _, _, values in series
    ]
    marks = ticks([min([0.0, *(value for values in placed for value in values)]), rim])
    scale = _Scale(marks[0], marks[-1], "" if shared else " %")
    return RadarChart(
        width=WIDTH,
        height=HEIGHT,
        x=_X,
        y=_Y,
        spokes=tuple(_spoke(axis.name, index, len(axes)) for index, axis in enumerate(axes)),
        rings=tuple(_ring(mark, scale, len(axes)) for mark in marks[1:]),
        middle=scale.written(scale.middle),
        outlines=tuple(
            _outline(label, [scale.radius(value) for value in values], index, winner=winner)
            for index, ((label, winner, _), values) in enumerate(zip(series, placed, strict=True))
        ),
    )


def wrapped(name: str) -> tuple[str, ...]:
    """Break a label into a few lines; letters of double width count as two."""
    wide = any(unicodedata.east_asian_width(letter) in "WF" for letter in name)
    columns = _COLUMNS // 2 if wide else _COLUMNS
    lines = textwrap.wrap(name, columns)
    if len(lines) > _LINES:
        lines[_LINES - 1] = f"{lines[_LINES - 1][: columns - 1]}…"
    return tuple(lines[:_LINES])


def _percent(axis: RadarAxis, value: float) -> float:
    return 100 * (value - axis.low) / (axis.high - axis.low)


def _polygon(radii: Sequence[float]) -> str:
    """Place one corner on each spoke; the first spoke points upwards, the others go clockwise."""
    turns = [2 * pi * index / len(radii) for index in range(len(radii))]
    return " ".join(
        f"{_X + radius * sin(turn):.1f},{_Y - radius * cos(turn):.1f}"
        for radius, turn in zip(radii, turns, strict=True)
    )


def _ring(mark: float, scale: _Scale, count: int) -> RadarRing:
    radius = scale.radius(mark)
    return RadarRing(_polygon([radius] * count), round(_Y - radius, 1), scale.written(mark))


def _outline(label: str, radii: Sequence[float], index: int, *, winner: bool) -> RadarPolygon:
    return RadarPolygon(label, _polygon(radii), index % COLOURS, winner)


def _spoke(name: str, index: int, count: int) -> RadarSpoke:
    turn = 2 * pi * index / count
    across, up = sin(turn), cos(turn)
    words = wrapped(name)
    anchor = "middle" if abs(across) < 0.01 else "start" if across > 0 else "end"
    # Below the rim the first line begins there, above it the last one ends there.
    lift = (len(words) - 1) * _LINE_HEIGHT * (1 + up) / 2
    return RadarSpoke(
        name=name,
        words=words,
        x=round(_X + _RADIUS * across, 1),
        y=round(_Y - _RADIUS * up, 1),
        label_x=round(_X + (_RADIUS + _LABEL_AT) * across, 1),
        label_y=round(_Y - (_RADIUS + _LABEL_AT) * up + 4 - lift, 1),
        anchor=anchor,
    )
