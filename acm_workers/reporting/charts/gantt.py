"""Gantt charts: bars on a time axis, in percent of its width, with long gaps cut."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from acm_workers.reporting.charts.axes import Tick

_JOINED = 0.005
"""Maximum width of a gap between two bars that is closed, as a share of the axis."""

_LONG_GAP, _CUT_WIDTH, _MOST_CUTS = 0.5, 4.0, 5
"""Minimum length of a cut gap, as a share of all busy time; width of a cut in percent; maximum
number of cuts."""

_STEPS_S = (
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30,
    60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 604_800,
)  # fmt: skip
_MOST_TICKS, _TICKS_APART = 6, 11.0


class TimeSpan(NamedTuple):
    """Start and end in seconds since the start of the run."""

    start: float
    end: float


class TimeBar(NamedTuple):
    """A bar of one kind of work; ``left`` and ``width`` are percentages."""

    kind: str
    span: TimeSpan
    left: float
    width: float


class AxisBreak(NamedTuple):
    """A cut of the axis: an idle time of ``seconds``, drawn shorter; places are percentages."""

    left: float
    width: float
    seconds: float


class GanttRow(NamedTuple):
    """One row of the chart.

    Attributes:
        took_s: Time from the first start to the last end.
    """

    label: str
    bars: tuple[TimeBar, ...]
    took_s: float


class GanttChart(NamedTuple):
    """A Gantt chart; all places are percentages of its width."""

    rows: tuple[GanttRow, ...]
    ticks: tuple[Tick, ...]
    cuts: tuple[AxisBreak, ...]


class _Axis(NamedTuple):
    """A time axis of busy periods, separated by cuts of fixed width."""

    stretches: tuple[TimeSpan, ...]
    percent_per_s: float

    def at(self, second: float) -> float:
        """Return the place of a second within a busy period, in percent."""
        left = 0.0
        for stretch in self.stretches:
            if second <= stretch.end:
                break
            left += (stretch.end - stretch.start) * self.percent_per_s + _CUT_WIDTH
        return left + max(0.0, second - stretch.start) * self.percent_per_s


def gantt(lines: Sequence[tuple[str, Mapping[str, Sequence[TimeSpan]]]]) -> GanttChart | None:
    """Draw ``lines`` of (label, spans by kind); None if nothing took any time."""
    whole = [
        (label, {kind: joined(spans) for kind, spans in kinds.items()}) for label, kinds in lines
    ]
    axis = _axis([span for _, kinds in whole for spans in kinds.values() for span in spans])
    if axis is None:
        return None
    return GanttChart(
        rows=tuple(_row(label, kinds, axis) for label, kinds in whole if any(kinds.values())),
        ticks=_ticks(axis),
        cuts=tuple(
            AxisBreak(round(axis.at(one.end), 2), _CUT_WIDTH, two.start - one.end)
            for one, two in pairwise(axis.stretches)
        ),
    )


def joined(spans: Iterable[TimeSpan], gap: float = 0.0) -> list[TimeSpan]:
    """Return the union of ``spans``, by start; gaps of up to ``gap`` seconds are closed."""
    found: list[TimeSpan] = []
    for span in sorted(spans):
        if not found or span.start - found[-1].end > gap:
            found.append(span)
        elif span.end > found[-1].end:
            found[-1] = TimeSpan(found[-1].start, span.end)
    return found


def _axis(spans: Sequence[TimeSpan]) -> _Axis | None:
    busy = joined(spans)
    busy_s = sum(span.end - span.start for span in busy)
    if not busy_s:
        return None
    gaps = [(two.start - one.end, one.end) for one, two in pairwise(busy)]
    longest = sorted((gap for gap in gaps if gap[0] > _LONG_GAP * busy_s), reverse=True)
    cuts = sorted(end for _, end in longest[:_MOST_CUTS])
    starts = [busy[0].start, *(next(one.start for one in busy if one.start > cut) for cut in cuts)]
    stretches = tuple(map(TimeSpan, starts, [*cuts, busy[-1].end]))
    drawn_s = sum(stretch.end - stretch.start for stretch in stretches)
    return _Axis(stretches, (100 - _CUT_WIDTH * len(cuts)) / drawn_s)


def _row(label: str, kinds: Mapping[str, Sequence[TimeSpan]], axis: _Axis) -> GanttRow:
    gap = 100 * _JOINED / axis.percent_per_s
    bars = [_bar(kind, span, axis) for kind, spans in kinds.items() for span in joined(spans, gap)]
    first = min(bar.span.start for bar in bars)
    return GanttRow(label, tuple(bars), max(bar.span.end for bar in bars) - first)


def _bar(kind: str, span: TimeSpan, axis: _Axis) -> TimeBar:
    left, right = axis.at(span.start), axis.at(span.end)
    return TimeBar(kind, span, round(left, 2), round(right - left, 2))


def _ticks(axis: _Axis) -> tuple[Tick, ...]:
    """Return ticks at round times with enough space for their labels."""
    shown_s = 100 / axis.percent_per_s
    step = next((one for one in _STEPS_S if shown_s / one <= _MOST_TICKS), _STEPS_S[-1])
    found: list[Tick] = []
    for stretch in axis.stretches:
        number = ceil(stretch.start / step)
        while number * step <= stretch.end:
            at = round(axis.at(number * step), 2)
            if not found or at - found[-1].at >= _TICKS_APART:
                found.append(Tick(at, clock(number * step)))
            number += 1
    return tuple(found)


def clock(seconds: float) -> str:
    """Format a duration in seconds, minutes or hours, depending on its length."""
    if seconds < 60:
        return f"{seconds:g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02d} min" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d} h" if rest else f"{hours}:{minutes:02d} h"
