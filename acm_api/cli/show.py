"""How results look in a terminal and in JSON."""

import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from acm_api.cli.terminal import plain
from schemas.run import DocumentResult, RunResult, WinnerResult

_COLOURS = {
    "done": "green",
    "skipped": "green",
    "running": "cyan",
    "paused": "yellow",
    "partial": "yellow",
    "cancelled": "yellow",
    "failed": "red",
}
_UNLIMITED = 1000
_LONGEST_WINNER = 40
_SHORTEST_PATH = 16


def as_json(value: BaseModel) -> None:
    """Print a record as one line of JSON."""
    typer.echo(value.model_dump_json(by_alias=True))


@lru_cache(maxsize=1)
def console() -> Console:
    """Return the console for people; lines for it do not tear a live view on it."""
    # In a file or a pipe nothing is cut to the width of a terminal.
    return Console(highlight=False, width=None if sys.stdout.isatty() else _UNLIMITED)


def usd(amount: float | None) -> str:
    """Return an amount of money for people; an unknown one says so."""
    if amount is None:
        return "unknown"
    return f"${amount:.4f}" if 0 < amount < 1 else f"${amount:,.2f}"


def number(value: float | None, digits: int = 2) -> str:
    """Return a number for a table; nothing where there is none."""
    return "" if value is None else f"{value:.{digits}f}"


def count(amount: int, thing: str) -> str:
    """Return how many there are of a thing whose plural ends in s."""
    return f"{amount} {thing}" if amount == 1 else f"{amount} {thing}s"


def state(name: str) -> Text:
    """Return a state in its colour."""
    return Text(name, style=_COLOURS.get(name, ""))


def result(found: RunResult, out: Console) -> None:
    """Print what became of a run."""
    out.print(_table(found, out.width))
    for line in _reasons(found):
        out.print(Text(plain(line)), style="dim", soft_wrap=True)
    documents, calls = found.documents, found.calls
    out.print(
        f"\n{count(sum(one.artifacts for one in documents), 'candidate')},"
        f" {count(sum(one.evaluations for one in documents), 'score')},"
        f" {count(sum(one.comparisons for one in documents), 'comparison')}"
    )
    out.print(
        f"{count(calls.total, 'call')} ({calls.failed} failed, {calls.uncertain} uncertain),"
        f" {calls.cached} answered from earlier calls; {cost(found)}"
    )
    if found.reason is not None:
        out.print(Text(plain(f"{found.state}: {found.reason}")), style="yellow", soft_wrap=True)


def mending(found: RunResult) -> str | None:
    """Return how units that failed beside a winner are tried again; nothing where none did."""
    lacking = sum(document.missing for document in found.documents if document.state == "done")
    if not lacking or found.state in ("running", "paused"):
        return None
    units = count(lacking, "unit")
    return (
        f"`acm resume --failed {found.run_id}` tries {units} without a result again;"
        " the winner may change"
    )


def cost(found: RunResult) -> str:
    """Return what a run cost, beside what it was expected to cost."""
    expected = None if found.expected is None else found.expected.usd
    beside = "" if expected is None else f", at most {usd(expected)} expected"
    return f"cost {usd(found.usd)}{doubt(found.calls.uncertain, found.uncertain_usd)}{beside}"


def doubt(calls: int, most_usd: float | None) -> str:
    """Return what uncertain calls may have cost beside what is known, if there are any."""
    if not calls:
        return ""
    uncertain = count(calls, "uncertain call")
    if most_usd is None:
        return f", and {uncertain} may have cost more"
    return f", and up to {usd(most_usd)} for {uncertain}"


def files(report: str, winners: str | Path | None) -> None:
    """Print where files were written."""
    console().print(Text(f"report: {report}"), soft_wrap=True)
    if winners is not None:
        console().print(Text(f"winners: {winners}"), soft_wrap=True)


def _table(found: RunResult, width: int) -> Table:
    missing = any(document.missing for document in found.documents)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("document", "state", "winner"):
        table.add_column(heading, no_wrap=True, overflow="ellipsis")
    for heading in ("score", "Elo", "P(best)", *(["missing"] if missing else [])):
        table.add_column(heading, justify="right", no_wrap=True)
    longest = max((len(_winner(document.winner)) for document in found.documents), default=0)
    others = 2 + 9 + 2 + longest + 2 + 5 + 2 + 4 + 2 + 7 + (2 + 7 if missing else 0)
    room = max(width - others, _SHORTEST_PATH)
    for document in found.documents:
        table.add_row(*_cells(document, room, missing=missing))
    return table


def _cells(document: DocumentResult, room: int, *, missing: bool) -> list[Any]:
    winner = document.winner
    return [
        Text(plain(_end(document.path, room))),
        state(document.state),
        Text(plain(_winner(winner))),
        number(None if winner is None else winner.overall),
        number(None if winner is None else winner.elo, 0),
        number(None if winner is None else winner.p_best),
        *([str(document.missing or "")] if missing else []),
    ]


def _winner(winner: WinnerResult | None) -> str:
    """Return how reports name a candidate; its file has the same parts."""
    if winner is None:
        return ""
    name = f"{winner.generator} {winner.number} · {winner.model}"
    return name if len(name) <= _LONGEST_WINNER else f"{name[: _LONGEST_WINNER - 1]}…"


def _end(path: str, room: int) -> str:
    """Return a path that fits; its end tells more than its beginning."""
    if cell_len(path) <= room:
        return path
    while cell_len(path) >= room:
        path = path[1:]
    return f"…{path}"


def _reasons(found: RunResult) -> list[str]:
    """Return why documents ended as they did, where that is not plain; what is common, once."""
    unusual = [
        f"  {document.path}: {document.reason}"
        for document in found.documents
        if document.reason
        and (document.state not in {"done", "running", "skipped"} or document.missing)
    ]
    unusual += [
        f"  {document.path}: {count(document.filled, 'score')} with values filled by missing_score"
        for document in found.documents
        if document.filled
    ]
    skipped = Counter(one.reason for one in found.documents if one.state == "skipped")
    return unusual + [f"  {number} skipped: {reason}" for reason, number in skipped.items()]
