"""Batches, their requests and results, and requests that wait for a batch."""

import zlib
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

import pydantic_core
from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from acm_workers.store import pending_calls, tenants
from acm_workers.store.batch_tables import BatchedRequestRow, BatchRow
from acm_workers.store.rows import UNIT_ROWS, table
from acm_workers.store.tables import CallRow, RunRow
from schemas.calls import Call, NotExecuted

LEASE = timedelta(seconds=180)
"""Maximum duration of work on a batch: three requests of 55 s, and a reserve."""

_OPEN = BatchRow.state != "ended"


class Batch(NamedTuple):
    """A batch; see ``BatchRow``."""

    id: str
    run_id: str
    provider: str
    model: str
    state: str
    size: int
    answered: int
    there_id: str | None
    adopted: bool
    others: Sequence[str]
    cancel_requested: bool
    cancelled: bool
    failures: int
    misses: int
    epoch: int
    sent_at: datetime | None
    created_at: datetime


class StoredRequest(NamedTuple):
    """A stored request of a batch.

    Attributes:
        answered: Whether there is a result.
        result: JSON of the result.
    """

    call_id: str
    batch_id: str | None
    name: str
    answered: bool
    status: int | None
    reason: NotExecuted | None
    result: Any


class NewResult(NamedTuple):
    """The result of a request; see ``BatchedRequestRow``."""

    name: str
    status: int | None
    reason: NotExecuted | None
    result: Any


class BatchLimits(NamedTuple):
    """The maximum number of requests in a batch, and their maximum size in bytes."""

    requests: int
    size: int


class WaitingRequests(NamedTuple):
    """The requests of a run to one model that wait for a batch.

    Attributes:
        size: Total size in bytes.
        since: Time of the oldest request.
    """

    provider: str
    model: str
    number: int
    size: int
    since: datetime


def add_request(connection: Connection, call: Call, body: dict[str, Any]) -> None:
    """Store the request of a call; call this in the transaction that starts the call."""
    raw = pydantic_core.to_json(body)
    values = {
        "call_id": call.id,
        "tenant_id": tenants.of_run(connection, call.run_id),
        "run_id": call.run_id,
        "provider": call.provider,
        "model": call.model,
        "batch_id": None,
        "name": f"{call.digest[:32]}-{call.iteration}",
        "body": zlib.compress(raw),
        "size": len(raw),
        "created_at": call.started_at,
    }
    connection.execute(insert(table(BatchedRequestRow)).values(values))
    # From now on the call is open: whatever dies, its answer is looked for.
    pending_calls.mark_submitted(connection, call.id, call.id)


def of_call(connection: Connection, call_id: str) -> StoredRequest | None:
    """Return the request of a call that is sent in a batch; None for other calls."""
    found = _requests(connection, BatchedRequestRow.call_id == call_id)
    return found[0] if found else None


def of_abandoned(connection: Connection, run_id: str) -> dict[str, StoredRequest]:
    """Return the requests of pending calls that no unit of a run waits for, by call."""
    row = BatchedRequestRow
    nobody = select(CallRow.id).where(CallRow.run_id == run_id, CallRow.state == "started")
    which = row.call_id.in_(nobody.where(~pending_calls.is_awaited()))
    found = _requests(connection, and_(row.run_id == run_id, which))
    return {one.call_id: one for one in found}


def runs(connection: Connection, only: Collection[str] | None = None) -> list[str]:
    """Return the runs that have requests in batches, by id.

    Args:
        only: Ids of the runs to search; default: the runs given to workers.
    """
    query = select(BatchedRequestRow.run_id).distinct().order_by(BatchedRequestRow.run_id)
    if only is not None:
        return list(connection.scalars(query.where(BatchedRequestRow.run_id.in_(only))))
    query = query.join(RunRow, RunRow.id == BatchedRequestRow.run_id)
    return list(connection.scalars(query.where(RunRow.distributed.is_(True))))


