"""Line charts of values over steps."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from acm_workers.reporting.charts.axes import COLOURS, Tick, spread_apart, ticks

WIDTH, HEIGHT = 720, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 230, 12, 36
_LABEL_GAP = 15.0


class RatingLine(NamedTuple):
    """One polyline with its label at the right end.

    Attributes:
        colour: Index from 0; after ``COLOURS`` the colours repeat with dashed lines.
        label_y: Position of the label, moved so that no two labels overlap.
    """

    label: str
    last: float
    points: str
    end_x: float
    end_y: float
    label_y: float
    colour: int
    dashed: bool


class LineChart(NamedTuple):
    """A line chart of ``WIDTH`` × ``height``."""

    width: int
    height: int
    left: int
    right: int
    bottom: int
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[RatingLine, ...]
    left_out: int


def lines(series: Sequence[tuple[str, Sequence[float]]], left_out: int) -> LineChart | None:
    """Draw ``series`` of (label, values at 0, 1, 2, ...); None if there is nothing to draw."""
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

    ends = spread_apart([y(values[-1]) for _, values in series], _LABEL_GAP, _TOP + 4, floor_y)
    drawn = tuple(
        RatingLine(
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
    return LineChart(
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
