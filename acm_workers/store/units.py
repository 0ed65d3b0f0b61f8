"""Queries and updates for units of all kinds: publishing, cancelling and planning again."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, select, true, update

from acm_workers.store import pending_calls, tenants
from acm_workers.store.rows import UNIT_ROWS, UnitRow
from acm_workers.store.tables import DocumentRow, RunRow
from schemas import lanes
from schemas.record import Record
from schemas.scope import Scope
from schemas.units import Artifact, Comparison, Evaluation, Stage, UnitKind

URGENT: frozenset[Stage] = frozenset({"combine", "playoff"})
"""Stages of documents that are near their end."""

_KINDS: dict[type[Record], UnitKind] = {
    Artifact: "artifact",
    Evaluation: "evaluation",
    Comparison: "comparison",
}


class UnitMessage(NamedTuple):
    """The message of a unit: the unit's id, and its queue and priority.

    Attributes:
        urgent: Whether the unit has priority, because its document is near its end.
    """

    kind: UnitKind
    id: str
    document_id: str
    queue: str
    urgent: bool = False


def messages(
    connection: Connection,
    planned: Sequence[Artifact | Evaluation | Comparison],
    *,
    urgent: bool = False,
) -> list[UnitMessage]:
    """Return the messages of newly planned units."""
    found = []
    for unit in planned:
        queue = lanes.queue(unit.lane, Scope(tenants.of_run(connection, unit.run_id)))
        message = UnitMessage(_KINDS[type(unit)], unit.id, unit.document_id, queue, urgent)
        found.append(message)
    return found


def unpublished(
    connection: Connection,
    run_id: str,
    before: datetime,
    limit: int = 5000,
    full: Collection[str] = (),
) -> list[UnitMessage]:
    """Return planned units of a run older than ``before`` for which no message was sent.

    Units that wait for a background answer are returned when the next poll is due.

    Args:
        limit: Maximum number of units of one kind and one lane.
        full: Queues whose units are not returned.
    """
    found: list[UnitMessage] = []
    scope = Scope(tenants.of_run(connection, run_id))
    for kind, row in UNIT_ROWS.items():
        old = and_(row.created_at < before, row.not_before.is_(None) | (row.not_before <= before))
        for lane in _lanes(connection, row, run_id, row.published_at.is_(None)):
            if lanes.queue(lane, scope) not in full:
                which = and_(row.run_id == run_id, row.lane == lane, old)
                found += _planned(connection, kind, row, which, limit)
    return found


def planned_queues(connection: Connection, run_id: str) -> set[str]:
    """Return the queues of the planned units of a run."""
    scope = Scope(tenants.of_run(connection, run_id))
    return {
        lanes.queue(lane, scope)
        for row in UNIT_ROWS.values()
        for sent in (row.published_at.is_(None), row.published_at.is_not(None))
        for lane in _lanes(connection, row, run_id, sent)
    }


def lost_messages(
    connection: Connection,
    run_id: str,
    drained: Collection[str],
    before: datetime,
    limit: int = 5000,
) -> list[UnitMessage]:
    """Return planned units whose messages were sent, or last received, before ``before``.

    These messages are lost if the queues ``drained`` are empty.
    """
    found: list[UnitMessage] = []
    scope = Scope(tenants.of_run(connection, run_id))
    own = {lane for name in drained if lanes.queue(lane := lanes.lane_of(name), scope) == name}
    for kind, row in UNIT_ROWS.items():
        which = (row.run_id == run_id, row.lane.in_(own), row.published_at < before)
        found += _planned(connection, kind, row, and_(*which), limit, sent=True)
    return found


def due(connection: Connection, run_id: str, now: datetime, limit: int = 5000) -> list[UnitMessage]:
    """Return planned units of a run with a due poll of their background answer."""
    found: list[UnitMessage] = []
    for kind, row in UNIT_ROWS.items():
        found += _planned(
            connection, kind, row, and_(row.run_id == run_id, row.not_before <= now), limit
        )
    return found


def mark_published(
    connection: Connection, kind: UnitKind, ids: Sequence[str], now: datetime
) -> None:
    """Record that messages for ``ids`` are being sent."""
    row = UNIT_ROWS[kind]
    if ids:
        connection.execute(update(row).where(row.id.in_(ids)).values(published_at=now))


def mark_unsent(connection: Connection, units: Sequence[UnitMessage]) -> None:
    """Record that messages could not be sent, so that the sweep sends them."""
    for kind, row in UNIT_ROWS.items():
        ids = [unit.id for unit in units if unit.kind == kind]
        if ids:
            statement = update(row).where(row.id.in_(ids), row.state == "planned")
            connection.execute(statement.values(published_at=None))


def mark_received(connection: Connection, held: Mapping[str, UnitKind], now: datetime) -> None:
    """Record that a worker has received messages and waits for a permit."""
    for kind, row in UNIT_ROWS.items():
        ids = [unit_id for unit_id, of_kind in held.items() if of_kind == kind]
        if ids:
            sent = (row.state == "planned", row.published_at.is_not(None))
            statement = update(row).where(row.id.in_(ids), *sent)
            connection.execute(statement.values(published_at=now))


def mark_all_unsent(connection: Connection, run_id: str) -> None:
    """Mark all planned units of a run as unpublished, since their messages were lost."""
    for row in UNIT_ROWS.values():
        connection.execute(
            update(row)
            .where(row.run_id == run_id, row.state == "planned")
            .values(published_at=None, rests=False)
        )


def resume_suspended(connection: Connection, run_id: str) -> None:
    """End the suspension of a run's units, so that they are published again."""
    for row in UNIT_ROWS.values():
        connection.execute(
            update(row)
            .where(row.run_id == run_id, row.state == "planned", row.rests.is_(True))
            .values(published_at=None, rests=False)
        )


