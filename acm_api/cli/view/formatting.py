"""Consoles, numbers, amounts and states as every command prints them."""

import sys
from functools import lru_cache

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.text import Text

_COLOURS = {
    "done": "green",
    "skipped": "green",
    "running": "cyan",
    "paused": "yellow",
    "partial": "yellow",
    "cancelled": "yellow",
    "failed": "red",
}
_UNLIMITED_WIDTH = 1000


def printable(text: str) -> str:
    """Return ``text`` without the characters that control a terminal or reverse a line."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


@lru_cache(maxsize=1)
def console() -> Console:
    """Return the one console of this process; lines printed on it do not break a live view."""
    # Nothing is cut to the width of a terminal in a file or a pipe.
    return Console(highlight=False, width=None if sys.stdout.isatty() else _UNLIMITED_WIDTH)


def print_json(value: BaseModel) -> None:
    """Print a record as one line of JSON."""
    typer.echo(value.model_dump_json(by_alias=True))


def usd(amount: float | None) -> str:
    """Return an amount of money as text; None is unknown."""
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
    """Return the part of a cost sentence about calls whose outcome is unknown, if there are any."""
    if not calls:
        return ""
    uncertain = count(calls, "uncertain call")
    if most_usd is None:
        return f", and {uncertain} may have cost more"
    return f", and up to {usd(most_usd)} for {uncertain}"
