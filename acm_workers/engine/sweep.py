"""The sweep: publishes units again whose message was lost or whose worker died."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import Connection

from acm_workers import broker
from acm_workers.engine import admission, publish
from acm_workers.engine.advance import close_run
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import (
    batches,
    calls,
    claims,
    documents,
    events,
    runs,
    units,
    waits,
    workers,
)
from acm_workers.store.connection.database import Database
from acm_workers.store.units import UnitMessage
from schemas.units import UnitKind

_GRACE = timedelta(seconds=5)
"""Maximum duration of sending a message."""

_MISSED = timedelta(seconds=20)
"""Time after which a unit without a worker needs a new message; heartbeats are sent every 5 s."""


class QueueStates(NamedTuple):
    """The empty and the full queues of the broker at one time.

    Attributes:
        drained: Queues without messages. A message that was sent to such a queue earlier is lost if
            no worker holds its unit.
        full: Queues with enough messages, to which no further messages are sent now.
    """

    drained: Collection[str]
    full: Collection[str]


def recover(database: Database, run_id: str, owner: str, making: RecordContext) -> int:
    """Take over a run whose workers are all dead; return the number of uncertain calls.

    The caller must hold the lock on the run.
    """
    with database.write() as connection:
        claims.release_all_but(connection, run_id, owner, making.now)
        uncertain = calls.mark_uncertain(connection, owner, run_id, making.now)
        units.mark_all_unsent(connection, run_id)
        documents.mark_all_unsent(connection, run_id)
        waits.replace(connection, run_id, [])
        batches.release(connection, run_id=run_id)
        if uncertain:
            data = {"calls": uncertain}
            events.add(connection, run_id, "uncertain", making.now, data=data)
    return uncertain


def begin(database: Database, run_id: str, making: RecordContext, most: int) -> None:
    """Publish the first documents of a run, and at most ``most`` units of each kind."""
    with database.write() as connection:
        unstarted = documents.unstarted(connection, run_id, making.now)
        unstarted = admission.admitted(connection, run_id, unstarted)
        first = units.unpublished(connection, run_id, making.now, most)
        documents.mark_published(connection, unstarted, making.now)
        _published(connection, first, making)
    publish.start(database, unstarted)
    publish.units(database, first)


class MissingMessages(NamedTuple):
    """The missing messages of a run.

    Attributes:
        unstarted: Documents whose first message is missing.
        units: Units whose message is missing.
        idle: Documents that are ready to advance.
    """

    unstarted: Sequence[str]
    units: Sequence[UnitMessage]
    idle: Sequence[str]


def sweep(
    database: Database,
    run_id: str,
    making: RecordContext,
    grace: timedelta = _GRACE,
    *,
    queues: QueueStates | None = None,
    leases: bool = True,
) -> None:
    """Publish units and documents without a message, and advance idle documents; see ``look``."""
    send(database, look(database, run_id, making, grace, queues=queues, leases=leases))


def look(
    database: Database,
    run_id: str,
    making: RecordContext,
    grace: timedelta = _GRACE,
    *,
    queues: QueueStates | None = None,
    leases: bool = True,
) -> MissingMessages:
    """Mark units and documents without a message as published, and return them for ``send``.

    Args:
        queues: State of the queues; absent if no message can be lost.
        leases: Whether expired leases belong to dead workers.
    """
    before = making.now - grace
    with database.write() as connection:
        uncertain = _release(connection, run_id, making) if leases else 0
        unstarted = documents.unstarted(connection, run_id, before)
        unstarted = admission.admitted(connection, run_id, unstarted)
        full = () if queues is None else queues.full
        open_units = units.unpublished(connection, run_id, before, full=full)
        if queues is not None:
            missed = making.now - _MISSED
            open_units += units.lost_messages(connection, run_id, queues.drained, missed)
            if broker.CONTROL in queues.drained:
                unstarted += documents.lost_messages(connection, run_id, missed)
        documents.mark_published(connection, unstarted, making.now)
        _published(connection, open_units, making)
        moves = queues is None or broker.CONTROL in queues.drained
        quiet = documents.idle(connection, run_id) if moves else []
        if uncertain:
            data = {"calls": uncertain}
            events.add(connection, run_id, "uncertain", making.now, data=data)
        close_run(connection, run_id, making)
    return MissingMessages(unstarted, open_units, quiet)


def send(database: Database, found: MissingMessages) -> None:
    """Send the missing messages."""
    publish.start(database, found.unstarted)
    publish.units(database, found.units)
    publish.advance(*found.idle)


def release_owner(database: Database, owner: str, making: RecordContext) -> int:
    """Release the units of a process and remove it; return the number of uncertain calls."""
    with database.write() as connection:
        claims.release_owned(connection, owner, making.now)
        batches.release(connection, owner=owner)
        by_run = calls.mark_uncertain_of_owner(connection, owner, making.now)
        for run_id, number in sorted(by_run.items()):
            events.add(connection, run_id, "uncertain", making.now, data={"calls": number})
        workers.remove(connection, owner)
    return sum(by_run.values())


def poll(database: Database, run_id: str, making: RecordContext) -> None:
    """Publish units whose background answer is due to be polled."""
    with database.read() as connection:
        if not units.due(connection, run_id, making.now, limit=1):
            return
    with database.write() as connection:
        due = units.due(connection, run_id, making.now)
        _published(connection, due, making)
    publish.units(database, due)


def cancel(
    connection: Connection, run_id: str, making: RecordContext, *, requested: bool = False
) -> None:
    """Cancel planned units; documents without units in progress end as cancelled.

    Args:
        requested: Whether a user requests it now, which is recorded unless one has before.
    """
    # Units, documents, run: workers lock in this order, too.
    units.cancel_planned(connection, run_id, making.now)
    documents.cancel_idle(connection, run_id, making.now)
    if requested and runs.cancel(connection, run_id):
        events.add(connection, run_id, "run_cancel_requested", making.now)
    close_run(connection, run_id, making)


def _release(connection: Connection, run_id: str, making: RecordContext) -> int:
    """Plan the units of dead workers again; return the number of uncertain calls."""
    released = claims.release_expired(connection, run_id, making.now)
    return calls.mark_uncertain_of_units(connection, released, making.now)


def _published(connection: Connection, sent: Sequence[UnitMessage], making: RecordContext) -> None:
    by_kind: dict[UnitKind, list[str]] = {}
    for unit in sent:
        by_kind.setdefault(unit.kind, []).append(unit.id)
    for kind, ids in by_kind.items():
        units.mark_published(connection, kind, ids, making.now)
