"""Results of runs: the counts and winners that commands, pages and scripts show."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from sqlalchemy import Connection, String, cast, func, select

from acm_workers import causes
from acm_workers.store import (
    artifacts,
    calls,
    circuit_breakers,
    comparisons,
    documents,
    evaluations,
    events,
    failures,
    ratings,
    runs,
    votes,
    waits,
)
from acm_workers.store.rows import UNIT_ROWS, UnitRow
from acm_workers.store.tables import ArtifactRow, DocumentRow, EvaluationRow
from acm_workers.store.waits import WaitingUnits
from schemas.calls import EvidenceSummary
from schemas.plan import ExpectedTotals
from schemas.ranking import Standing
from schemas.run import (
    CallCounts,
    DocumentResult,
    FailedCheck,
    FailureCause,
    PausedRole,
    Phase,
    Run,
    RunRecords,
    RunResult,
    SkippedDocument,
    WinnerResult,
)
from schemas.units import Document, UnitKind, UnitState, candidate_name

_MOST_CHILDREN = 16

_STATES: tuple[UnitState, ...] = get_args(UnitState)
_Counts = dict[str, dict[UnitKind, dict[str, int]]]


def of_run(connection: Connection, run_id: str) -> RunResult:
    """Return the result of a run, or its state so far."""
    run = runs.get(connection, run_id)
    counts = _counts(connection, run_id)
    standings = documents.standings(connection, run_id)
    failed = _failed_checks(connection, run_id) if run.config.checks else {}
    found = [
        _document(connection, document, counts, standings.get(document.id, ())).model_copy(
            update={"failed_checks": failed.get(document.id, ())}
        )
        for document in documents.of_run(connection, run_id)
    ]
    if run.config.missing_score is not None:
        found = _with_filled(connection, run_id, found)
    if run.state == "paused":
        found = [_resting(document) for document in found]
    found += of_skipped(connection, run.skipped)
    totals = calls.totals(connection, run_id)
    return RunResult(
        run_id=run.id,
        state=run.state,
        reason=run.reason,
        documents=tuple(sorted(found, key=lambda document: document.path)),
        failures=causes.grouped(failures.of_run(connection, run_id)),
        paused=circuit_breakers.of_run(connection, run_id),
        calls=CallCounts(
            total=totals.sent,
            failed=totals.failed,
            cached=totals.cached,
            uncertain=totals.uncertain,
        ),
        usd=None if totals.unpriced else round(totals.cost_usd, 9),
        uncertain_usd=None if totals.uncertain_usd is None else round(totals.uncertain_usd, 9),
        expected=run.expected,
    )


def with_remarks(connection: Connection, result: RunResult) -> RunResult:
    """Return a result with the judges' remarks on the winners in addition to their scores."""
    ids = [one.winner.artifact_id for one in result.documents if one.winner is not None]
    said = evaluations.remarks(connection, ids)
    found = [
        one
        if one.winner is None or one.winner.artifact_id not in said
        else one.model_copy(
            update={
                "winner": one.winner.model_copy(update={"remarks": said[one.winner.artifact_id]})
            }
        )
        for one in result.documents
    ]
    return result.model_copy(update={"documents": tuple(found)})


def of_skipped(connection: Connection, skipped: Sequence[SkippedDocument]) -> list[DocumentResult]:
    """Return skipped documents with their winners from earlier runs."""
    earlier = {entry.run_id for entry in skipped}
    counts = {run_id: _counts(connection, run_id) for run_id in earlier}
    standings = {run_id: documents.standings(connection, run_id) for run_id in earlier}
    return [
        _skipped(connection, entry, counts[entry.run_id], standings[entry.run_id])
        for entry in skipped
    ]


def nothing_to_do(connection: Connection, skipped: Sequence[SkippedDocument]) -> RunResult:
    """Return the result of a command whose documents all have winners from earlier runs."""
    run: Run = runs.get(connection, max(entry.run_id for entry in skipped))
    return RunResult(
        run_id=run.id,
        state="done",
        documents=tuple(of_skipped(connection, skipped)),
        calls=CallCounts(total=0, failed=0, cached=0, uncertain=0),
        usd=0.0,
    )


