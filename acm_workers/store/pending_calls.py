"""Pending calls: background calls that a provider has accepted and not answered yet."""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, exists, or_, select, update

from acm_workers.store.batch_tables import BatchedRequestRow
from acm_workers.store.rows import UNIT_ROWS, UnitRow, fetch_all, select_as
from acm_workers.store.tables import CallRow
from schemas.calls import Call

_NOT_YET = frozenset({"usage", "evidence", "so_far", "answer"})
"""Fields that a call has only after its end."""


class PendingCall(NamedTuple):
    """A pending call.

    Attributes:
        misses: Number of consecutive polls that did not find the answer.
    """

    call: Call
    misses: int


def mark_submitted(connection: Connection, call_id: str, response_id: str) -> None:
    """Record the provider's id of the answer to a call, which makes the call pending."""
    _set(connection, call_id, response_id=response_id)


def count_miss(connection: Connection, call_id: str, misses: int) -> None:
    """Record the number of consecutive polls that did not find an answer."""
    _set(connection, call_id, misses=misses)


def of_unit(connection: Connection, unit_id: str) -> PendingCall | None:
    """Return the pending call of a unit; None if there is none."""
    query = _calls().where(CallRow.unit_id == unit_id).order_by(CallRow.id.desc()).limit(1)
    found = fetch_all(connection, query, Call)
    if not found:
        return None
    misses = connection.scalars(select(CallRow.misses).where(CallRow.id == found[0].id)).one()
    return PendingCall(found[0], misses)


def awaited(connection: Connection, run_id: str) -> list[Call]:
    """Return the pending calls of a run that units wait for, by id."""
    return _of_run(connection, run_id, is_awaited())


def abandoned(connection: Connection, run_id: str, *, batched: bool) -> list[Call]:
    """Return the pending calls of a run whose units have ended, by id.

    Args:
        batched: Whether to return the calls sent in batches, or all other calls.
    """
    in_batch = exists().where(BatchedRequestRow.call_id == CallRow.id)
    return _of_run(connection, run_id, ~is_awaited() & (in_batch if batched else ~in_batch))


def providers(connection: Connection, run_id: str) -> set[str]:
    """Return the providers with pending calls of a run."""
    query = select(CallRow.provider).where(CallRow.run_id == run_id, *_open())
    return set(connection.scalars(query.distinct()))


def is_pending(row: UnitRow) -> ColumnElement[bool]:
    """Return the condition that a unit has a pending call."""
    return exists().where(CallRow.unit_id == row.id, *_open())


def _of_run(connection: Connection, run_id: str, which: ColumnElement[bool]) -> list[Call]:
    query = _calls().where(CallRow.run_id == run_id, which).order_by(CallRow.id)
    return fetch_all(connection, query, Call)


def is_awaited() -> ColumnElement[bool]:
    """Return the condition that a unit waits for its call."""
    return or_(
        *(
            exists().where(row.id == CallRow.unit_id, row.state.in_(["planned", "claimed"]))
            for row in UNIT_ROWS.values()
        )
    )


def _calls() -> Any:
    return select_as(CallRow, Call, without=_NOT_YET).where(*_open())


def _open() -> tuple[ColumnElement[bool], ...]:
    return CallRow.state == "started", CallRow.response_id.is_not(None)


def _set(connection: Connection, call_id: str, **values: object) -> None:
    connection.execute(update(CallRow).where(CallRow.id == call_id).values(**values))
