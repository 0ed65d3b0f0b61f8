"""Additional files of artifacts, such as ``docx``."""

from collections.abc import Sequence

from sqlalchemy import Connection, delete, select

from acm_workers.store.rows import insert_once
from acm_workers.store.tables import ArtifactFileRow
from schemas.children import ArtifactFile


def replace(connection: Connection, artifact_id: str, files: Sequence[ArtifactFile]) -> None:
    """Store the files of an artifact, replacing all earlier files."""
    connection.execute(delete(ArtifactFileRow).where(ArtifactFileRow.artifact_id == artifact_id))
    values = [{"artifact_id": artifact_id, **file.model_dump()} for file in files]
    insert_once(connection, ArtifactFileRow, values)


def of_artifacts(
    connection: Connection, artifact_ids: Sequence[str]
) -> dict[str, tuple[ArtifactFile, ...]]:
    """Return the files of artifacts by artifact, sorted by extension."""
    row = ArtifactFileRow
    query = (
        select(row.artifact_id, row.extension, row.data)
        .where(row.artifact_id.in_(artifact_ids))
        .order_by(row.artifact_id, row.extension)
    )
    found: dict[str, tuple[ArtifactFile, ...]] = {}
    for artifact_id, extension, data in connection.execute(query):
        file = ArtifactFile(extension=extension, data=data)
        found[artifact_id] = (*found.get(artifact_id, ()), file)
    return found
