"""The result of a run: a table of winners, totals, cost, and changes against an earlier run."""

from collections import Counter
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from acm_api.cli.view.explanation import remark, surest
from acm_api.cli.view.failures import cause_lines
from acm_api.cli.view.formatting import (
    console,
    count,
    number,
    state,
    uncertain_cost,
    usd,
)
from acm_api.cli.view.output import printable
from schemas.rejudged import CandidateResult, DocumentChange, RejudgedResult
from schemas.run import DocumentResult, RunResult, WinnerResult
from schemas.units import candidate_name

_LONGEST_WINNER = 40
_SHORTEST_PATH = 16
_MOST_CHECKS = 20
_MOST_REMARKS = 10
"""Maximum number of winners with a remark; `acm explain` and the report have all."""


def print_result(result: RunResult) -> None:
    """Print the result of a run, and the changes if the run judged another run again."""
    out = console()
    out.print(_documents(result, out.width))
    for line in (*_reasons(result), *_failed_checks(result), *_remarks(result)):
        out.print(Text(printable(line)), style="dim", soft_wrap=True)
    documents, calls = result.documents, result.calls
    out.print(
        f"\n{count(sum(one.artifacts for one in documents), 'candidate')},"
        f" {count(sum(one.evaluations for one in documents), 'score')},"
        f" {count(sum(one.comparisons for one in documents), 'comparison')}"
    )
    out.print(
        f"{count(calls.total, 'call')} ({calls.failed} failed, {calls.uncertain} uncertain),"
        f" {calls.cached} answered from earlier calls; {cost(result)}"
    )
    for line in cause_lines(result.failures):
        out.print(Text(printable(line)), style="red", soft_wrap=True)
    if result.reason is not None:
        reason = Text(printable(f"{result.state}: {result.reason}"))
        out.print(reason, style="yellow", soft_wrap=True)
    if isinstance(result, RejudgedResult):
        print_changes(result)


def retry_hint(result: RunResult) -> str | None:
    """Return the command that retries failed units of documents with a winner, if any."""
    missing = sum(document.missing for document in result.documents if document.state == "done")
    if not missing or result.paused or result.state in ("running", "paused"):
        return None
    units = count(missing, "unit")
    return (
        f"`acm resume --failed {result.run_id}` tries {units} without a result again;"
        " the winner may change"
    )


def cost(result: RunResult) -> str:
    """Return the cost of a run and the expected cost."""
    expected = None if result.expected is None else result.expected.usd
    beside = "" if expected is None else f", about {usd(expected)} expected"
    uncertain = uncertain_cost(result.calls.uncertain, result.uncertain_usd)
    return f"cost {usd(result.usd)}{uncertain}{beside}"


def print_files(report: str | Path | None, winners: str | Path | None) -> None:
    """Print the paths of the report and of the winners folder, if any."""
    if report is not None:
        console().print(Text(f"report: {report}"), soft_wrap=True)
    if winners is not None:
        console().print(Text(f"winners: {winners}"), soft_wrap=True)


def _documents(result: RunResult, width: int) -> Table:
    missing = any(document.missing for document in result.documents)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("document", "state", "winner"):
        table.add_column(heading, no_wrap=True, overflow="ellipsis")
    for heading in ("score", "Elo", "P(best)", *(["missing"] if missing else [])):
        table.add_column(heading, justify="right", no_wrap=True)
    longest = max((len(_winner(document.winner)) for document in result.documents), default=0)
    others = 2 + 9 + 2 + longest + 2 + 5 + 2 + 4 + 2 + 7 + (2 + 7 if missing else 0)
    path_width = max(width - others, _SHORTEST_PATH)
    for document in result.documents:
        table.add_row(*_cells(document, path_width, missing=missing))
    return table


