"""The events of a run, as shown by `acm follow` and the pages."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from acm_workers.store import runs
from acm_workers.store.rows import insert_once
from acm_workers.store.tables import EventRow

_MOST_ID = 2**31 - 1


class Event(NamedTuple):
    """An event of a run; later events have greater ids."""

    id: int
    document_id: str | None
    kind: str
    data: dict[str, Any]
    at: datetime


def add(
    connection: Connection,
    run_id: str,
    kind: str,
    now: datetime,
    document_id: str | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Record an event; call this last in a transaction, after changes of units and documents.

    The run is locked from before the id is created until the transaction ends. Ids of a run
    therefore become visible in ascending order, and a reader never misses an earlier event
    (decision 0073).
    """
    runs.lock(connection, run_id)
    values = {
        "run_id": run_id,
        "document_id": document_id,
        "kind": kind,
        "data": dict(data or {}),
        "at": now,
    }
    insert_once(connection, EventRow, [values])


def data_of(connection: Connection, run_id: str, kind: str) -> dict[str, Any] | None:
    """Return the data of the first event of a kind; None if there is none."""
    query = select(EventRow.data).where(EventRow.run_id == run_id, EventRow.kind == kind)
    found: dict[str, Any] | None = connection.scalar(query.order_by(EventRow.id).limit(1))
    return found


def latest(
    connection: Connection, run_id: str, kind: str, limit: int = 200
) -> list[dict[str, Any]]:
    """Return the data of the last events of a kind, in order of creation."""
    query = select(EventRow.data).where(EventRow.run_id == run_id, EventRow.kind == kind)
    found = connection.scalars(query.order_by(EventRow.id.desc()).limit(limit)).all()
    return list(reversed(found))


def last_at(connection: Connection, run_id: str) -> datetime | None:
    """Return the time of the last event of a run."""
    return connection.scalar(select(func.max(EventRow.at)).where(EventRow.run_id == run_id))


def since(
    connection: Connection, run_id: str, last_id: int, limit: int | None = None
) -> list[Event]:
    """Return at most ``limit`` events of a run after ``last_id``, in order."""
    query = (
        select(EventRow.id, EventRow.document_id, EventRow.kind, EventRow.data, EventRow.at)
        # Postgres refuses to compare ids with a number that none can have.
        .where(EventRow.run_id == run_id, EventRow.id > min(last_id, _MOST_ID))
        .order_by(EventRow.id)
        .limit(limit)
    )
    return [Event(*row) for row in connection.execute(query)]