def waiting(connection: Connection, run_id: str) -> list[WaitingRequests]:
    """Return the requests of a run that wait for a batch, by provider and model."""
    row = BatchedRequestRow
    query = (
        select(
            row.provider,
            row.model,
            func.count(),
            func.sum(row.size),
            func.min(row.created_at, type_=table(row).c.created_at.type),
        )
        .where(row.run_id == run_id, row.batch_id.is_(None))
        .group_by(row.provider, row.model)
        .order_by(row.provider, row.model)
    )
    return [WaitingRequests(*found) for found in connection.execute(query)]


def may_grow(connection: Connection, run_id: str) -> bool:
    """Return whether units of a run may still add requests before the next answer arrives."""
    for row in UNIT_ROWS.values():
        busy = and_(row.state == "planned", row.rests.is_(False), ~pending_calls.is_pending(row))
        which = row.run_id == run_id, or_(row.state == "claimed", busy)
        if connection.scalar(select(exists().where(*which))):
            return True
    return False


def seal(
    connection: Connection,
    of: WaitingRequests,
    run_id: str,
    batch_id: str,
    now: datetime,
    limits: BatchLimits,
) -> int:
    """Create a batch of the oldest waiting requests; return the number of its requests."""
    row = BatchedRequestRow
    query = (
        select(row.call_id, row.name, row.size)
        .where(row.run_id == run_id, row.batch_id.is_(None))
        .where(row.provider == of.provider, row.model == of.model)
        .order_by(row.call_id)
        .limit(limits.requests)
        .with_for_update(skip_locked=True)
    )
    taken: list[str] = []
    names: set[str] = set()
    total = 0
    for call_id, name, size in connection.execute(query):
        # Two units may ask the same; their names would be one, and each of them has a result.
        if name in names:
            continue
        total += size
        if taken and total > limits.size:
            break
        names.add(name)
        taken.append(call_id)
    if not taken:
        return 0
    values = {
        "batch_id": batch_id,
        "tenant_id": tenants.of_run(connection, run_id),
        "run_id": run_id,
        "provider": of.provider,
        "model": of.model,
        "state": "sealed",
        "size": len(taken),
        "others": [],
        "due_at": now,
        "created_at": now,
    }
    connection.execute(insert(table(BatchRow)).values(values))
    connection.execute(update(row).where(row.call_id.in_(taken)).values(batch_id=batch_id))
    return len(taken)


def take_due(
    connection: Connection,
    run_id: str,
    now: datetime,
    until: datetime,
    only: Collection[str] | None = None,
) -> list[tuple[str, str]]:
    """Return the due batches of a run with their providers, and postpone them to ``until``.

    Args:
        only: Ids of the batches to select from.
    """
    free = or_(BatchRow.lease_until.is_(None), BatchRow.lease_until < now)
    due = update(BatchRow).where(BatchRow.run_id == run_id, _OPEN, BatchRow.due_at <= now, free)
    if only is not None:
        due = due.where(BatchRow.id.in_(only))
    found = connection.execute(due.values(due_at=until).returning(BatchRow.id, BatchRow.provider))
    return sorted((one[0], one[1]) for one in found)


def claim(connection: Connection, batch_id: str, owner: str, now: datetime) -> Batch | None:
    """Claim an open batch; return the batch before the claim, or None if another worker holds it.

    The state of a ``sealed`` batch changes to ``sending``.
    """
    free = or_(BatchRow.lease_until.is_(None), BatchRow.lease_until < now)
    query = select(BatchRow.state).where(BatchRow.id == batch_id, _OPEN, free).with_for_update()
    before = connection.scalar(query)
    if before is None:
        return None
    values: dict[str, Any] = {"owner": owner, "lease_until": now + LEASE}
    if before == "sealed":
        values |= {"state": "sending", "sent_at": now}
    connection.execute(
        update(BatchRow).where(BatchRow.id == batch_id).values(epoch=BatchRow.epoch + 1, **values)
    )
    (found,) = _batches(connection, BatchRow.id == batch_id)
    return found._replace(state=before)