def records(connection: Connection, run_id: str) -> RunRecords:
    """Return all records of a run in a few queries.

    Raises:
        NotFound: The run was deleted.
    """
    run = runs.get(connection, run_id)
    runs.require_texts(run)
    return RunRecords(
        run=run,
        documents=tuple(documents.of_run(connection, run_id)),
        texts=documents.texts(connection, run_id),
        artifacts=tuple(artifacts.of_run(connection, run_id)),
        evaluations=tuple(evaluations.of_run(connection, run_id)),
        comparisons=tuple(comparisons.of_run(connection, run_id)),
        standings=documents.standings(connection, run_id),
        ratings=ratings.of_run(connection, run_id),
        fusions=documents.fusions(connection, run_id),
        calls=tuple(calls.of_run(connection, run_id)),
        votes=tuple(one for one in votes.of_run(connection, run_id) if one.choice is not None),
    )


def document_records(connection: Connection, run: Run, document: Document) -> RunRecords:
    """Return the records of one document of a run, without comparisons."""
    standings, fusions = documents.ranking(connection, document.id)
    return RunRecords(
        run=run,
        documents=(document,),
        texts={document.id: documents.text(connection, document.id)},
        artifacts=tuple(artifacts.done_of_document(connection, document.id)),
        evaluations=tuple(evaluations.shown(connection, document.id)),
        comparisons=(),
        standings={document.id: standings},
        ratings=ratings.of_run(connection, run.id, document.id),
        fusions={document.id: fusions},
        calls=tuple(calls.of_document(connection, document.id)),
    )


_ENDED_RUNS = ("done", "partial", "failed", "cancelled", "deleted")


class Progress(NamedTuple):
    """The progress of a run.

    Attributes:
        reason: Reason why the run is paused.
        units: Number of units by kind and state.
        stages: Number of documents by stage, or by state for ended documents.
        failures: Failed units by cause, the most frequent cause first.
        paused: Judges and writers that are paused.
        children: Progress of running child processes, one line each.
    """

    state: str
    units: dict[UnitKind, dict[str, int]]
    stages: dict[str, int]
    calls: calls.CallTotals
    waits: list[WaitingUnits]
    expected: ExpectedTotals | None
    reason: str | None = None
    failures: tuple[FailureCause, ...] = ()
    paused: tuple[PausedRole, ...] = ()
    children: tuple[str, ...] = ()

    @property
    def phase(self) -> Phase:
        """Return the most advanced stage of any document."""
        if self.state in _ENDED_RUNS:
            return "finished"
        if self.stages.get("combine") or self.stages.get("playoff"):
            return "post_combine"
        if self.stages.get("compare"):
            return "pairwise"
        return "single_doc" if self.units["evaluation"] else "generation"

    @property
    def percent(self) -> int:
        """Return the percentage of likely calls that have ended; 100 only after the run."""
        if self.state in ("done", "partial"):
            return 100
        ended = self.calls.sent + self.calls.cached - self.calls.in_flight
        expected = 0 if self.expected is None else self.expected.calls
        planned = sum(sum(states.values()) for states in self.units.values())
        return min(99, round(100 * ended / max(expected, planned, ended, 1)))


def progress(connection: Connection, run_id: str) -> Progress:
    """Return the progress of a run."""
    run = runs.get(connection, run_id)
    units = {kind: _by_state(connection, row, run_id) for kind, row in UNIT_ROWS.items()}
    failed = any(states.get("failed") for states in units.values())
    return Progress(
        run.state,
        units,
        documents.stages(connection, run_id),
        calls.totals(connection, run_id),
        waits.of_run(connection, run_id),
        run.expected,
        run.reason,
        causes.grouped(failures.of_run(connection, run_id)) if failed else (),
        circuit_breakers.of_run(connection, run_id) if failed else (),
        _children(connection, run_id) if run.config.child_kinds else (),
    )


def _children(connection: Connection, run_id: str) -> tuple[str, ...]:
    """Return the last progress of each child process of a run."""
    row = ArtifactRow
    query = (
        select(row.id, row.generator, row.number, row.model, DocumentRow.path)
        .join(DocumentRow, DocumentRow.id == row.document_id)
        .where(row.run_id == run_id, row.state == "claimed", row.lane.startswith("child."))
        .order_by(row.document_id, row.id)
        .limit(_MOST_CHILDREN)
    )
    at_work = connection.execute(query).all()
    if not at_work:
        return ()
    told = {data["artifact_id"]: data for data in events.latest(connection, run_id, "child")}
    lines = []
    for artifact_id, generator, number, model, path in at_work:
        data = told.get(artifact_id, {"step": "starting"})
        doing = f"{data['step']}{_used(data)}"
        lines.append(f"{candidate_name(generator, number, model)} for {path}: {doing}")
    return tuple(lines)


