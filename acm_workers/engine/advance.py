"""Advances documents; no other module changes a stage."""

from collections.abc import Callable, Collection, Sequence

import structlog
from sqlalchemy import Connection

from acm_workers import causes
from acm_workers.engine import admission, publish
from acm_workers.pipeline import units as planning
from acm_workers.pipeline.next_step import next_step
from acm_workers.pipeline.snapshot import DocumentOutcome, DocumentSnapshot, NextStep, RecordContext
from acm_workers.providers.catalog import capabilities
from acm_workers.store import (
    artifacts,
    circuit_breakers,
    comparisons,
    documents,
    evaluations,
    events,
    failures,
    ratings,
    runs,
    units,
    waits,
)
from acm_workers.store.connection.database import Database
from acm_workers.store.rows import UNIT_ROWS
from acm_workers.store.units import URGENT, UnitMessage
from schemas.config.config import Config
from schemas.units import (
    Artifact,
    CheckResult,
    Document,
    Generator,
    Role,
    RunState,
    Stage,
    UnitState,
)

log = structlog.get_logger()

_TRY_AGAIN = "; `acm resume` tries again"
_SETTLED = "settled early, with what there was; `acm resume --failed` does the rest"

_AGAIN: tuple[UnitState, ...] = ("failed", "cancelled")

_SLOWEST: dict[Generator, int] = {"dr": 1, "ma": 2, "gptr": 3}
"""Order of slow generators, after models with background answers; see decision 0072."""


def start_document(
    database: Database,
    document_id: str,
    config: Config,
    making: RecordContext,
    check: Callable[[str], list[CheckResult]],
) -> None:
    """Plan the candidates of a document and send their messages; a repeated call does nothing.

    Args:
        check: Function that runs the checks on an existing text.
    """
    given = _checked(database, document_id, check) if config.checks else []
    with database.write() as connection:
        document = documents.get_for_update(connection, document_id)
        if document.stage != "planned":
            return
        planned = planning.candidates(document, config, making)
        artifacts.plan(connection, planned, making.now)
        for one in given:
            artifacts.set_checks(connection, one.id, one.checks)
        judged = [unit for one in given for unit in planning.evaluations(one, config, making)]
        evaluations.plan(connection, judged, making.now)
        documents.set_stage(connection, document_id, "generate")
        messages = units.messages(connection, _slowest_first(planned, config))
        messages += units.messages(connection, judged)
    publish.new_units(database, messages)
    if given and not planned and not judged:
        publish.advance(document_id)


def _checked(
    database: Database, document_id: str, check: Callable[[str], list[CheckResult]]
) -> list[Artifact]:
    """Return the existing texts of a document with the results of their checks."""
    with database.read() as connection:
        if documents.get(connection, document_id).stage != "planned":
            return []
        found = artifacts.done_of_document(connection, document_id)
    return [one.model_copy(update={"checks": tuple(check(one.text or ""))}) for one in found]


def advance(database: Database, document_id: str, config: Config, making: RecordContext) -> None:
    """Apply the next step of a document if its stage is complete.

    The function is idempotent and may be called late or concurrently.
    """
    with database.read() as connection:
        if documents.has_open_units(connection, document_id):
            return
    with database.write() as connection:
        view = view_of(connection, document_id)
        step = next_step(view, config, making)
        if step is None or view.document.state != "running":
            return
        messages = _apply(connection, view.document, step, making)
        following: list[str] = []
        if step.outcome is not None and config.budget_usd is not None:
            following = documents.unstarted(connection, view.document.run_id, making.now)
            following = admission.admitted(connection, view.document.run_id, following)
            documents.mark_published(connection, following, making.now)
    publish.new_units(database, messages)
    publish.start(database, following)


def reopen_documents(
    connection: Connection, run_id: str, *, with_winner: bool, roles: Collection[Role] = ()
) -> int:
    """Plan failed and cancelled units of a run again; return the number of these units.

    Args:
        with_winner: Whether to include documents that have a winner.
        roles: Judges and writers whose failed units are planned again in any document.
    """
    count = 0
    for document in documents.of_run(connection, run_id):
        if document.state == "running":
            # The run was cancelled while one of its units was in progress.
            count += units.replan(connection, document.id, ["cancelled"])
            count += _replan_roles(connection, document.id, roles)
            continue
        view = _snapshot(connection, document)
        if document.state == "done" and not with_winner:
            planned = _replan_roles(connection, document.id, roles)
        else:
            planned = units.replan(connection, document.id, _AGAIN)
        # Between two stages nothing was planned that could have been left out.
        settled = document.settled and (document.state != "done" or with_winner)
        if planned or settled or document.state == "cancelled":
            documents.reopen(connection, document.id, stage_to_reopen(view))
        count += max(planned, int(settled))
    return count


