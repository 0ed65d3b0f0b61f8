"""Points over two axes: what something costs, and how good it is."""

from collections.abc import Sequence
from math import log10
from typing import NamedTuple

from acm_workers.reporting.charts.axes import COLOURS, Tick, decades, ticks

WIDTH, HEIGHT = 480, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 466, 16, 276
_WIDE_COSTS = 20.0
"""From this ratio of the highest cost to the lowest the axis is logarithmic."""

_MARK_WIDTH, _MARK_HEIGHT, _DOT, _GAP = 8.0, 12.0, 5.0, 3.0
_MOST_X_TICKS = 5


class ScatterPoint(NamedTuple):
    """What is drawn as one dot.

    Attributes:
        mark: What stands beside the dot, such as a rank.
        group: Those of one group have one colour.
        usd: Not below 0.
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
    """A spot in its place.

    Attributes:
        low_y: Lower end of its interval; absent like ``high_y`` where there is none.
        mark: Middle of the base line of its mark; absent where there is no room for it.
        colour: From 0; absent for the groups that there is no colour left for.
    """

    spot: ScatterPoint
    x: float
    y: float
    low_y: float | None
    high_y: float | None
    mark: tuple[float, float] | None
    colour: int | None


class ScatterChart(NamedTuple):
    """A chart of ``WIDTH`` × ``HEIGHT``.

    Attributes:
        groups: Those that have a colour, in the order of the colours.
        uncoloured: How many groups have none.
        logarithmic: Whether equal distances of costs are equal ratios.
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


class _Scale(NamedTuple):
    """From ``low`` at ``start`` to ``high`` at ``end``."""

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


def scatter(spots: Sequence[ScatterPoint]) -> ScatterChart | None:
    """Draw ``spots``, the first ones in front; None where there is no cost to tell apart."""
    if not any(spot.usd for spot in spots):
        return None
    x, x_marks = _costs([spot.usd for spot in spots])
    ends = [end for spot in spots for end in (spot.quality, spot.low, spot.high)]
    y_marks = ticks([end for end in ends if end is not None])
    y = _Scale(y_marks[0], y_marks[-1], _BOTTOM, _TOP)
    groups = tuple(dict.fromkeys(spot.group for spot in spots))
    places = [(x(spot.usd), y(spot.quality)) for spot in spots]
    beside = marks(places, [spot.mark for spot in spots])
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
            _dot(spot, place, mark, groups.index(spot.group), y)
            for spot, place, mark in zip(spots, places, beside, strict=True)
        ),
        groups=groups[:COLOURS],
        uncoloured=max(0, len(groups) - COLOURS),
        logarithmic=x.logarithmic,
    )


def _dot(
    spot: ScatterPoint,
    place: tuple[float, float],
    mark: tuple[float, float] | None,
    colour: int,
    y: _Scale,
) -> ScatterDot:
    return ScatterDot(
        spot=spot,
        x=place[0],
        y=place[1],
        low_y=None if spot.low is None else y(spot.low),
        high_y=None if spot.high is None else y(spot.high),
        mark=mark,
        colour=colour if colour < COLOURS else None,
    )


def marks(
    places: Sequence[tuple[float, float]], texts: Sequence[str]
) -> list[tuple[float, float] | None]:
    """Find a place beside each dot where its mark covers no dot and no other mark.

    Returns:
        The middle of the base line of each; None where there is no room.
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
    """Return the scale of costs and its round numbers; costs that are far apart are shown by ratio.

    An axis that is not logarithmic begins at 0, so that twice as far is twice as dear.
    """
    low, high = min(costs), max(costs)
    logarithmic = low > 0 and high >= _WIDE_COSTS * low
    round_ones = decades(low, high) if logarithmic else ticks([0.0, high], finest=-9)
    scale = _Scale(round_ones[0], round_ones[-1], _LEFT, _RIGHT, logarithmic)
    return scale, round_ones[:: 1 if len(round_ones) <= _MOST_X_TICKS else 2]


def price(usd: float) -> str:
    """Write a round number of dollars with as many digits as it has."""
    return f"${usd:,.9f}".rstrip("0").rstrip(".")
