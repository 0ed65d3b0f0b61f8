"""Tasks for code submissions."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, update

from acm_workers.errors import NotFound
from acm_workers.store.rows import insert_once
from acm_workers.store.submission_tables import SubmissionTaskRow
from schemas.submissions import SubmissionTask


def put(connection: Connection, task: SubmissionTask, now: datetime) -> None:
    """Insert or replace a task."""
    spec = task.model_dump(mode="json", exclude={"key"})
    values = {"key": task.key, "spec": spec, "created_at": now, "updated_at": now}
    insert_once(connection, SubmissionTaskRow, [values])
    row = SubmissionTaskRow
    connection.execute(update(row).where(row.key == task.key).values(spec=spec, updated_at=now))


def get(connection: Connection, key: str) -> SubmissionTask:
    """Return a task.

    Raises:
        NotFound: There is no task with this name.
    """
    query = select(SubmissionTaskRow.spec).where(SubmissionTaskRow.key == key)
    spec: dict[str, Any] | None = connection.scalar(query)
    if spec is None:
        known = ", ".join(task.key for task in every(connection)) or "none yet"
        raise NotFound(
            f'there is no task "{key}" (known: {known});'
            " `acm submissions tasks FILE` registers those of a file"
        )
    return SubmissionTask(key=key, **spec)


def every(connection: Connection) -> list[SubmissionTask]:
    """Return all tasks, sorted by name."""
    query = select(SubmissionTaskRow.key.label("key"), SubmissionTaskRow.spec).order_by(
        SubmissionTaskRow.key
    )
    return [SubmissionTask(key=row.key, **row.spec) for row in connection.execute(query)]
