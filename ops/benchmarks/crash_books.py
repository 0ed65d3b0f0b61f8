"""Compares the store and the files of a small run with those of an undisturbed run."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import func, inspect, select

from acm_workers.store import calls, results, runs
from acm_workers.store.connection.database import Database
from acm_workers.store.rows import UNIT_ROWS
from acm_workers.store.tables import RunRow
from ops.benchmarks import reckoning
from ops.benchmarks.reckoning import CallReckoning
from schemas.calls import Call
from tests.support.project import Project

_NEW_EACH_TIME = -2
"""The part of a candidate's file name that differs between runs."""


class SavedResults(NamedTuple):
    """The finished work in a store when the process died.

    Attributes:
        calls: Requests of the calls, by the name that the provider knows.
    """

    units: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()


class LoggedRequest(NamedTuple):
    """A request in the simulator's log."""

    name: str
    input_tokens: int
    output_tokens: int


class Left(NamedTuple):
    """The records of a run.

    Attributes:
        runs: Number of runs in the store.
        unfinished: Units and documents that are not done.
        started: Calls without an end.
        bill: Cost of the answered calls by name.
        cost_usd: Cost of the run, as shown to users.
        texts: Candidates and winners by path, without parts that differ between runs.
        report: The files of the report.
    """

    runs: int
    unfinished: int
    started: int
    saved: SavedResults
    books: CallReckoning
    bill: Mapping[str, float | None]
    tokens: Mapping[str, Sequence[int | None]]
    cost_usd: float
    texts: Mapping[str, str]
    winners: Mapping[str, str]
    report: frozenset[str]


def saved(database: Database) -> SavedResults:
    """Return the finished work in a store, which may have no tables yet."""
    with database.read() as connection:
        if not inspect(connection).has_table("runs"):
            return SavedResults()
        units: set[str] = set()
        for row in UNIT_ROWS.values():
            units |= set(connection.scalars(select(row.id).where(row.state == "done")))
        found = list(connection.scalars(select(RunRow.id)))
        sent = [call for run_id in found for call in calls.of_run(connection, run_id)]
    return SavedResults(frozenset(units), frozenset(_name(call) for call in _answered(sent)))


def requests(log: Path, offset: int) -> list[LoggedRequest]:
    """Return the requests in the simulator's log from an offset on."""
    with log.open() as lines:
        lines.seek(offset)
        found = [json.loads(line) for line in lines]
    return [LoggedRequest(one["name"], one["input_tokens"], one["output_tokens"]) for one in found]


def left(database: Database, project: Project, came: Sequence[LoggedRequest]) -> Left:
    """Return the records of the only run of a store."""
    with database.read() as connection:
        run = runs.latest(connection)
        progress = results.progress(connection, run.id)
        sent = calls.of_run(connection, run.id)
        number = connection.scalar(select(func.count()).select_from(RunRow)) or 0
    states = [*progress.units.values(), progress.stages]
    answered = _answered(sent)
    return Left(
        runs=number,
        unfinished=sum(sum(found.values()) - found.get("done", 0) for found in states),
        started=sum(call.state == "started" for call in sent),
        saved=saved(database),
        books=reckoning.reckon(sent, Counter(one.name for one in came)),
        bill={_name(call): call.cost_usd for call in answered},
        tokens={
            _name(call): (call.usage.input_tokens, call.usage.output_tokens) for call in answered
        },
        cost_usd=progress.calls.cost_usd,
        texts=dict(_texts(project.folder)),
        winners=dict(_winners(project.folder / "winners")),
        report=frozenset(_report(project.folder / "reports" / run.id)),
    )


def differences(
    found: Left,
    usual: Left,
    died: SavedResults,
    came: Sequence[LoggedRequest],
    later: Sequence[LoggedRequest],
) -> Iterator[str]:
    """Yield the errors of a run whose process died, compared with an undisturbed run.

    Args:
        died: Finished work at the time of death.
        came: All requests to the provider.
        later: Requests after the time of death.
    """
    if found.runs != 1:
        yield f"{found.runs} runs instead of one"
    if found.unfinished or found.started:
        yield f"{found.unfinished} units or documents and {found.started} calls without an end"
    lost = (died.units - found.saved.units) | (died.calls - found.saved.calls)
    if lost:
        yield f"lost: {sorted(lost)}"
    again = died.calls & {one.name for one in later}
    if again or found.books.paid_again:
        yield f"finished calls sent again: {found.books.paid_again}, {sorted(again)}"
    if found.books.unexplained:
        yield f"{found.books.unexplained} requests of which the store knows nothing"
    if found.books.done != usual.books.done or found.bill != usual.bill:
        yield f"other calls or costs: {_changes(found.bill, usual.bill)}"
    if abs(found.cost_usd - usual.cost_usd) > 1e-9:
        yield f"the bill is {found.cost_usd}, not {usual.cost_usd}"
    counted = {one.name: (one.input_tokens, one.output_tokens) for one in came}
    if found.tokens != counted:
        yield f"tokens are not those of the provider: {_changes(found.tokens, counted)}"
    for name in ("texts", "winners"):
        changes = _changes(getattr(found, name), getattr(usual, name))
        if changes:
            yield f"other {name}: {changes}"
    if found.report != usual.report:
        yield f"other files in the report: {sorted(found.report ^ usual.report)}"


def _changes(found: Mapping[str, Any], usual: Mapping[str, Any]) -> list[str]:
    names = found.keys() | usual.keys()
    return sorted(name for name in names if found.get(name) != usual.get(name))


def _answered(sent: Sequence[Call]) -> list[Call]:
    return [call for call in sent if call.state == "done" and not call.cached]


def _name(call: Call) -> str:
    return f"{call.digest[:32]}-{call.iteration}"


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted((folder / "outputs").rglob("*")):
        if file.is_file():
            parts = file.name.split(".")
            del parts[_NEW_EACH_TIME]
            yield ".".join(parts), file.read_text()


def _winners(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".json":
            about = json.loads(file.read_text())
            found = [about[name] for name in ("generator", "provider", "model", "usd", "overall")]
            yield file.name, json.dumps(found)
        elif file.is_file():
            yield file.name, file.read_text()


def _report(folder: Path) -> Iterator[str]:
    """Yield the names of a report's complete files."""
    for file in folder.rglob("*"):
        if file.suffix == ".json":
            json.loads(file.read_text())
        if file.suffix != ".html" or file.read_text().rstrip().endswith("</html>"):
            yield file.name
