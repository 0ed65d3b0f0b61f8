"""The amounts charged to the budget of a run by calls, including calls in flight.

The transaction that records a call also reserves its worst-case cost, and the transaction that
records the end of the call replaces the reservation by the real cost. The sum is therefore correct
whenever a process dies, and processes that share a store never exceed a budget together.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Float, bindparam, case, exists, func, or_, select, update

from acm_workers.store import pending_calls
from acm_workers.store.connection.prepared import PreparedStatement
from acm_workers.store.rows import insert_once, table
from acm_workers.store.tables import BudgetRow, CallRow, DocumentRow
from schemas.calls import Call

_NOISE_USD = 1e-9
"""Upper bound of the rounding error of sums; this amount is not spent."""


class BudgetState(NamedTuple):
    """The state of a budget before a call is recorded.

    Attributes:
        fits: Whether the budget allows the call now.
        under_way: Whether calls are in flight; their ends may free part of the budget.
        closed: Reason why no further call is sent; absent if calls are allowed.
    """

    fits: bool
    under_way: bool
    closed: str | None


def charged_usd(call: Call) -> float:
    """Return the charge of an ended call: its cost, or its worst case if the cost is unknown.

    Refused calls cost nothing.
    """
    if call.cost_usd is not None:
        return call.cost_usd
    return 0.0 if call.state == "failed" else call.reserved_usd or 0.0


def committed_usd(connection: Connection, run_id: str) -> float:
    """Return the sum in USD of all costs, with the worst case for unknown costs.

    Refused calls cost nothing.
    """
    query = select(func.sum(_TAKEN)).where(_CALLS.c.run_id == run_id)
    return connection.scalar(query) or 0.0


def spent_on_ended_usd(connection: Connection, run_id: str) -> float:
    """Return the sum of ``committed_usd`` over the ended documents of a run."""
    documents = table(DocumentRow)
    query = (
        select(func.sum(_TAKEN))
        .join_from(_CALLS, documents, documents.c.document_id == _CALLS.c.document_id)
        .where(_CALLS.c.run_id == run_id, documents.c.state != "running")
    )
    return connection.scalar(query) or 0.0


def describe(connection: Connection, run_id: str, taken_usd: float) -> str:
    """Describe the known and the uncertain cost of a run."""
    calls, open_usd = connection.execute(_UNCERTAIN, {"run": run_id}).one()
    spent = f"${taken_usd - (open_usd or 0.0):.4f} are spent"
    if not open_usd:
        return spent
    return f"{spent}, and up to ${open_usd:.4f} for {calls} uncertain call{'s' * (calls != 1)}"


def reserve(connection: Connection, run_id: str, most_usd: float, budget_usd: float) -> bool:
    """Reserve ``most_usd`` if the budget allows the amount; return whether it was reserved.

    Call this as late as possible in the transaction that records the call: until this transaction
    ends, no other call of the run can be recorded.
    """
    values = {"run": run_id, "most": most_usd, "budget": budget_usd}
    if _RESERVE.execute(connection, values) == 1:
        return True
    if connection.execute(_FIND, {"run": run_id}).first() is not None:
        return False
    _open(connection, run_id)
    return _RESERVE.execute(connection, values) == 1


def settle(connection: Connection, calls: Sequence[Call]) -> None:
    """Replace the reservations of calls by their costs, before their ends are recorded.

    A repeated call has no effect.
    """
    ended = {call.id: call for call in calls if call.reserved_usd is not None}
    if not ended:
        return
    changes: defaultdict[str, float] = defaultdict(float)
    # One after another in a fixed order, so that two transactions never wait for each other.
    for call_id in sorted(ended):
        row = _BEFORE.first(connection, {"call": call_id})
        if row is not None:
            changes[row["run_id"]] += charged_usd(ended[call_id]) - row["taken"]
    for run_id, change in sorted(changes.items()):
        _CORRECT.execute(connection, {"run": run_id, "change": change})


def headroom(
    connection: Connection, run_id: str, most_usd: float, budget_usd: float
) -> BudgetState:
    """Return whether the budget now allows a call."""
    row = connection.execute(_FIND, {"run": run_id}).first()
    if row is None:
        return BudgetState(fits=True, under_way=False, closed=None)
    fits = row.taken_usd + most_usd <= budget_usd - _NOISE_USD
    return BudgetState(fits, _under_way(connection, run_id), _reason(row, budget_usd))


def close(connection: Connection, run_id: str, most_usd: float, budget_usd: float) -> str | None:
    """Stop a run within this budget if no call is in flight and the next one does not fit.

    Returns:
        The reason why the run stops; None if the call fits, or may fit after other calls have
        ended.
    """
    row = connection.execute(_LOCK, {"run": run_id}).first()
    if row is None or _reason(row, budget_usd) is not None:
        return None if row is None else _reason(row, budget_usd)
    found = headroom(connection, run_id, most_usd, budget_usd)
    if found.fits or found.under_way:
        return None
    why = (
        f"the budget of ${budget_usd:.4f} does not allow the next call:"
        f" {describe(connection, run_id, row.taken_usd)}, and it may cost up to ${most_usd:.4f}"
    )
    connection.execute(_CLOSE, {"run": run_id, "why": why, "budget": budget_usd})
    return why


def closed(connection: Connection, run_id: str, budget_usd: float) -> str | None:
    """Return why the budget stops a run; None if it does not, or while calls are in flight.

    A higher budget lets the run continue.
    """
    row = connection.execute(_FIND, {"run": run_id}).first()
    why = None if row is None else _reason(row, budget_usd)
    return None if why is None or _under_way(connection, run_id) else why


def _open(connection: Connection, run_id: str) -> None:
    """Insert the row of a budget with the sum charged so far."""
    insert_once(connection, BudgetRow, [{"run_id": run_id, "taken_usd": 0.0}])
    connection.execute(_LOCK, {"run": run_id})
    # Calls from before there was a budget: their ends are to be counted too.
    running = (CallRow.run_id == run_id, CallRow.state == "started", CallRow.reserved_usd.is_(None))
    connection.execute(update(CallRow).where(*running).values(reserved_usd=0.0))
    values = {"taken_usd": committed_usd(connection, run_id)}
    connection.execute(update(BudgetRow).where(BudgetRow.run_id == run_id).values(values))


def _under_way(connection: Connection, run_id: str) -> bool:
    return bool(connection.scalar(_STARTED, {"run": run_id}))


def _reason(row: Any, budget_usd: float) -> str | None:
    why: str | None = row.closed
    return why if row.closed_usd is not None and row.closed_usd >= budget_usd else None


_CALLS = table(CallRow)
_BUDGETS = table(BudgetRow)
_TAKEN = func.coalesce(
    _CALLS.c.cost_usd, case((_CALLS.c.state == "failed", 0.0), else_=_CALLS.c.reserved_usd), 0.0
)
_THIS = _BUDGETS.c.run_id == bindparam("run")
_FIND = select(_BUDGETS.c.taken_usd, _BUDGETS.c.closed, _BUDGETS.c.closed_usd).where(_THIS)
_LOCK = _FIND.with_for_update()
_MOST, _BUDGET = bindparam("most", type_=Float(53)), bindparam("budget", type_=Float(53))
_RESERVE = PreparedStatement(
    update(_BUDGETS)
    .where(
        _THIS,
        _BUDGETS.c.taken_usd + _MOST <= _BUDGET - _NOISE_USD,
        func.coalesce(_BUDGETS.c.closed_usd, -1.0) < _BUDGET,
    )
    .values(taken_usd=_BUDGETS.c.taken_usd + _MOST)
)
_CORRECT = PreparedStatement(
    update(_BUDGETS)
    .where(_THIS)
    .values(taken_usd=_BUDGETS.c.taken_usd + bindparam("change", type_=Float(53)))
)
_CLOSE = (
    update(_BUDGETS).where(_THIS).values(closed=bindparam("why"), closed_usd=bindparam("budget"))
)
_BEFORE = PreparedStatement(
    select(_CALLS.c.run_id, _TAKEN.label("taken"))
    .where(_CALLS.c.call_id == bindparam("call"))
    .with_for_update()
)
_UNCERTAIN = select(func.count(), func.sum(_CALLS.c.reserved_usd)).where(
    _CALLS.c.run_id == bindparam("run"),
    _CALLS.c.state == "uncertain",
    _CALLS.c.cost_usd.is_(None),
)
# Pending calls that nobody waits for any more end when somebody calls them off, if ever.
_STARTED = select(
    exists().where(
        _CALLS.c.run_id == bindparam("run"),
        _CALLS.c.state == "started",
        or_(_CALLS.c.response_id.is_(None), pending_calls.is_awaited()),
    )
)
