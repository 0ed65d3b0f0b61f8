"""Scatter charts of cost and quality."""

from collections.abc import Sequence
from itertools import pairwise
from math import log10
from typing import NamedTuple

from acm_workers.reporting.charts.axes import COLOURS, Tick, decades, ticks

WIDTH, HEIGHT = 480, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 466, 16, 276
_WIDE_COSTS = 20.0
"""Minimum ratio of the highest cost to the lowest for a logarithmic axis."""

_MARK_WIDTH, _MARK_HEIGHT, _DOT, _GAP = 8.0, 12.0, 5.0, 3.0
_MOST_X_TICKS = 5


class ScatterPoint(NamedTuple):
    """A point to draw.

    Attributes:
        mark: Text beside the dot, such as a rank.
        group: Points of one group have one colour.
        usd: Cost; at least 0.
        low: Lower end of the interval of ``quality``, if it is known; ``high`` is the upper one.
    """

    label: str
    mark: str
    group: str
    winner: bool
    usd: float
    quality: float
    low: float | None = None
    high: float | None = None


class ScatterDot(NamedTuple):
    """A drawn point.

    Attributes:
        low_y: Lower end of the interval; absent, like ``high_y``, without an interval.
        mark: Middle of the base line of the mark; absent if there is no space for the mark.
        colour: Number of the colour, from 0; absent for groups beyond the number of colours.
    """

    point: ScatterPoint
    x: float
    y: float
    low_y: float | None
    high_y: float | None
    mark: tuple[float, float] | None
    colour: int | None


class ScatterChart(NamedTuple):
    """A chart of ``WIDTH`` × ``HEIGHT``.

    Attributes:
        groups: Groups that have a colour, in the order of the colours.
        uncoloured: Number of groups without a colour.
        logarithmic: Whether the cost axis is logarithmic.
        front: Corners of the Pareto front, the line through the points for which no other point is
            both cheaper and better; empty for a single point.
    """

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    dots: tuple[ScatterDot, ...]
    groups: tuple[str, ...]
    uncoloured: int
    logarithmic: bool
    front: str


class _Scale(NamedTuple):
    """A scale from ``low`` at ``start`` to ``high`` at ``end``."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        low, high, value = (
            (log10(self.low), log10(self.high), log10(value))
            if self.logarithmic
            else (self.low, self.high, value)
        )
        return round(self.start + (self.end - self.start) * (value - low) / (high - low), 1)


def scatter(points: Sequence[ScatterPoint]) -> ScatterChart | None:
    """Draw ``points``, the first points on top; None if all costs are 0."""
    if not any(point.usd for point in points):
        return None
    x, x_marks = _costs([point.usd for point in points])
    ends = [end for point in points for end in (point.quality, point.low, point.high)]
    y_marks = ticks([end for end in ends if end is not None])
    y = _Scale(y_marks[0], y_marks[-1], _BOTTOM, _TOP)
    groups = tuple(dict.fromkeys(point.group for point in points))
    places = [(x(point.usd), y(point.quality)) for point in points]
    beside = marks(places, [point.mark for point in points])
    return ScatterChart(
        width=WIDTH,
        height=HEIGHT,
        left=_LEFT,
        right=_RIGHT,
        top=_TOP,
        bottom=_BOTTOM,
        x_ticks=tuple(Tick(x(mark), price(mark)) for mark in x_marks),
        y_ticks=tuple(Tick(y(mark), f"{mark:g}") for mark in y_marks),
        dots=tuple(
            _dot(point, place, mark, groups.index(point.group), y)
            for point, place, mark in zip(points, places, beside, strict=True)
        ),
        groups=groups[:COLOURS],
        uncoloured=max(0, len(groups) - COLOURS),
        logarithmic=x.logarithmic,
        front=_front([(point.usd, point.quality) for point in points], places),
    )


def _front(values: Sequence[tuple[float, float]], places: Sequence[tuple[float, float]]) -> str:
    """Return the Pareto front of (cost, quality) as steps between its ``places``."""
    order = sorted(range(len(values)), key=lambda index: (values[index][0], -values[index][1]))
    front: list[tuple[float, float]] = []
    best: float | None = None
    for index in order:
        if best is None or values[index][1] > best:
            best = values[index][1]
            front.append(places[index])
    if len(front) < 2:
        return ""
    corners = [front[0]]
    for (_, before_y), (x, y) in pairwise(front):
        corners += [(x, before_y), (x, y)]
    return " ".join(f"{x},{y}" for x, y in corners)


def _dot(
    point: ScatterPoint,
    place: tuple[float, float],
    mark: tuple[float, float] | None,
    colour: int,
    y: _Scale,
) -> ScatterDot:
    return ScatterDot(
        point=point,
        x=place[0],
        y=place[1],
        low_y=None if point.low is None else y(point.low),
        high_y=None if point.high is None else y(point.high),
        mark=mark,
        colour=colour if colour < COLOURS else None,
    )


def marks(
    places: Sequence[tuple[float, float]], texts: Sequence[str]
) -> list[tuple[float, float] | None]:
    """Find a place beside each dot where its mark covers no dot and no other mark.

    Returns:
        The middle of the base line of each mark; None if there is no space.
    """
    taken = [_box(x, y, 2 * _DOT, 2 * _DOT) for x, y in places]
    found: list[tuple[float, float] | None] = []
    for (x, y), text in zip(places, texts, strict=True):
        width = _MARK_WIDTH * len(text)
        aside, over = _DOT + _GAP + width / 2, _DOT + _GAP + _MARK_HEIGHT / 2
        around = [(x + aside, y), (x - aside, y), (x, y - over), (x, y + over)]
        around += [(x + sign * aside, y + rise * over) for sign in (1, -1) for rise in (-1, 1)]
        free = (
            (middle, box)
            for middle in around
            for box in [_box(*middle, width, _MARK_HEIGHT)]
            if _inside(box) and not any(_overlap(box, other) for other in taken)
        )
        middle, box = next(free, (None, None))
        if box is not None:
            taken.append(box)
        found.append(None if middle is None else (round(middle[0], 1), round(middle[1] + 4, 1)))
    return found


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


def _box(x: float, y: float, width: float, height: float) -> _Box:
    return _Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _inside(box: _Box) -> bool:
    return box.left >= _LEFT and box.right <= WIDTH and box.top >= 0 and box.bottom <= _BOTTOM


def _overlap(one: _Box, two: _Box) -> bool:
    beside = one.right <= two.left or two.right <= one.left
    return not (beside or one.bottom <= two.top or two.bottom <= one.top)


def _costs(costs: Sequence[float]) -> tuple[_Scale, list[float]]:
    """Return the scale of costs and its round numbers; logarithmic if costs are far apart.

    A linear axis starts at 0, so that twice the distance is twice the cost.
    """
    low, high = min(costs), max(costs)
    logarithmic = low > 0 and high >= _WIDE_COSTS * low
    ticks_usd = decades(low, high) if logarithmic else ticks([0.0, high], finest=-9)
    scale = _Scale(ticks_usd[0], ticks_usd[-1], _LEFT, _RIGHT, logarithmic)
    return scale, ticks_usd[:: 1 if len(ticks_usd) <= _MOST_X_TICKS else 2]


def price(usd: float) -> str:
    """Format a round number of dollars with as many digits as it has."""
    return f"${usd:,.9f}".rstrip("0").rstrip(".")