def change(connection: Connection, batch: Batch, **values: object) -> bool:
    """Change a claimed batch; return whether the claim was still valid."""
    result = connection.execute(
        update(BatchRow)
        .where(BatchRow.id == batch.id, BatchRow.epoch == batch.epoch, _OPEN)
        .values(**values)
        .returning(BatchRow.id)
    )
    return len(result.all()) == 1


def let_go(connection: Connection, batch: Batch, due_at: datetime, **values: object) -> bool:
    """Change a claimed batch, and end the claim; return whether the claim was still valid."""
    return change(connection, batch, due_at=due_at, lease_until=None, owner=None, **values)


def mark_sent(
    connection: Connection, batch: Batch, there_id: str, due_at: datetime, *, adopted: bool
) -> bool:
    """Record the provider's id of an accepted batch; return whether the id was recorded.

    No claim is needed, because the batch exists at the provider and has to be paid.
    """
    sent = {"state": "sent", "there_id": there_id, "adopted": adopted, "failures": 0}
    if let_go(connection, batch, due_at, **sent):
        return True
    late = update(BatchRow).where(BatchRow.id == batch.id, BatchRow.there_id.is_(None), _OPEN)
    values = {**sent, "due_at": due_at, "lease_until": None}
    result = connection.execute(
        late.values(epoch=BatchRow.epoch + 1, **values).returning(BatchRow.id)
    )
    return len(result.all()) == 1


def is_known(connection: Connection, there_id: str) -> bool:
    """Return whether the store has a batch with this provider's id."""
    return bool(connection.scalar(select(exists().where(BatchRow.there_id == there_id))))


