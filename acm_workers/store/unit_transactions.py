"""The two transactions of most units: beginning the first call, and saving the result.

On Postgres each transaction is a single statement with data-modifying common table expressions,
which takes one round trip instead of four. SQLite has neither such statements nor round trips.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, insert, select

from acm_workers.store import calls, claims
from acm_workers.store.connection.prepared import PreparedStatement
from acm_workers.store.rows import table
from acm_workers.store.tables import CallRow
from schemas.calls import Call
from schemas.units import UnitKind

_OF_CALL = "call_"
"""Prefix of the parameters that belong to the call."""


def begin(connection: Connection, kind: UnitKind, call: Call, now: datetime) -> int | None:
    """Claim the planned unit of a call for the call's owner, and record the call as started.

    Returns:
        The epoch of the claim; None without any change if the unit is no longer planned, or if its
        run is paused or cancelled.
    """
    if connection.dialect.name == "sqlite":
        epoch = claims.acquire(connection, kind, call.unit_id, call.owner, now, unless_stopped=True)
        if epoch is not None:
            calls.start(connection, call)
        return epoch
    claim = {"unit": call.unit_id, "owner": call.owner, "lease_until": now + claims.LEASE}
    begun = _begin(kind).first(
        connection, claim | _of_call(calls.values_at_start(connection, call))
    )
    return None if begun is None else begun["epoch"]


def finish(
    connection: Connection, kind: UnitKind, epoch: int, values: Mapping[str, Any], call: Call
) -> bool:
    """Record the end of a call, and save its unit; return whether the claim was still valid.

    Only for calls without a reservation in a budget.
    """
    if connection.dialect.name == "sqlite":
        calls.end(connection, [call])
        return claims.save(connection, kind, call.unit_id, epoch, dict(values))
    claimed = {"unit": call.unit_id, "fence": epoch, **values}
    statement = _finish(kind, tuple(sorted(values)))
    return statement.execute(connection, claimed | _of_call(calls.values_at_end(call))) == 1


def _of_call(values: Mapping[str, Any]) -> dict[str, Any]:
    return {_OF_CALL + name: value for name, value in values.items()}


@lru_cache(maxsize=8)
def _begin(kind: UnitKind) -> PreparedStatement:
    claim = claims.acquire_statement(kind, unless_stopped=True).cte("claim")
    values = calls.insert_columns(_OF_CALL)
    known = select(*values.values()).select_from(claim)  # no row if there is no claim
    begun = insert(table(CallRow)).from_select(list(values), known, include_defaults=False)
    return PreparedStatement(select(claim.c.epoch).add_cte(begun.cte("begun")))


@lru_cache(maxsize=64)
def _finish(kind: UnitKind, names: Sequence[str]) -> PreparedStatement:
    return PreparedStatement(
        claims.save_statement(kind, names).add_cte(calls.end_statement(_OF_CALL).cte("ended"))
    )
