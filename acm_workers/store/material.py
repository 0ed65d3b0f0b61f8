"""Everything about one run in a few queries."""

from sqlalchemy import Connection

from acm_workers.store import (
    artifacts,
    calls,
    comparisons,
    documents,
    evaluations,
    ratings,
    runs,
)
from schemas.run import RunRecords


def of_run(connection: Connection, run_id: str) -> RunRecords:
    """Return everything about a run."""
    return RunRecords(
        run=runs.get(connection, run_id),
        documents=tuple(documents.of_run(connection, run_id)),
        texts=documents.texts(connection, run_id),
        artifacts=tuple(artifacts.of_run(connection, run_id)),
        evaluations=tuple(evaluations.of_run(connection, run_id)),
        comparisons=tuple(comparisons.of_run(connection, run_id)),
        standings=documents.standings(connection, run_id),
        ratings=ratings.of_run(connection, run_id),
        fusions=documents.fusions(connection, run_id),
        calls=tuple(calls.of_run(connection, run_id)),
    )
