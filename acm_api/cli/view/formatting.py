"""Formats of numbers, amounts and states, and the console, shared by all commands."""

import sys
from collections.abc import Iterator
from functools import lru_cache

from pydantic import BaseModel
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from acm_api.cli.view.output import echo_json, printable

_COLOURS = {
    "done": "green",
    "skipped": "green",
    "running": "cyan",
    "paused": "yellow",
    "settled": "yellow",
    "abandoned": "yellow",
    "partial": "yellow",
    "cancelled": "yellow",
    "failed": "red",
    "deleted": "dim",
}
_UNLIMITED_WIDTH = 1000


class _SafeConsole(Console):
    """A rich console that removes terminal control characters from texts."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Yield the parts of ``renderable``; rich's own control codes pass."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(printable(segment.text, keep="\n"), segment.style)


@lru_cache(maxsize=1)
def console() -> Console:
    """Return the one console of this process; lines printed on it do not break a live view."""
    # Nothing is cut to the width of a terminal in a file or a pipe.
    # Brackets in names are no markup.
    width = None if sys.stdout.isatty() else _UNLIMITED_WIDTH
    return _SafeConsole(highlight=False, markup=False, emoji=False, width=width)


def print_json(value: BaseModel) -> None:
    """Print a record as one line of JSON."""
    echo_json(value.model_dump_json(by_alias=True))


def usd(amount: float | None) -> str:
    """Format an amount of money; None means unknown."""
    if amount is None:
        return "unknown"
    return f"${amount:.4f}" if 0 < amount < 1 else f"${amount:,.2f}"


def number(value: float | None, digits: int = 2) -> str:
    """Return a number for a table cell; None leaves the cell empty."""
    return "" if value is None else f"{value:.{digits}f}"


def count(amount: int, noun: str) -> str:
    """Return ``amount`` with ``noun``, in the plural where needed."""
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"


def state(name: str) -> Text:
    """Return a state in its colour."""
    return Text(name, style=_COLOURS.get(name, ""))


def uncertain_cost(calls: int, most_usd: float | None) -> str:
    """Return the part of a cost sentence about calls with unknown outcome, if any."""
    if not calls:
        return ""
    uncertain = count(calls, "uncertain call")
    if most_usd is None:
        return f", and {uncertain} may have cost more"
    return f", and up to {usd(most_usd)} for {uncertain}"