def _used(data: Mapping[str, Any]) -> str:
    """Describe the resources that a child had used at its last heartbeat."""
    if "calls" not in data:
        return ""
    memory = f"{data['peak_rss_bytes'] / 1e6:.0f} MB"
    return f" (calls: {data['calls']}, searches: {data['searches']}, memory: {memory})"


def _by_state(connection: Connection, row: UnitRow, run_id: str) -> dict[str, int]:
    """Return the number of units of a kind by state.

    Each state is counted by a separate query on the index: reading the state of every row takes
    Postgres twice as long, and grouping sorts all rows of a table that is not analyzed yet.
    """
    number = select(func.count()).where(row.run_id == run_id)
    counts = [number.where(row.state == state).scalar_subquery() for state in _STATES]
    numbers = connection.execute(select(*counts)).one()
    return {state: number for state, number in zip(_STATES, numbers, strict=True) if number}


def _resting(document: DocumentResult) -> DocumentResult:
    """Return a document of a paused run, with state ``paused`` if it is not decided."""
    return document.model_copy(update={"state": "paused"} if document.state == "running" else {})


def _with_filled(
    connection: Connection, run_id: str, found: Sequence[DocumentResult]
) -> list[DocumentResult]:
    """Return results with the number of evaluations that contain a filled score."""
    query = (
        select(DocumentRow.path, func.count())
        .join(EvaluationRow, EvaluationRow.document_id == DocumentRow.id)
        .where(EvaluationRow.run_id == run_id, cast(EvaluationRow.filled, String) != "[]")
        .group_by(DocumentRow.path)
    )
    filled = dict(connection.execute(query).all())
    return [one.model_copy(update={"filled": filled.get(one.path, 0)}) for one in found]


def _failed_checks(connection: Connection, run_id: str) -> dict[str, tuple[FailedCheck, ...]]:
    """Return the failed checks that prevent candidates of a run from winning, by document."""
    found = defaultdict[str, list[FailedCheck]](list)
    for one in artifacts.failing(connection, run_id):
        found[one.document_id] += [
            FailedCheck(
                artifact_id=one.id, candidate=one.name, check=check.name, reason=check.reason
            )
            for check in one.checks
            if check.bars
        ]
    return {document_id: tuple(failed) for document_id, failed in found.items()}


def _skipped(
    connection: Connection,
    entry: SkippedDocument,
    counts: _Counts,
    standings: Mapping[str, Sequence[Standing]],
) -> DocumentResult:
    document = documents.get(connection, entry.document_id)
    result = _document(connection, document, counts, standings.get(document.id, ()))
    reason = f"winner known from run {entry.run_id}; nothing was paid"
    if document.state == "deleted":
        reason = f"its winner was known from run {entry.run_id}, which was deleted"
    return result.model_copy(update={"path": entry.path, "state": "skipped", "reason": reason})


def _document(
    connection: Connection, document: Document, counts: _Counts, standings: Sequence[Standing]
) -> DocumentResult:
    mine = counts.get(document.id, {})
    missing = sum(
        number
        for by_state in mine.values()
        for state, number in by_state.items()
        if state in {"failed", "cancelled"}
    )
    return DocumentResult(
        path=document.path,
        state=document.state,
        reason=document.reason,
        winner=_winner(connection, document, standings),
        artifacts=mine.get("artifact", {}).get("done", 0),
        evaluations=mine.get("evaluation", {}).get("done", 0),
        comparisons=mine.get("comparison", {}).get("done", 0),
        missing=missing,
        settled=document.settled,
    )


def _winner(
    connection: Connection, document: Document, standings: Sequence[Standing]
) -> WinnerResult | None:
    if document.winner_id is None:
        return None
    row = ArtifactRow
    query = select(row.file, row.generator, row.number, row.model, row.proof)
    winner = connection.execute(query.where(row.id == document.winner_id)).one()
    standing = next(one for one in standings if one.artifact_id == document.winner_id)
    return WinnerResult(
        artifact_id=document.winner_id,
        file=winner.file,
        generator=winner.generator,
        number=winner.number,
        model=winner.model,
        overall=standing.overall,
        elo=standing.elo,
        rank_score=standing.rank_score,
        p_best=standing.p_best,
        proof=None if winner.proof is None else EvidenceSummary.model_validate(winner.proof),
    )


def _counts(connection: Connection, run_id: str) -> _Counts:
    found: _Counts = {}
    for kind, row in UNIT_ROWS.items():
        query = (
            select(row.document_id, row.state, func.count())
            .where(row.run_id == run_id)
            .group_by(row.document_id, row.state)
        )
        for document_id, state, number in connection.execute(query):
            found.setdefault(document_id, {}).setdefault(kind, {})[state] = number
    return found