def _cells(document: DocumentResult, path_width: int, *, missing: bool) -> list[Any]:
    winner = document.winner
    return [
        Text(printable(_shortened(document.path, path_width))),
        state("settled" if document.settled and document.winner else document.state),
        Text(printable(_winner(winner))),
        number(None if winner is None else winner.overall),
        number(None if winner is None else winner.elo, 0),
        number(None if winner is None else winner.p_best),
        *([str(document.missing or "")] if missing else []),
    ]


def _winner(winner: WinnerResult | None) -> str:
    """Return the name of a candidate as in reports; its file name has the same parts."""
    if winner is None:
        return ""
    name = candidate_name(winner.generator, winner.number, winner.model)
    return name if len(name) <= _LONGEST_WINNER else f"{name[: _LONGEST_WINNER - 1]}…"


def _shortened(path: str, width: int) -> str:
    """Return ``path`` without its beginning if it is longer than ``width`` cells."""
    if cell_len(path) <= width:
        return path
    while cell_len(path) >= width:
        path = path[1:]
    return f"…{path}"


def _reasons(result: RunResult) -> list[str]:
    """Return the reasons of documents that did not succeed, without repeating those of skips."""
    unusual = [
        f"  {document.path}: {document.reason}"
        for document in result.documents
        if document.reason
        and (
            document.state not in {"done", "running", "skipped"}
            or document.missing
            or document.settled
        )
    ]
    unusual += [
        f"  {document.path}: {count(document.filled, 'score')} with values filled by missing_score"
        for document in result.documents
        if document.filled
    ]
    skipped = Counter(one.reason for one in result.documents if one.state == "skipped")
    return unusual + [f"  {number} skipped: {reason}" for reason, number in skipped.items()]


def _failed_checks(result: RunResult) -> list[str]:
    """Return the first candidates that cannot win because of a failed check."""
    found = [(one.path, failed) for one in result.documents for failed in one.failed_checks]
    lines = [
        f"  {path}: {failed.candidate} does not pass {failed.check}: {failed.reason}"
        for path, failed in found[:_MOST_CHECKS]
    ]
    more = len(found) - _MOST_CHECKS
    return (
        [*lines, f"  {count(more, 'more check')} not passed; see the report"] if more > 0 else lines
    )


def _remarks(result: RunResult) -> list[str]:
    """Return the most confident judge's remark on each winner, if there are only a few."""
    won = [(one.path, one.winner) for one in result.documents if one.winner is not None]
    if len(won) > _MOST_REMARKS:
        return []
    return [
        f"  {path}: judge {remark(said)}"
        for path, winner in won
        for said in surest(winner.remarks)[:1]
    ]


def print_changes(result: RejudgedResult) -> None:
    """Print the new and the earlier ranking of each document, and the reasons for changes."""
    out = console()
    for change in result.changes:
        out.print()
        _print_change(change, out)
    changed = [change for change in result.changes if change.winner_changed]
    decided = [change for change in result.changes if change.winner_changed is not None]
    out.print(
        f"\nwinner changed in {len(changed)} of"
        f" {count(len(decided), 'document')} with a winner in both runs"
    )


def _print_change(change: DocumentChange, out: Console) -> None:
    out.print(Text(printable(change.path), style="bold"), soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("candidate", no_wrap=True)
    for heading in ("rank", "was", "score", "was", "won", "was"):
        table.add_column(heading, justify="right", no_wrap=True)
    for move in change.moves:
        name = printable(move.name)
        won = " *" if move.name == change.new_winner else ""
        table.add_row(
            Text(f"{name}{won}", style="bold" if won else ""),
            *(str(place.rank or "") for place in (move.new, move.old)),
            *(number(place.overall) for place in (move.new, move.old)),
            *(_games_won(place) for place in (move.new, move.old)),
        )
    out.print(table)
    for sentence in change.why:
        out.print(Text(f"  {printable(sentence)}"), soft_wrap=True)


def _games_won(place: CandidateResult) -> str:
    return f"{place.points:g}/{place.games}" if place.games else ""