def bodies(connection: Connection, batch_id: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the names and bodies of the requests of a batch, by name."""
    row = BatchedRequestRow
    query = select(row.name, row.body).where(row.batch_id == batch_id, row.body.is_not(None))
    return [
        (name, pydantic_core.from_json(zlib.decompress(body)))
        for name, body in connection.execute(query.order_by(row.name))
        if body is not None
    ]


def unanswered(connection: Connection, batch_id: str) -> list[str]:
    """Return the names of the requests of a batch that have no result, in order."""
    row = BatchedRequestRow
    query = select(row.name).where(row.batch_id == batch_id, row.answered_at.is_(None))
    return list(connection.scalars(query.order_by(row.name)))


def save_results(
    connection: Connection, batch_id: str, results: Sequence[NewResult], now: datetime
) -> None:
    """Save results of a batch; a second result of the same request is ignored."""
    row = BatchedRequestRow
    for one in results:
        values = {
            "status": one.status,
            "reason": one.reason,
            "result": zlib.compress(pydantic_core.to_json(one.result)),
            "answered_at": now,
            "body": None,
        }
        this = (row.batch_id == batch_id, row.name == one.name, row.answered_at.is_(None))
        connection.execute(update(row).where(*this).values(**values))


def wake(connection: Connection, run_id: str, now: datetime) -> None:
    """Publish the units whose results have arrived."""
    row = BatchedRequestRow
    answered = (
        select(CallRow.unit_id)
        .join(row, row.call_id == CallRow.id)
        .where(row.run_id == run_id, row.answered_at.is_not(None), CallRow.state == "started")
    )
    for unit in UNIT_ROWS.values():
        waiting_for = (unit.run_id == run_id, unit.state == "planned", unit.not_before > now)
        connection.execute(
            update(unit).where(*waiting_for, unit.id.in_(answered)).values(not_before=now)
        )


def forget_read(connection: Connection, run_id: str) -> None:
    """Delete the requests whose calls have ended."""
    row = BatchedRequestRow
    ended = select(CallRow.id).where(CallRow.run_id == run_id, CallRow.state != "started")
    connection.execute(delete(row).where(row.run_id == run_id, row.call_id.in_(ended)))


def withdraw(connection: Connection, call_ids: Collection[str]) -> set[str]:
    """Delete abandoned requests that are in no batch; return the ids of their calls.

    Batches that were never sent are dissolved first.
    """
    row = BatchedRequestRow
    of_calls = row.call_id.in_(call_ids)
    mine = select(row.batch_id).where(of_calls)
    for batch_id in connection.scalars(
        select(BatchRow.id).where(BatchRow.id.in_(mine), BatchRow.state == "sealed")
    ).all():
        undone = update(BatchRow).where(BatchRow.id == batch_id, BatchRow.state == "sealed")
        if connection.execute(undone.values(state="ended").returning(BatchRow.id)).first():
            connection.execute(update(row).where(row.batch_id == batch_id).values(batch_id=None))
    gone = delete(row).where(of_calls, row.batch_id.is_(None)).returning(row.call_id)
    return set(connection.scalars(gone))


def cancel_abandoned(connection: Connection, run_id: str, now: datetime) -> int:
    """Request the cancellation of sent batches without waiting units; return how many are open."""
    row = BatchedRequestRow
    awaited = (
        select(row.batch_id)
        .join(CallRow, CallRow.id == row.call_id)
        .where(row.run_id == run_id, row.batch_id.is_not(None))
        .where(CallRow.state == "started", pending_calls.is_awaited())
    )
    sent = (BatchRow.run_id == run_id, _OPEN, BatchRow.state != "sealed")
    nobody = (*sent, BatchRow.id.not_in(awaited))
    first = update(BatchRow).where(*nobody, BatchRow.cancel_requested.is_(False))
    connection.execute(first.values(cancel_requested=True, due_at=now))
    return connection.scalar(select(func.count()).where(*nobody)) or 0


def is_open(connection: Connection, run_id: str) -> bool:
    """Return whether a batch of a run may be at its provider."""
    return bool(connection.scalar(select(exists().where(BatchRow.run_id == run_id, _OPEN))))


def open_of(connection: Connection, run_id: str) -> list[Batch]:
    """Return the open batches of a run, by id."""
    return _batches(connection, and_(BatchRow.run_id == run_id, _OPEN))


def get(connection: Connection, batch_id: str) -> Batch | None:
    """Return the batch with this id; None if there is none."""
    found = _batches(connection, BatchRow.id == batch_id)
    return found[0] if found else None


def release(connection: Connection, *, owner: str | None = None, run_id: str | None = None) -> None:
    """Release the batches of a dead worker, or all batches of a run whose workers are all dead."""
    which = BatchRow.owner == owner if run_id is None else BatchRow.run_id == run_id
    held = (which, _OPEN, BatchRow.lease_until.is_not(None))
    values = {"lease_until": None, "owner": None, "due_at": BatchRow.created_at}
    connection.execute(update(BatchRow).where(*held).values(**values))


def _batches(connection: Connection, which: ColumnElement[bool]) -> list[Batch]:
    columns = [getattr(BatchRow, name) for name in Batch._fields]
    query = select(*columns).where(which).order_by(BatchRow.id)
    return [Batch(*found) for found in connection.execute(query)]


def _requests(connection: Connection, which: ColumnElement[bool]) -> list[StoredRequest]:
    row = BatchedRequestRow
    query = select(
        row.call_id, row.batch_id, row.name, row.answered_at, row.status, row.reason, row.result
    )
    return [
        StoredRequest(
            call_id,
            batch_id,
            name,
            answered_at is not None,
            status,
            cast("NotExecuted | None", reason),
            None if result is None else pydantic_core.from_json(zlib.decompress(result)),
        )
        for call_id, batch_id, name, answered_at, status, reason, result in connection.execute(
            query.where(which).order_by(row.call_id)
        )
    ]
