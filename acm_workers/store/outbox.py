"""Notices to people and programs, stored in the transaction of the change that they report."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, literal_column, select, update

from acm_workers.store.ids import new_id
from acm_workers.store.rows import insert_once
from acm_workers.store.submission_tables import OutboxRow
from schemas.submissions import NoticeTarget

MOST_TRIES = 12
_SENDING_S = 120.0
_FIRST_WAIT_S = 2.0
_LONGEST_WAIT_S = 3600.0
_ROW = OutboxRow


class OutboxNotice(NamedTuple):
    """A notice and the state of its delivery.

    Attributes:
        id: Identical in each attempt, so that receivers can drop duplicates.
    """

    id: str
    dedup_key: str
    submission_id: int
    target: NoticeTarget
    payload: dict[str, Any]
    state: str
    epoch: int
    tries: int
    error: str | None
    sent_at: datetime | None


def add(
    connection: Connection,
    dedup_key: str,
    submission_id: int,
    target: NoticeTarget,
    payload: Mapping[str, Any],
    now: datetime,
) -> None:
    """Add a notice, unless a notice with the same key exists."""
    values = {
        "id": new_id(),
        "dedup_key": dedup_key,
        "submission_id": submission_id,
        "target": target.model_dump(mode="json"),
        "payload": dict(payload),
        "next_try_at": now,
        "created_at": now,
    }
    insert_once(connection, _ROW, [values])


def claim(connection: Connection, process: str, now: datetime) -> OutboxNotice | None:
    """Claim the next due notice; the claim of a dead sender expires.

    Args:
        process: Identity of the process that sends it.
    """
    due = select(_ROW.id).where(_ROW.state.in_(["pending", "sending"]), _ROW.next_try_at <= now)
    ordered = due.order_by(_ROW.next_try_at, _ROW.id).limit(1)
    found = connection.scalar(ordered.with_for_update(skip_locked=True))
    if found is None:
        return None
    until = now + timedelta(seconds=_SENDING_S)
    counts = {"epoch": _ROW.epoch + 1, "tries": _ROW.tries + 1}
    connection.execute(
        update(_ROW)
        .where(_ROW.id == found)
        .values(state="sending", process=process, next_try_at=until, **counts)
    )
    return _notices(connection, _ROW.id == found)[0]


def sent(connection: Connection, notice: OutboxNotice, now: datetime) -> bool:
    """Record that a notice was delivered; return whether its claim was still valid."""
    return _end(connection, notice, {"state": "sent", "sent_at": now, "error": None})


def failed(connection: Connection, notice: OutboxNotice, error: str, now: datetime) -> None:
    """Record a failed attempt, and schedule the next attempt unless there were too many."""
    wait_s = min(_FIRST_WAIT_S * 2 ** (notice.tries - 1), _LONGEST_WAIT_S)
    state = "failed" if notice.tries >= MOST_TRIES else "pending"
    values = {"state": state, "error": error, "next_try_at": now + timedelta(seconds=wait_s)}
    _end(connection, notice, values)


def sending(connection: Connection) -> list[tuple[str, int, str | None]]:
    """Return the id, epoch and process of each notice that is being sent."""
    query = select(_ROW.id.label("id"), _ROW.epoch, _ROW.process)
    found = query.where(_ROW.state == literal_column("'sending'")).order_by(_ROW.id)
    return [(row.id, row.epoch, row.process) for row in connection.execute(found)]


def release(connection: Connection, notice_id: str, epoch: int, now: datetime) -> None:
    """Release the notice of a dead sender, which is sent again even if it was delivered."""
    held = (_ROW.id == notice_id, _ROW.epoch == epoch, _ROW.state == "sending")
    connection.execute(update(_ROW).where(*held).values(next_try_at=now))


def of_submission(connection: Connection, submission_id: int) -> list[OutboxNotice]:
    """Return the notices about a submission, in order."""
    return _notices(connection, _ROW.submission_id == submission_id)


def unsent(connection: Connection) -> int:
    """Return the number of unsent notices."""
    query = select(func.count()).select_from(_ROW).where(_ROW.state.in_(["pending", "sending"]))
    return connection.scalar(query) or 0


def is_due(connection: Connection, now: datetime) -> bool:
    """Return whether a notice is due."""
    open_states = _ROW.state.in_([literal_column("'pending'"), literal_column("'sending'")])
    query = select(_ROW.id).where(open_states, _ROW.next_try_at <= now)
    return connection.scalar(query.limit(1)) is not None


def _end(connection: Connection, notice: OutboxNotice, values: dict[str, Any]) -> bool:
    result: Any = connection.execute(
        update(_ROW)
        .where(_ROW.id == notice.id, _ROW.epoch == notice.epoch, _ROW.state == "sending")
        .values(**values)
    )
    return bool(result.rowcount)


def _notices(connection: Connection, which: Any) -> list[OutboxNotice]:
    columns = [getattr(_ROW, name).label(name) for name in OutboxNotice._fields]
    rows = connection.execute(select(*columns).where(which).order_by(_ROW.created_at, _ROW.id))
    return [
        OutboxNotice(**row._asdict() | {"target": NoticeTarget.model_validate(row.target)})
        for row in rows
    ]
