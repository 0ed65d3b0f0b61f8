"""Deletion of the texts of runs; calls with their tokens, times and costs are kept."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, select, update

from acm_workers.store import events
from acm_workers.store.batch_tables import BatchedRequestRow, BatchRow
from acm_workers.store.tables import (
    ArtifactFileRow,
    ArtifactRow,
    BudgetRow,
    CallRow,
    CircuitBreakerRow,
    ComparisonRow,
    DocumentRow,
    EvaluationRow,
    EventRow,
    RatingRow,
    ReportRow,
    RunRow,
    WaitingUnitsRow,
)
from acm_workers.store.vote_tables import VoteRow
from schemas.config.config import Config
from schemas.config.variant import Variant
from schemas.scope import Scope

_ENDED = ("done", "partial", "failed", "cancelled")
_DELETED_ROWS = (
    VoteRow, RatingRow, ComparisonRow, EvaluationRow, ArtifactRow, WaitingUnitsRow, BudgetRow,
    CircuitBreakerRow, ReportRow, EventRow, BatchedRequestRow, BatchRow,
)  # fmt: skip
"""Rows of a run, in an order of deletion that keeps all references valid."""


def erase(connection: Connection, run_id: str, reason: str, now: datetime) -> None:
    """Delete the texts of a run with all scores, verdicts and other results.

    Titles, names of documents, models, tokens, times and cost are kept; digests of texts are
    deleted.

    Args:
        reason: New value of the run's ``reason``, shown to users.
    """
    written = select(ArtifactRow.id).where(ArtifactRow.run_id == run_id)
    connection.execute(delete(ArtifactFileRow).where(ArtifactFileRow.artifact_id.in_(written)))
    for row in _DELETED_ROWS:
        connection.execute(delete(row).where(row.run_id == run_id))
    _update(connection, CallRow, CallRow.run_id == run_id, **_OF_CALLS)
    _update(connection, DocumentRow, DocumentRow.run_id == run_id, **_OF_DOCUMENTS)
    about = {"state": "deleted", "reason": reason, "requested_at": None, "distributed": False}
    _update(connection, RunRow, RunRow.id == run_id, **_OF_RUNS, **about)
    events.add(connection, run_id, "run_deleted", now)


def ended_before(
    connection: Connection, before: datetime, limit: int, scope: Scope | None = None
) -> list[str]:
    """Return the ids of undeleted runs that ended before a time, oldest first.

    Args:
        scope: Only runs of this tenant; default: all tenants.
    """
    query = select(RunRow.id).where(RunRow.state.in_(_ENDED), RunRow.finished_at < before)
    if scope is not None:
        query = query.where(RunRow.tenant_id == scope.tenant_id)
    return list(connection.scalars(query.order_by(RunRow.id).limit(limit)))


def _update(connection: Connection, row: Any, which: Any, **values: object) -> None:
    connection.execute(update(row).where(which).values(**values))


_NOTHING = Config(
    input_folder="",
    output_folder="",
    winners_folder="",
    reports_folder="",
    instructions_file="",
    providers={},
    runs=(Variant(type="files", provider="deleted", model="deleted"),),
    judges=(),
)
_OF_RUNS = {
    "key": "",
    "config": _NOTHING.model_dump(mode="json", by_alias=True),
    "instructions": "",
    "guidelines": None,
}
_OF_DOCUMENTS = {
    "key": "",
    "text": "",
    "state": "deleted",
    "reason": None,
    "winner_id": None,
    "standings": None,
    "fusions": None,
}
_OF_CALLS = {
    "digest": "",
    "reusable": False,
    "answer": None,
    "so_far": None,
    "queries": None,
    "sources": None,
    "summary": None,
    "error": None,
}
