"""The paths and times of written reports."""

from datetime import datetime

from sqlalchemy import Connection, delete, select

from acm_workers.store.ids import new_id
from acm_workers.store.rows import insert_once
from acm_workers.store.tables import ReportRow


def replace(connection: Connection, run_id: str, path: str, now: datetime) -> None:
    """Record the path of the report of a run."""
    connection.execute(delete(ReportRow).where(ReportRow.run_id == run_id))
    values = {
        "id": new_id(),
        "run_id": run_id,
        "type": "run",
        "format": "html",
        "storage_path": path,
        "created_at": now,
    }
    insert_once(connection, ReportRow, [values])


def written_at(connection: Connection, run_id: str) -> datetime | None:
    """Return the time when the report of a run was last written; None if never."""
    query = select(ReportRow.created_at).where(ReportRow.run_id == run_id)
    return connection.scalars(query).first()


def path(connection: Connection, run_id: str) -> str | None:
    """Return the path of the report of a run; None if no report was written."""
    return connection.scalars(
        select(ReportRow.storage_path).where(ReportRow.run_id == run_id)
    ).first()