def cancel_planned(
    connection: Connection, run_id: str, now: datetime, why: str = "the run was cancelled"
) -> None:
    """Cancel every planned unit of a run."""
    for row in UNIT_ROWS.values():
        connection.execute(
            update(row)
            .where(row.run_id == run_id, row.state == "planned")
            .values(state="cancelled", finished_at=now, error=why)
        )


def background_failures(connection: Connection, kind: UnitKind, unit_id: str) -> int:
    """Return the number of failed background answers since a unit was planned."""
    row = UNIT_ROWS[kind]
    return connection.scalars(select(row.failures).where(row.id == unit_id)).one()


def count_background_failure(connection: Connection, kind: UnitKind, unit_id: str) -> None:
    """Increase the number of failed background answers of a unit."""
    row = UNIT_ROWS[kind]
    more = update(row).where(row.id == unit_id).values(failures=row.failures + 1)
    connection.execute(more)


def replan(
    connection: Connection,
    document_id: str,
    states: Sequence[str],
    which: Mapping[UnitRow, ColumnElement[bool]] = MappingProxyType({}),
) -> int:
    """Plan units of a document that ended in one of ``states`` again; return their number.

    Args:
        which: A further condition, by kind of unit.
    """
    count = 0
    for kind, row in UNIT_ROWS.items():
        # The file of a failed candidate says why it failed, which is over.
        file = {"file": None} if kind == "artifact" else {}
        result = connection.execute(
            update(row)
            .where(row.document_id == document_id, row.state.in_(states), which.get(row, true()))
            .values(
                state="planned",
                published_at=None,
                attempts=0,
                not_before=None,
                failures=0,
                error=None,
                error_kind=None,
                finished_at=None,
                **file,
            )
            .returning(row.id)
        )
        count += len(result.all())
    return count


def cancelled_runs(connection: Connection, run_ids: Sequence[str]) -> set[str]:
    """Return the runs whose cancellation was requested."""
    query = select(RunRow.id).where(RunRow.id.in_(run_ids), RunRow.cancel_requested.is_(True))
    return set(connection.scalars(query))


def _lanes(
    connection: Connection, row: UnitRow, run_id: str, sent: ColumnElement[bool]
) -> Iterator[str]:
    """Yield the lanes of planned units of a run.

    The index is searched from one lane to the next, since a large run has a million units in a few
    lanes.
    """
    of_run = (row.run_id == run_id, row.state == "planned", sent)
    lane = connection.scalar(select(func.min(row.lane)).where(*of_run))
    while lane is not None:
        yield lane
        lane = connection.scalar(select(func.min(row.lane)).where(*of_run, row.lane > lane))


def _planned(
    connection: Connection,
    kind: UnitKind,
    row: UnitRow,
    which: ColumnElement[bool],
    limit: int,
    *,
    sent: bool = False,
) -> list[UnitMessage]:
    # Only units that waited before can have a call open: most do not pay for that question.
    is_polled = and_(row.not_before.is_not(None), pending_calls.is_pending(row))
    query = (
        select(
            row.id,
            row.document_id,
            row.run_id,
            row.lane,
            row.provider,
            is_polled,
            DocumentRow.stage,
        )
        .join(DocumentRow, DocumentRow.id == row.document_id)
        .where(row.state == "planned", row.rests.is_(False), which)
        .order_by(row.document_id, row.id)
        .limit(limit)
    )
    if not sent:
        query = query.where(row.published_at.is_(None))
    messages = []
    for unit_id, document_id, run_id, lane, provider, polled, stage in connection.execute(query):
        scope = Scope(tenants.of_run(connection, run_id))
        queue = lanes.queue(lanes.poll(provider) if polled else lane, scope)
        messages.append(UnitMessage(kind, unit_id, document_id, queue, stage in URGENT))
    return messages
