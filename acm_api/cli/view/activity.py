"""Tables of documents and models in the live view, which fit the size of the terminal."""

import time
from collections.abc import Callable

from rich.table import Table
from rich.text import Text

from acm_api.cli.view.formatting import usd
from acm_api.cli.view.output import printable
from acm_workers.store.activity import DocumentActivity, RunActivity
from schemas.units import UnitKind

BESIDE = 100
"""Minimum width of a terminal for both tables side by side, in columns."""

_FEWEST_ROWS = 3
_INTERVAL_S = 1.0
_COST_RATIO = 20
"""The pause between two reads is at least this many times as long as a read."""

_UNITS: tuple[tuple[UnitKind, str], ...] = (
    ("artifact", "texts"),
    ("evaluation", "scores"),
    ("comparison", "pairs"),
)

ActivityReader = Callable[[int], RunActivity]
"""Reads the activity of a run, with at most the given number of documents."""


class ActivityTables:
    """Reads the activity of a run periodically, and draws it as tables."""

    def __init__(self, read: ActivityReader) -> None:
        self._read = read
        self._due_at = 0.0
        self._last: RunActivity | None = None

    def draw(self, width: int, rows: int) -> Table | None:
        """Return the tables within a width and a number of lines; None without space for them."""
        beside = width >= BESIDE
        most = rows - 2 if beside else rows // 2 - 2  # a heading, and a line for what is left out
        if most < _FEWEST_ROWS:
            return None
        now = time.monotonic()
        if self._last is None or now >= self._due_at:
            self._last = self._read(most)
            ended = time.monotonic()
            self._due_at = ended + max(_INTERVAL_S, _COST_RATIO * (ended - now))
        return side_by_side(self._last, most) if beside else stacked(self._last, most)


def side_by_side(activity: RunActivity, most: int) -> Table:
    """Draw documents on the left and models on the right."""
    both = Table.grid(padding=(0, 3), expand=True)
    both.add_column(ratio=3)
    both.add_column(ratio=2)
    both.add_row(_documents(activity, most), _models(activity, most))
    return both


def stacked(activity: RunActivity, most: int) -> Table:
    """Draw documents above models."""
    both = Table.grid(expand=True)
    both.add_row(_documents(activity, most))
    both.add_row(_models(activity, most))
    return both


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0), expand=True)
    table.add_column(headings[0], no_wrap=True, overflow="ellipsis", ratio=1)
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _documents(activity: RunActivity, most: int) -> Table:
    table = _table("document", "stage", *(name for _, name in _UNITS))
    shown = activity.documents[:most]
    for one in shown:
        units = [_share(one, kind) for kind, _ in _UNITS]
        stage = _stage(one)
        style = "" if one.stage not in ("done", "failed", "partial", "cancelled") else "dim"
        table.add_row(Text(printable(one.path)), stage, *units, style=style)
    left = activity.left_out + len(activity.documents) - len(shown)
    if left:
        table.add_row(Text(f"{left} more", style="dim"))
    return table


def _stage(one: DocumentActivity) -> str:
    ended, total = one.units.get("artifact", (0, 0))
    # A document begins to be scored before its stage ends.
    return "score" if one.stage == "generate" and ended == total > 0 else one.stage


def _share(one: DocumentActivity, kind: UnitKind) -> str:
    ended, total = one.units.get(kind, (0, 0))
    return f"{ended}/{total}" if total else ""


def _models(activity: RunActivity, most: int) -> Table:
    table = _table("model", "calls", "now", "failed", "USD")
    for one in activity.models[:most]:
        table.add_row(
            Text(printable(one.name)),
            str(one.sent),
            str(one.in_flight or ""),
            Text(str(one.failed or ""), style="red"),
            usd(one.cost_usd),
        )
    left = len(activity.models) - most
    if left > 0:
        table.add_row(Text(f"{left} more", style="dim"))
    return table
