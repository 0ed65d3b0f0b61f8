"""A made-up run in a store, as pages and routes read it."""

from sqlalchemy import Connection

from acm_workers.store import calls, documents, runs
from acm_workers.store.rows import insert_once
from acm_workers.store.tables import ArtifactRow, ComparisonRow, EvaluationRow
from schemas.run import RunRecords


def put(connection: Connection, known: RunRecords) -> None:
    """Insert a run with all its records; ratings are left out."""
    runs.add(connection, known.run)
    documents.add(connection, known.documents, known.texts)
    for document in known.documents:
        standings = known.standings.get(document.id, ())
        documents.finish(connection, document, standings, known.fusions.get(document.id, ()))
    for row, units in (
        (ArtifactRow, known.artifacts),
        (EvaluationRow, known.evaluations),
        (ComparisonRow, known.comparisons),
    ):
        insert_once(connection, row, [one.model_dump() for one in units])
    for call in known.calls:
        calls.start(connection, call)
    calls.end(connection, known.calls)
