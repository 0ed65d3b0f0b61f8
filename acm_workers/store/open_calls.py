"""Calls whose answer is made in the background: begun, named by their provider, and not ended."""

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, exists, or_, select, update

from acm_workers.store.ledger_tables import CallRow
from acm_workers.store.rows import UNIT_ROWS, UnitRow, columns, records
from schemas.calls import Call

_NOT_YET = frozenset({"usage", "evidence", "so_far", "answer"})
"""What a call does not have before its end."""


class Open(NamedTuple):
    """An open call.

    Attributes:
        misses: How often in a row its answer was not found.
    """

    call: Call
    misses: int


def submitted(connection: Connection, call_id: str, response_id: str) -> None:
    """Note by which name the provider knows the answer to a call: from now on the call is open."""
    _set(connection, call_id, response_id=response_id)


def missed(connection: Connection, call_id: str, misses: int) -> None:
    """Note how often in a row an answer was not found."""
    _set(connection, call_id, misses=misses)


def of_unit(connection: Connection, unit_id: str) -> Open | None:
    """Return the open call of a unit, if there is one; units have no more than one at a time."""
    query = _calls().where(CallRow.unit_id == unit_id).order_by(CallRow.id.desc()).limit(1)
    found = records(connection, query, Call)
    if not found:
        return None
    misses = connection.scalars(select(CallRow.misses).where(CallRow.id == found[0].id)).one()
    return Open(found[0], misses)


def awaited(connection: Connection, run_id: str) -> list[Call]:
    """Return the open calls of a run whose units wait for them, by id."""
    return _of_run(connection, run_id, is_awaited())


def orphans(connection: Connection, run_id: str) -> list[Call]:
    """Return the open calls of a run whose units have ended, by id: nobody looks for these."""
    return _of_run(connection, run_id, ~is_awaited())


def providers(connection: Connection, run_id: str) -> set[str]:
    """Return the providers that have open calls of a run."""
    query = select(CallRow.provider).where(CallRow.run_id == run_id, *_open())
    return set(connection.scalars(query.distinct()))


def is_open(row: UnitRow) -> ColumnElement[bool]:
    """Return the condition that a unit has an open call."""
    return exists().where(CallRow.unit_id == row.id, *_open())


def _of_run(connection: Connection, run_id: str, which: ColumnElement[bool]) -> list[Call]:
    query = _calls().where(CallRow.run_id == run_id, which).order_by(CallRow.id)
    return records(connection, query, Call)


def is_awaited() -> ColumnElement[bool]:
    """Return the condition that the unit of a call waits for it."""
    return or_(
        *(
            exists().where(row.id == CallRow.unit_id, row.state.in_(["planned", "claimed"]))
            for row in UNIT_ROWS.values()
        )
    )


def _calls() -> Any:
    return columns(CallRow, Call, without=_NOT_YET).where(*_open())


def _open() -> tuple[ColumnElement[bool], ...]:
    return CallRow.state == "started", CallRow.response_id.is_not(None)


def _set(connection: Connection, call_id: str, **values: object) -> None:
    connection.execute(update(CallRow).where(CallRow.id == call_id).values(**values))
