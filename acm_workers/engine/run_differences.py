"""Reading two runs from the store, to compare them."""

import hashlib

from sqlalchemy import Connection

from acm_workers.pipeline import run_difference
from acm_workers.pipeline.run_difference import DecidedDocument, RunDocuments
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.reporting import junit
from acm_workers.reporting.document_records import DocumentRecords, document_records
from acm_workers.store import results
from acm_workers.store.connection.database import Database
from schemas.run import Run
from schemas.run_difference import RunDifference


def between(database: Database, a: Run, b: Run) -> RunDifference:
    """Return which of two runs writes better, paired by document; ``b`` against ``a``.

    Raises:
        NotFound: The texts of one of them were deleted.
    """
    with database.read() as connection:
        old, new = read(connection, a), read(connection, b)
    return run_difference.difference(old, new)


def as_junit(found: RunDifference, missed: str | None) -> bytes:
    """Return a difference as JUnit XML.

    Args:
        missed: Why a gate is missed, if it is.
    """
    return junit.difference(found, missed)


def read(connection: Connection, run: Run) -> RunDocuments:
    """Return a run with its documents; those that it skipped come from earlier runs.

    Raises:
        NotFound: Its texts, or those of such a run, were deleted.
    """
    found = list(_documents(connection, run.id).values())
    earlier = {entry.run_id for entry in run.skipped}
    known = {run_id: _documents(connection, run_id) for run_id in earlier}
    for entry in run.skipped:
        document = known[entry.run_id].get(entry.document_id)
        if document is not None:
            found.append(document._replace(path=entry.path))
    return RunDocuments(run, found)


def _documents(connection: Connection, run_id: str) -> dict[str, DecidedDocument]:
    """Return the documents of a run, by id."""
    records = document_records(results.records(connection, run_id))
    return {one.document.id: _decided(one) for one in records}


def _decided(known: DocumentRecords) -> DecidedDocument:
    winner_id = known.document.winner_id
    texts = {one.id: one.text for one in known.artifacts}
    chances = {one.artifact_id: one.p_best for one in known.standings}
    return DecidedDocument(
        path=known.document.path,
        digest=_digest(known.source) if known.source else "",
        snapshot=DocumentSnapshot(
            known.document,
            list(known.artifacts),
            list(known.evaluations),
            list(known.comparisons),
        ),
        winner_text=None if winner_id is None else _digest(texts.get(winner_id) or ""),
        p_best=None if winner_id is None else chances.get(winner_id),
        calls=known.calls,
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
