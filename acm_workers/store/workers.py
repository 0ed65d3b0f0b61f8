"""Worker processes: registration, heartbeats and queries."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from acm_workers.store.rows import insert_once
from acm_workers.store.tables import WorkerRow

ALIVE = timedelta(seconds=20)
"""Time without a heartbeat after which a process is dead; one is sent every five seconds."""

_KEPT = timedelta(hours=1)


class Worker(NamedTuple):
    """A worker process; see ``WorkerRow``."""

    owner: str
    host: str
    pid: int
    name: str
    queues: tuple[str, ...]
    threads: int
    in_flight: int
    started_at: datetime
    seen_at: datetime
    last_task_at: datetime | None
    sweep_at: datetime | None
    version: str


def server_time(connection: Connection) -> datetime:
    """Return the time of the Postgres server in UTC, which is the clock for all leases."""
    found: datetime = connection.scalars(select(func.clock_timestamp())).one()
    return found.astimezone(UTC)


def register(connection: Connection, worker: Worker) -> None:
    """Register a process that starts to work."""
    insert_once(connection, WorkerRow, [{**worker._asdict(), "queues": list(worker.queues)}])


def heartbeat(
    connection: Connection,
    owner: str,
    now: datetime,
    in_flight: int,
    last_task_at: datetime | None,
) -> bool:
    """Record that a process is alive; return whether it is registered."""
    values = {"in_flight": in_flight, "last_task_at": last_task_at}
    statement = update(WorkerRow).where(WorkerRow.owner == owner).values(seen_at=now, **values)
    result: Any = connection.execute(statement)
    return bool(result.rowcount)


def serves(connection: Connection, owner: str, queues: Sequence[str], threads: int) -> None:
    """Record the queues that a process serves."""
    values = {"queues": list(queues), "threads": threads}
    connection.execute(update(WorkerRow).where(WorkerRow.owner == owner).values(**values))


def mark_swept(connection: Connection, owner: str, now: datetime) -> None:
    """Record that a process has swept."""
    connection.execute(update(WorkerRow).where(WorkerRow.owner == owner).values(sweep_at=now))


def remove(connection: Connection, owner: str) -> None:
    """Delete a process that has ended."""
    connection.execute(delete(WorkerRow).where(WorkerRow.owner == owner))


def remove_old(connection: Connection, now: datetime) -> None:
    """Delete processes whose last heartbeat is an hour old."""
    connection.execute(delete(WorkerRow).where(WorkerRow.seen_at < now - _KEPT))


def alive(connection: Connection, now: datetime) -> list[Worker]:
    """Return the processes that are alive, by host and name."""
    return [worker for worker in known(connection) if worker.seen_at >= now - ALIVE]


def names_alive(connection: Connection, now: datetime) -> list[str]:
    """Return ``host/name`` of the living processes of any version.

    Only columns that exist in stores of earlier versions are read.
    """
    query = select(WorkerRow.host, WorkerRow.name).where(WorkerRow.seen_at >= now - ALIVE)
    rows = connection.execute(query.order_by(WorkerRow.host, WorkerRow.name))
    return [f"{row.host}/{row.name}" for row in rows]


def known(connection: Connection) -> list[Worker]:
    """Return all known processes by host and name, including dead processes."""
    query = _query().order_by(WorkerRow.host, WorkerRow.name, WorkerRow.owner)
    return _workers(connection.execute(query).all())


def of_process(connection: Connection, host: str, pid: int) -> Worker | None:
    """Return the newest worker with a process id on a machine; None if there is none."""
    query = _query().where(WorkerRow.host == host, WorkerRow.pid == pid)
    found = _workers(connection.execute(query.order_by(WorkerRow.started_at.desc())).all())
    return found[0] if found else None


def swept_at(connection: Connection) -> datetime | None:
    """Return the time of the last sweep of any process."""
    found: datetime | None = connection.scalar(select(func.max(WorkerRow.sweep_at)))
    return found


def _query() -> Any:
    return select(*(getattr(WorkerRow, name) for name in Worker._fields))


def _workers(rows: Sequence[Any]) -> list[Worker]:
    return [Worker(**{**row._mapping, "queues": tuple(row.queues)}) for row in rows]
