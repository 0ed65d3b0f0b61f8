"""Sums over the calls of all runs for monitoring, read in pages of limited size."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, case, func, select
from ulid import ULID

from acm_workers.store.tables import CallRow, RunRow

KINDS = ("input", "output", "cached", "cache_write", "reasoning")
"""Kinds of tokens, named as the columns of calls."""

_TIME_LETTERS = 10  # of an id; the rest is chance


class CallKind(NamedTuple):
    """The attributes by which calls are grouped.

    Attributes:
        state: ``done``, ``failed`` or ``uncertain``; never ``started``.
        cached: Whether the answer was reused from an earlier call.
        error: Name of the error; None without an error.
    """

    provider: str
    model: str
    state: str
    cached: bool
    error: str | None


class CallSums(NamedTuple):
    """Sums over the calls of one kind.

    Attributes:
        tokens: Numbers of tokens in the order of ``KINDS``.
        unpriced: Number of calls with unknown cost.
    """

    calls: int
    tokens: tuple[int, ...]
    cost_usd: float
    unpriced: int

    def plus(self, other: "CallSums") -> "CallSums":
        """Return the total of both sums."""
        tokens = tuple(a + b for a, b in zip(self.tokens, other.tokens, strict=True))
        return CallSums(
            self.calls + other.calls,
            tokens,
            self.cost_usd + other.cost_usd,
            self.unpriced + other.unpriced,
        )


class CallPage(NamedTuple):
    """Sums over a range of calls in the order of their ids.

    Attributes:
        started: Ids of calls that have not ended; these are not in the sums.
        last: The last id; None without calls.
    """

    tallies: dict[CallKind, CallSums]
    started: list[str]
    last: str | None
    rows: int


def first_id_at(moment: datetime) -> str:
    """Return the lowest possible id of a call recorded at ``moment``."""
    return str(ULID.from_datetime(moment))[:_TIME_LETTERS] + "0" * 16


def page(connection: Connection, after: str, before: str | None, limit: int) -> CallPage:
    """Sum at most ``limit`` calls whose ids are between two ids, the lowest first."""
    query = select(CallRow).where(CallRow.id > after)
    if before is not None:
        query = query.where(CallRow.id < before)
    found = query.order_by(CallRow.id).limit(limit).subquery()
    last, rows = connection.execute(select(func.max(found.c.call_id), func.count())).one()
    open_ones = select(found.c.call_id).where(found.c.state == "started")
    return CallPage(
        _tallied(connection, _summed(found.c, found.c.state != "started")),
        list(connection.scalars(open_ones.order_by(found.c.call_id))),
        last,
        rows,
    )


def ended(connection: Connection, call_ids: Sequence[str]) -> CallPage:
    """Sum the ended calls among ``ids``; list the ids of calls that have not ended."""
    columns = CallRow.__table__.c
    those = columns.call_id.in_(call_ids)
    open_ones = select(columns.call_id).where(those, columns.state == "started")
    tallies = _tallied(connection, _summed(columns, those, columns.state != "started"))
    return CallPage(tallies, list(connection.scalars(open_ones)), None, len(call_ids))


def in_flight(connection: Connection) -> dict[str, int]:
    """Return the number of calls in flight by provider, as recorded in the store."""
    query = select(CallRow.provider, func.count()).where(CallRow.state == "started")
    rows = connection.execute(query.group_by(CallRow.provider))
    return dict(rows.all())


def runs(connection: Connection) -> dict[str, int]:
    """Return the number of runs by state."""
    rows = connection.execute(select(RunRow.state, func.count()).group_by(RunRow.state))
    return dict(rows.all())


def _summed(columns: Any, *which: ColumnElement[bool]) -> Select[Any]:
    group = [columns[name] for name in ("provider", "model", "state", "cached", "error_kind")]
    sent = columns.cached.is_(False)
    unpriced = sent & (columns.state == "done") & columns.cost_usd.is_(None)
    return (
        select(
            *group,
            func.count(),
            *(_sum(columns[f"{kind}_tokens"]) for kind in KINDS),
            _sum(columns.cost_usd),
            _sum(case((unpriced, 1), else_=0)),
        )
        .where(*which)
        .group_by(*group)
    )


def _sum(column: Any) -> Any:
    return func.coalesce(func.sum(column), 0)


def _tallied(connection: Connection, query: Select[Any]) -> dict[CallKind, CallSums]:
    width = len(CallKind._fields)
    found: dict[CallKind, CallSums] = {}
    for row in connection.execute(query):
        calls, *tokens, cost_usd, unpriced = row[width:]
        whole = tuple(int(number) for number in tokens)
        found[CallKind(*row[:width])] = CallSums(calls, whole, float(cost_usd), int(unpriced))
    return found