def _replan_roles(connection: Connection, document_id: str, roles: Collection[Role]) -> int:
    if not roles:
        return 0
    which = {row: circuit_breakers.of_roles(row, roles) for row in UNIT_ROWS.values()}
    return units.replan(connection, document_id, ["failed"], which)


def stage_to_reopen(view: DocumentSnapshot) -> Stage:
    """Return the stage of the earliest unit that must be repeated (a pure function).

    Without such a unit, the result is the current stage of the document.
    """
    stage = view.document.stage
    if stage == "planned":
        return stage
    if view.document.settled:  # its stages are gone through again, and what lacks is planned
        return "generate" if view.artifacts else "planned"
    combined = {artifact.id for artifact in view.artifacts if artifact.combined}
    first = {artifact.id for artifact in view.artifacts} - combined
    again = {artifact.id for artifact in view.artifacts if artifact.state in _AGAIN}
    again |= {unit.artifact_id for unit in view.evaluations if unit.state in _AGAIN}
    if again & first:
        return "generate"
    pairs = [{unit.a_id, unit.b_id} for unit in view.comparisons if unit.state in _AGAIN]
    if any(not pair & combined for pair in pairs):
        return "compare"
    if again & combined:
        return "combine"
    return "playoff" if stage == "finished" else stage


def view_of(connection: Connection, document_id: str) -> DocumentSnapshot:
    """Lock a document, and return a snapshot of its state."""
    return _snapshot(connection, documents.get_for_update(connection, document_id))


def close_run(connection: Connection, run_id: str, making: RecordContext) -> None:
    """End a run whose documents have all ended."""
    # One at a time: of two that end the last two documents, the second has to see both ends.
    runs.lock(connection, run_id)
    states = documents.states(connection, run_id)
    if "running" in states:
        return
    paused = circuit_breakers.of_run(connection, run_id)
    state = _run_state(states)
    if state == "done" and paused:
        state = "partial"
    reason = "; ".join(map(str, paused)) + _TRY_AGAIN if paused else None
    if runs.is_settled(connection, run_id):
        reason = _SETTLED
    if runs.finish(connection, run_id, state, making.now, reason):
        waits.replace(connection, run_id, [])
        events.add(connection, run_id, "run_finished", making.now, data={"state": state})
        _log_failures(connection, run_id)


def _log_failures(connection: Connection, run_id: str) -> None:
    """Log the causes of failures of a run, one line for each."""
    for cause in causes.grouped(failures.of_run(connection, run_id)):
        log.warning("units failed", run=run_id, number=cause.number, **cause.model_dump())


def _snapshot(connection: Connection, document: Document) -> DocumentSnapshot:
    return DocumentSnapshot(
        document,
        artifacts.of_document(connection, document.id),
        evaluations.of_document(connection, document.id),
        comparisons.of_document(connection, document.id),
    )


def _run_state(states: Collection[str]) -> RunState:
    if "cancelled" in states:
        return "cancelled"
    if set(states) == {"done"}:
        return "done"
    return "failed" if set(states) == {"failed"} else "partial"


def _apply(
    connection: Connection, document: Document, step: NextStep, making: RecordContext
) -> list[UnitMessage]:
    if step.outcome is not None:
        finish(connection, document, step.outcome, making)
        return []
    artifacts.plan(connection, step.artifacts, making.now)
    comparisons.plan(connection, step.comparisons, making.now)
    documents.set_stage(connection, document.id, step.stage)
    events.add(connection, document.run_id, "stage", making.now, document.id, {"stage": step.stage})
    urgent = step.stage in URGENT
    candidates = units.messages(connection, step.artifacts, urgent=urgent)
    return candidates + units.messages(connection, step.comparisons, urgent=urgent)


def finish(
    connection: Connection, document: Document, outcome: DocumentOutcome, making: RecordContext
) -> None:
    """Save the outcome of a document locked by this transaction; close its run if possible."""
    finished = document.model_copy(
        update={
            "state": outcome.state,
            "reason": outcome.reason,
            "winner_id": outcome.winner_id,
            "settled": outcome.settled,
            "finished_at": making.now,
        }
    )
    documents.finish(connection, finished, outcome.standings, outcome.fusions)
    ratings.replace(connection, finished, outcome.ratings, making.now)
    data = {"state": outcome.state, "reason": outcome.reason, "settled": outcome.settled}
    events.add(connection, document.run_id, "document_finished", making.now, document.id, data)
    close_run(connection, document.run_id, making)


def _slowest_first(planned: Sequence[Artifact], config: Config) -> list[Artifact]:
    """Return candidates with slow generators (minutes to an hour) first."""

    def rank(unit: Artifact) -> int:
        if config.runs[unit.variant - 1].engine == "external":
            return len(_SLOWEST) + 1
        if capabilities.of(config.providers[unit.provider], unit.model).background:
            return 0
        return _SLOWEST.get(unit.generator, len(_SLOWEST) + 1)

    return sorted(planned, key=rank)
