"""Artifacts: planning, reading, checks and files."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, String, cast, update

from acm_workers.errors import NotFound
from acm_workers.store import rows
from acm_workers.store.rows import fetch_all, insert_once, select_as
from acm_workers.store.tables import ArtifactRow
from schemas.units import Artifact, CheckResult

_LIGHT = frozenset({"text", "child"})


def plan(connection: Connection, artifacts: Sequence[Artifact], published_at: datetime) -> None:
    """Insert planned artifacts whose messages are about to be sent, except existing artifacts."""
    values = [{**artifact.model_dump(), "published_at": published_at} for artifact in artifacts]
    insert_once(connection, ArtifactRow, values)


def insert_done(connection: Connection, artifacts: Sequence[Artifact]) -> None:
    """Insert finished artifacts with the texts of an earlier run."""
    insert_once(connection, ArtifactRow, [artifact.model_dump() for artifact in artifacts])


def get(connection: Connection, artifact_id: str) -> Artifact | None:
    """Return an artifact with its text."""
    return rows.get(connection, ArtifactRow, Artifact, artifact_id)


def of_document(connection: Connection, document_id: str) -> list[Artifact]:
    """Return the artifacts of a document without their texts, by id."""
    return fetch_all(connection, _light().where(ArtifactRow.document_id == document_id), Artifact)


def page(
    connection: Connection,
    run_id: str,
    limit: int,
    after: str | None = None,
    document_id: str | None = None,
) -> list[Artifact]:
    """Return a page of the artifacts of a run, or of one document, by id and without texts."""
    query = _light().where(ArtifactRow.run_id == run_id).limit(limit)
    if after is not None:
        query = query.where(ArtifactRow.id > after)
    if document_id is not None:
        query = query.where(ArtifactRow.document_id == document_id)
    return fetch_all(connection, query, Artifact)


def listed(connection: Connection, ids: Sequence[str]) -> list[Artifact]:
    """Return artifacts by id, without their texts."""
    return fetch_all(connection, _light().where(ArtifactRow.id.in_(ids)), Artifact)


def in_run(connection: Connection, run_id: str, artifact_id: str) -> Artifact:
    """Return an artifact of a run with its text.

    Raises:
        NotFound: The run has no artifact with this id.
    """
    found = get(connection, artifact_id)
    if found is None or found.run_id != run_id:
        raise NotFound(f'run {run_id} has no artifact "{artifact_id}"')
    return found


def of_run(connection: Connection, run_id: str) -> list[Artifact]:
    """Return the artifacts of a run with their texts, by id."""
    query = select_as(ArtifactRow, Artifact).where(ArtifactRow.run_id == run_id)
    return fetch_all(connection, query.order_by(ArtifactRow.id), Artifact)


def done_of_document(connection: Connection, document_id: str) -> list[Artifact]:
    """Return the artifacts of a document that are done, with their texts, by id."""
    query = select_as(ArtifactRow, Artifact).where(
        ArtifactRow.document_id == document_id, ArtifactRow.state == "done"
    )
    return fetch_all(connection, query.order_by(ArtifactRow.id), Artifact)


def without_file(connection: Connection, run_id: str, limit: int) -> list[Artifact]:
    """Return some ended artifacts without an output file, by id, except texts read from files."""
    query = select_as(ArtifactRow, Artifact).where(
        ArtifactRow.run_id == run_id,
        ArtifactRow.state.in_(["done", "failed"]),
        ArtifactRow.file.is_(None),
        ArtifactRow.generator != "files",
    )
    return fetch_all(connection, query.order_by(ArtifactRow.id).limit(limit), Artifact)


def text(connection: Connection, artifact_id: str) -> str | None:
    """Return the text of an artifact; None before the text is written."""
    found: str | None = rows.value(connection, ArtifactRow, "text", artifact_id)
    return found


def set_file(connection: Connection, artifact_id: str, file: str | None) -> None:
    """Record the file of an artifact, relative to the output folder."""
    connection.execute(update(ArtifactRow).where(ArtifactRow.id == artifact_id).values(file=file))


def set_checks(connection: Connection, artifact_id: str, checks: Sequence[CheckResult]) -> None:
    """Store the results of checks on the text of an artifact."""
    values = [one.model_dump() for one in checks]
    connection.execute(
        update(ArtifactRow).where(ArtifactRow.id == artifact_id).values(checks=values)
    )


def failing(connection: Connection, run_id: str) -> list[Artifact]:
    """Return the artifacts of a run that failed a check with ``gate``, by id, without texts."""
    query = _light().where(ArtifactRow.run_id == run_id, ArtifactRow.state == "done")
    query = query.where(cast(ArtifactRow.checks, String) != "[]")
    return [one for one in fetch_all(connection, query, Artifact) if one.barred]


def _light() -> Select[Any]:
    query: Select[Any] = select_as(ArtifactRow, Artifact, without=_LIGHT)
    return query.order_by(ArtifactRow.id)
