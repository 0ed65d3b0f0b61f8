"""Debug sessions: one for each round of a submission, claimed like versions."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, select, update

from acm_workers.store.ids import new_id
from acm_workers.store.rows import fetch_all, insert_once, select_as
from acm_workers.store.submission_tables import DebugSessionRow
from acm_workers.store.submission_versions import LEASE
from schemas.submissions import DebuggerKind, DebugSession, ReportKind

_ROW = DebugSessionRow


def add(
    connection: Connection,
    submission_id: int,
    round_: int,
    kind: DebuggerKind,
    now: datetime,
) -> None:
    """Queue a session for the current round of a submission, unless the round has a session."""
    values = {"submission_id": submission_id, "round": round_, "kind": kind, "created_at": now}
    insert_once(connection, _ROW, [{"id": new_id(), **values}])


def of_submission(connection: Connection, submission_id: int) -> list[DebugSession]:
    """Return the sessions of a submission in the order of rounds."""
    query = _query().where(_ROW.submission_id == submission_id).order_by(_ROW.round)
    return fetch_all(connection, query, DebugSession)


def claim(
    connection: Connection, owner: str, host: str, process: str, now: datetime
) -> tuple[DebugSession, int] | None:
    """Claim the oldest queued session; return the session with its epoch."""
    oldest = (
        select(_ROW.id.label("id"), _ROW.epoch)
        .where(_ROW.state == "queued")
        .order_by(_ROW.created_at)
    )
    found = connection.execute(oldest.limit(1).with_for_update(skip_locked=True)).first()
    if found is None:
        return None
    epoch = found.epoch + 1
    connection.execute(
        update(_ROW)
        .where(_ROW.id == found.id)
        .values(
            state="claimed",
            epoch=epoch,
            owner=owner,
            host=host,
            process=process,
            lease_until=now + LEASE,
        )
    )
    session = fetch_all(connection, _query().where(_ROW.id == found.id), DebugSession)[0]
    return session, epoch


def hold(
    connection: Connection, submission_id: int, round_: int, now: datetime, until: datetime
) -> tuple[str, int] | None:
    """Claim the session of a round for an external debugger; return the session with its epoch.

    A missing session is added; an ended session cannot be claimed.

    Args:
        until: Time at which the session ends if no report has arrived.
    """
    add(connection, submission_id, round_, "command", now)
    mine = (_ROW.submission_id == submission_id, _ROW.round == round_, _ROW.state != "ended")
    found = connection.execute(select(_ROW.id.label("id"), _ROW.state, _ROW.epoch).where(*mine))
    row = found.first()
    if row is None:
        return None
    if row.state == "queued":
        values = {"state": "claimed", "epoch": row.epoch + 1, "lease_until": until}
        connection.execute(update(_ROW).where(_ROW.id == row.id).values(**values))
        return row.id, row.epoch + 1
    return row.id, row.epoch


def is_held(connection: Connection, session_id: str, epoch: int) -> bool:
    """Return whether a claim on a session is valid; lock its row until the transaction ends."""
    held = (_ROW.id == session_id, _ROW.epoch == epoch, _ROW.state == "claimed")
    return connection.scalar(select(_ROW.id).where(*held).with_for_update()) is not None


def renew(connection: Connection, owner: str, held: list[str], now: datetime) -> None:
    """Renew the leases of a worker on its sessions."""
    own = (_ROW.id.in_(held), _ROW.owner == owner, _ROW.state == "claimed")
    connection.execute(update(_ROW).where(*own).values(lease_until=now + LEASE))


def end(  # noqa: PLR0913  what a row has
    connection: Connection,
    session_id: str,
    epoch: int,
    now: datetime,
    *,
    report_kind: ReportKind | None,
    report: str = "",
    log: str = "",
) -> bool:
    """End a session with its report; return whether the claim was still valid."""
    values = {"report_kind": report_kind, "report": report, "log": log}
    result: Any = connection.execute(
        update(_ROW)
        .where(_ROW.id == session_id, _ROW.epoch == epoch, _ROW.state == "claimed")
        .values(state="ended", owner=None, lease_until=None, finished_at=now, **values)
    )
    return bool(result.rowcount)


def queue_again(connection: Connection, session_id: str, epoch: int) -> bool:
    """Queue the session of a stopping worker again; return whether its claim was still valid."""
    result: Any = connection.execute(
        update(_ROW)
        .where(_ROW.id == session_id, _ROW.epoch == epoch, _ROW.state == "claimed")
        .values(state="queued", owner=None, lease_until=None)
    )
    return bool(result.rowcount)


def end_all(connection: Connection, submission_id: int, now: datetime) -> None:
    """End the sessions of a cancelled or void submission; their workers then stop the debuggers."""
    connection.execute(
        update(_ROW)
        .where(_ROW.submission_id == submission_id, _ROW.state != "ended")
        .values(state="ended", owner=None, lease_until=None, finished_at=now, epoch=_ROW.epoch + 1)
    )


class HeldSession(DebugSession):
    """A claimed session, as read by the sweep."""

    epoch: int
    lease_until: datetime
    owner: str | None
    host: str | None
    process: str | None


def held(connection: Connection) -> list[HeldSession]:
    """Return all claimed sessions, oldest first."""
    query: Select[Any] = select_as(_ROW, HeldSession)
    claimed = query.where(_ROW.state == "claimed").order_by(_ROW.created_at)
    return fetch_all(connection, claimed, HeldSession)


def expire(connection: Connection, session_id: str, epoch: int, now: datetime) -> bool:
    """End the session of a dead worker without a report; return whether it was still claimed."""
    log = "the worker of the debugger died"
    return end(connection, session_id, epoch, now, report_kind=None, log=log)


def submissions_of(connection: Connection, session_ids: list[str]) -> list[int]:
    """Return the submission of each session."""
    return list(connection.scalars(select(_ROW.submission_id).where(_ROW.id.in_(session_ids))))


def open_count(connection: Connection) -> int:
    """Return the number of queued and running sessions."""
    return len(connection.execute(select(_ROW.id).where(_ROW.state != "ended")).all())


def _query() -> Select[Any]:
    found: Select[Any] = select_as(_ROW, DebugSession)
    return found
