"""The two steps of nearly every unit: its first call begins, and what came back is saved.

Each is one statement on a server, where a transaction of several asks it four times: for each of
them a thread gives up the interpreter's lock and has to win it back, and the first step is taken
while a place in flight is held. SQLite has no changes within statements, and is asked at no cost.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, insert, select

from acm_workers.store import calls, claims
from acm_workers.store.connection.prepared import Prepared
from acm_workers.store.rows import table
from acm_workers.store.tables import CallRow
from schemas.calls import Call
from schemas.units import UnitKind

_OF_CALL = "call_"
"""Stands before the parameters that belong to the call."""


def begin(connection: Connection, kind: UnitKind, call: Call, now: datetime) -> int | None:
    """Claim the planned unit of a call for whoever sends it, and write down the call.

    Returns:
        The epoch of the claim; None if the unit is not to be had, and nothing was written.
    """
    if connection.dialect.name == "sqlite":
        epoch = claims.acquire(connection, kind, call.unit_id, call.owner, now)
        if epoch is not None:
            calls.start(connection, call)
        return epoch
    claim = {"unit": call.unit_id, "owner": call.owner, "lease_until": now + claims.LEASE}
    begun = _begin(kind).first(connection, claim | _of_call(calls.values_at_start(call)))
    return None if begun is None else begun["epoch"]


def finish(
    connection: Connection, kind: UnitKind, epoch: int, values: Mapping[str, Any], call: Call
) -> bool:
    """Write down how a call ended, and save ``values`` of its unit; return whether the claim held.

    For a call that set nothing aside of a budget.
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
def _begin(kind: UnitKind) -> Prepared:
    claim = claims.acquire_statement(kind).cte("claim")
    values = calls.insert_columns(_OF_CALL)
    known = select(*values.values()).select_from(claim)  # no row if there is no claim
    begun = insert(table(CallRow)).from_select(list(values), known, include_defaults=False)
    return Prepared(select(claim.c.epoch).add_cte(begun.cte("begun")))


@lru_cache(maxsize=64)
def _finish(kind: UnitKind, names: Sequence[str]) -> Prepared:
    return Prepared(
        claims.save_statement(kind, names).add_cte(calls.end_statement(_OF_CALL).cte("ended"))
    )
