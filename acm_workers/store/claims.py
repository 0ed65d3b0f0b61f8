"""Claims on units, with a lease and an epoch that ensure that each result is saved once."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import Column, ColumnElement, Connection, Update, bindparam, exists, select, update
from sqlalchemy.sql.dml import ReturningUpdate

from acm_workers.store.connection.prepared import PreparedStatement
from acm_workers.store.rows import UNIT_ROWS, UnitRow, column, table
from acm_workers.store.tables import RunRow
from schemas.units import UnitKind

LEASE = timedelta(seconds=30)
"""Duration of a lease; workers renew it every five seconds, and units of dead workers are freed
after it."""

MAX_DELIVERIES = 6
"""Number of claims without a saved result after which a unit is poison; see decision 0022."""


def acquire(
    connection: Connection,
    kind: UnitKind,
    unit_id: str,
    owner: str,
    now: datetime,
    *,
    unless_stopped: bool = False,
) -> int | None:
    """Claim a planned unit; return its new epoch, or None if the unit is not in state ``planned``.

    Args:
        unless_stopped: Refuse the claim if the run is paused or cancelled.
    """
    taken = _take(kind, unless_stopped).first(
        connection, {"unit": unit_id, "owner": owner, "lease_until": now + LEASE}
    )
    return None if taken is None else taken["epoch"]


def save(
    connection: Connection, kind: UnitKind, unit_id: str, epoch: int, values: dict[str, Any]
) -> bool:
    """Save ``values`` of a unit claimed with ``epoch``; return whether the claim was valid."""
    statement = _end(kind, tuple(sorted(values)))
    return statement.execute(connection, {"unit": unit_id, "fence": epoch, **values}) == 1


def standing(
    connection: Connection, kind: UnitKind, unit_id: str, epoch: int
) -> Literal["held", "lost", "stopped"]:
    """Return the state of the claim with ``epoch``; ``stopped`` for a paused or cancelled run."""
    found = _standing(kind).first(connection, {"unit": unit_id, "fence": epoch})
    if found is None:
        return "lost"
    stopped = found["run_state"] == "paused" or found["cancel_requested"]
    return "stopped" if stopped else "held"


def acquire_statement(kind: UnitKind, *, unless_stopped: bool) -> ReturningUpdate[tuple[int]]:
    """Return the statement by which ``owner`` claims the planned ``unit``; see ``acquire``."""
    unit = _Columns(kind)
    is_stopped = (RunRow.state == "paused") | RunRow.cancel_requested
    stopped = exists().where(RunRow.id == unit["run_id"], is_stopped)
    return (
        update(unit.of)
        .where(unit["id"] == bindparam("unit"), unit["state"] == "planned")
        .where(*((~stopped,) if unless_stopped else ()))
        .values(
            state="claimed",
            epoch=unit["epoch"] + 1,
            attempts=unit["attempts"] + 1,
            rests=False,
            owner=bindparam("owner"),
            lease_until=bindparam("lease_until"),
        )
        .returning(unit["epoch"])
    )


def save_statement(kind: UnitKind, names: Sequence[str]) -> Update:
    """Return the statement that saves the named values if the claim is still valid.

    The claim is identified by the parameters ``unit`` and ``fence``, its epoch.
    """
    unit = _Columns(kind)
    values: dict[Any, Any] = {unit[name]: bindparam(name) for name in names}
    claimed = (unit["epoch"] == bindparam("fence"), unit["state"] == "claimed")
    return (
        update(unit.of)
        .where(unit["id"] == bindparam("unit"), *claimed)
        .values({**values, unit["lease_until"]: None, unit["owner"]: None})
    )


def release(connection: Connection, kind: UnitKind, unit_id: str, epoch: int) -> bool:
    """Set a unit to planned again, for another worker to claim."""
    return save(
        connection, kind, unit_id, epoch, {"state": "planned", "published_at": None, "attempts": 0}
    )


def postpone(
    connection: Connection, kind: UnitKind, unit_id: str, epoch: int, until: datetime
) -> bool:
    """Set a unit to planned again, not to be published before ``until``."""
    values = {"state": "planned", "published_at": None, "attempts": 0, "not_before": until}
    return save(connection, kind, unit_id, epoch, values)


def suspend(connection: Connection, kind: UnitKind, unit_id: str, epoch: int | None) -> None:
    """Set a unit to planned again, not to be published until its run is resumed.

    Args:
        epoch: Epoch of the claim; None if the unit is not claimed.
    """
    if epoch is not None:
        save(connection, kind, unit_id, epoch, {"state": "planned", "attempts": 0, "rests": True})
        return
    row = UNIT_ROWS[kind]
    connection.execute(
        update(row).where(row.id == unit_id, row.state == "planned").values(rests=True)
    )


def renew(connection: Connection, owner: str, held: Mapping[str, UnitKind], now: datetime) -> None:
    """Renew the leases of ``owner`` on the units that its threads are working on.

    Leases on other units are not renewed, since the threads that claimed these units have ended.
    """
    for kind, row in UNIT_ROWS.items():
        ids = [unit_id for unit_id, of_kind in held.items() if of_kind == kind]
        if ids:
            connection.execute(
                update(row)
                .where(row.id.in_(ids), row.state == "claimed", row.owner == owner)
                .values(lease_until=now + LEASE)
            )


def release_expired(connection: Connection, run_id: str, now: datetime) -> list[str]:
    """Set units with expired leases to planned again; poison units fail.

    Returns:
        The ids of all these units.
    """
    released: list[str] = []
    for row in UNIT_ROWS.values():
        lapsed = (row.run_id == run_id) & (row.lease_until < now)
        released += _release(connection, row, now, lapsed)
    return released


def release_all_but(connection: Connection, run_id: str, owner: str, now: datetime) -> None:
    """Set all units of a run that other owners claimed to planned again, regardless of leases.

    The caller must hold the lock on the run: all other owners are dead.
    """
    for row in UNIT_ROWS.values():
        _release(connection, row, now, (row.run_id == run_id) & (row.owner != owner))


def release_owned(connection: Connection, owner: str, now: datetime) -> list[str]:
    """Set all units that a dead ``owner`` had claimed to planned again; return their ids."""
    return [
        unit_id
        for row in UNIT_ROWS.values()
        for unit_id in _release(connection, row, now, row.owner == owner)
    ]


def _release(
    connection: Connection, row: UnitRow, now: datetime, gone: ColumnElement[bool]
) -> list[str]:
    query = select(row.id, row.attempts).where(row.state == "claimed", gone)
    found = connection.execute(query.with_for_update(skip_locked=True)).all()
    poison = [unit_id for unit_id, attempts in found if attempts >= MAX_DELIVERIES]
    healthy = [unit_id for unit_id, attempts in found if attempts < MAX_DELIVERIES]
    _set(connection, row, healthy, {"state": "planned", "published_at": None})
    why = f"the worker died {MAX_DELIVERIES} times while working on this"
    values = {"state": "failed", "error_kind": "poison_unit", "error": why, "finished_at": now}
    _set(connection, row, poison, values)
    return [*healthy, *poison]


def _set(connection: Connection, row: UnitRow, ids: Sequence[str], values: dict[str, Any]) -> None:
    if ids:
        connection.execute(
            update(row)
            .where(row.id.in_(ids), row.state == "claimed")
            .values(owner=None, lease_until=None, **values)
        )


@lru_cache(maxsize=8)
def _take(kind: UnitKind, unless_stopped: bool) -> PreparedStatement:
    return PreparedStatement(acquire_statement(kind, unless_stopped=unless_stopped))


@lru_cache(maxsize=8)
def _standing(kind: UnitKind) -> PreparedStatement:
    unit, run = _Columns(kind), table(RunRow)
    claimed = (unit["epoch"] == bindparam("fence"), unit["state"] == "claimed")
    query = (
        select(run.c.state.label("run_state"), run.c.cancel_requested)
        .where(unit["id"] == bindparam("unit"), *claimed)
        .where(run.c.run_id == unit["run_id"])
    )
    return PreparedStatement(query)


@lru_cache(maxsize=64)
def _end(kind: UnitKind, names: tuple[str, ...]) -> PreparedStatement:
    return PreparedStatement(save_statement(kind, names))


class _Columns:
    """The columns of a unit's table by attribute."""

    def __init__(self, kind: UnitKind) -> None:
        self._row = UNIT_ROWS[kind]
        self.of = table(self._row)

    def __getitem__(self, name: str) -> Column[Any]:
        return column(self._row, name)
