"""The ledger: every request to a provider, recorded before it is sent."""

import zlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Update,
    bindparam,
    case,
    func,
    insert,
    literal,
    select,
    union_all,
    update,
)

from acm_workers.errors import NotFound
from acm_workers.store import budgets, ids, tenants
from acm_workers.store.batch_tables import BatchedRequestRow
from acm_workers.store.connection.prepared import PreparedStatement
from acm_workers.store.rows import UNIT_ROWS, column, table
from acm_workers.store.tables import CallRow
from schemas.calls import Call, Completion, Evidence, Usage
from schemas.scope import LOCAL, Scope

_PLAIN = [
    name for name in Call.model_fields if name not in {"usage", "evidence", "so_far", "answer"}
]
_USAGE = list(Usage.model_fields)
_EVIDENCE = list(Evidence.model_fields)
_LEVELS = ["grounding", "reasoning"]


def start(connection: Connection, call: Call) -> None:
    """Record a call that is about to be sent, or that was answered from the ledger."""
    if call.state == "started":
        _START.execute(connection, values_at_start(connection, call))
    else:
        tenant = {"tenant_id": tenants.of_run(connection, call.run_id)}
        connection.execute(insert(_TABLE), [_by_column(call) | tenant])


def end(connection: Connection, calls: Sequence[Call]) -> None:
    """Record the ends of calls, and charge their costs to the budgets.

    Identical requests reuse the answers from then on. If the run was deleted in the meantime, only
    tokens, times and costs are recorded.
    """
    if calls:
        budgets.settle(connection, calls)
    for call in calls:
        values = values_at_end(call)
        if not _END.execute(connection, values):
            _END_OF_DELETED.execute(connection, values)


def insert_columns(prefix: str = "") -> dict[str, ColumnElement[Any]]:
    """Return the expressions that insert a new call, by column name; see ``values_at_start``.

    Columns without a value at the start are omitted, because they would double the time.

    Args:
        prefix: Prefix of the parameter names.
    """
    return {
        **{found: bindparam(prefix + found, type_=_TABLE.c[found].type) for _, found in _STARTS},
        "tenant_id": bindparam(f"{prefix}tenant_id", type_=_TABLE.c.tenant_id.type),
        "reusable": literal(False),
        "misses": literal(0),
    }


def values_at_start(connection: Connection, call: Call) -> dict[str, Any]:
    """Return the known values of a call that is about to be sent, by column name."""
    values = {name: getattr(call, field) for field, name in _STARTS}
    values["tenant_id"] = tenants.of_run(connection, call.run_id)
    return values


def end_statement(prefix: str = "") -> Update:
    """Return the statement that records the end of a call; see ``values_at_end``.

    Calls of deleted runs are not changed, since their digests are empty.
    """
    return _end_with(_ENDS, prefix).where(_TABLE.c.digest != "")


def _end_with(names: Sequence[str], prefix: str = "") -> Update:
    this = _TABLE.c.call_id == bindparam(f"{prefix}id_")
    return update(_TABLE).where(this).values({name: bindparam(prefix + name) for name in names})


def values_at_end(call: Call) -> dict[str, Any]:
    """Return the values at the end of a call by column name, and its id as ``id_``."""
    return {**_by_column(call), "id_": call.id, "reusable": call.state == "done"}


def withdraw_answers(connection: Connection, unit_id: str) -> None:
    """Exclude a failed unit's answers from reuse, so that the next attempt sends new requests."""
    connection.execute(
        update(CallRow)
        .where(CallRow.unit_id == unit_id, CallRow.reusable.is_(True))
        .values(reusable=False)
    )


def spent_on(connection: Connection, unit_id: str) -> float | None:
    """Return the cost of a unit's calls so far.

    None if the cost of any call is unknown, including calls in flight.
    """
    row = CallRow
    mine = (row.unit_id == unit_id, row.cached.is_(False))
    unknown = row.state.in_(["started", "done", "uncertain"]) & row.cost_usd.is_(None)
    query = select(func.coalesce(func.sum(row.cost_usd), 0.0), func.count().filter(unknown))
    usd, unpriced = connection.execute(query.where(*mine)).one()
    return None if unpriced else usd


def find_answer(
    connection: Connection,
    digest: str,
    iteration: int,
    unit_id: str | None = None,
    scope: Scope = LOCAL,
) -> Completion | None:
    """Return the stored answer to an identical request; None if there is no usable answer.

    Args:
        unit_id: Search only the calls of this unit.
        scope: Search only the calls of this tenant.
    """
    query = _ANSWERED if unit_id is None else _ANSWERED_UNIT
    wanted = {
        "digest": digest,
        "iteration": iteration,
        "unit": unit_id,
        "tenant": scope.tenant_id,
    }
    return _completion(query.first(connection, wanted))


def _completion(values: dict[str, Any] | None) -> Completion | None:
    if values is None or values["answer"] is None:
        return None
    values["text"] = zlib.decompress(values.pop("answer")).decode()
    values["so_far"] = values.pop("so_far") or ()
    values["usage"] = {name: values.pop(name) for name in _USAGE}
    values["evidence"] = _given(values, _EVIDENCE)
    return Completion.model_validate(values)


def answers_of_unit(connection: Connection, unit_id: str, stage: str) -> dict[str, list[str]]:
    """Return the calls of a unit with stored answers, by digest and in order of creation."""
    query = (
        select(CallRow.digest, CallRow.id)
        .where(
            CallRow.unit_id == unit_id,
            CallRow.stage == stage,
            CallRow.reusable.is_(True),
            CallRow.cached.is_(False),
            CallRow.answer.is_not(None),
        )
        .order_by(CallRow.id)
    )
    found: dict[str, list[str]] = {}
    for digest, call_id in connection.execute(query):
        found.setdefault(digest, []).append(call_id)
    return found


def answer(connection: Connection, call_id: str) -> Completion | None:
    """Return the stored answer of a call; None if there is none."""
    return _completion(_ANSWER_OF.first(connection, {"call": call_id}))


def forget_answers(connection: Connection, unit_id: str, stage: str) -> None:
    """Delete the stored answers of a finished stage of a unit."""
    this = (CallRow.unit_id == unit_id, CallRow.stage == stage)
    connection.execute(update(CallRow).where(*this).values(answer=None, reusable=False))


def of_run(connection: Connection, run_id: str) -> list[Call]:
    """Return the calls of a run by id, without their answers and evidence texts.

    The evidence contains only the levels of grounding and reasoning.
    """
    query = _listed().where(CallRow.run_id == run_id).order_by(CallRow.id)
    return [_call(dict(row._mapping)) for row in connection.execute(query)]


def of_document(connection: Connection, document_id: str) -> list[Call]:
    """Return the calls for the units of a document by id, without texts; see ``of_run``."""
    units = union_all(
        *(select(row.id).where(row.document_id == document_id) for row in UNIT_ROWS.values())
    )
    query = _listed().where(CallRow.unit_id.in_(units)).order_by(CallRow.id)
    return [_call(dict(row._mapping)) for row in connection.execute(query)]


def page(
    connection: Connection,
    run_id: str,
    limit: int,
    after: str | None = None,
    unit_id: str | None = None,
) -> list[Call]:
    """Return a page of the calls of a run or of one unit, by id, without texts; see ``of_run``."""
    query = _listed().where(CallRow.run_id == run_id).order_by(CallRow.id).limit(limit)
    if after is not None:
        query = query.where(CallRow.id > after)
    if unit_id is not None:
        query = query.where(CallRow.unit_id == unit_id)
    return [_call(dict(row._mapping)) for row in connection.execute(query)]


def in_run(connection: Connection, run_id: str, call_id: str) -> Call:
    """Return a call of a run with answer and evidence; a cached call has those of its original.

    Raises:
        NotFound: The run has no call with this id.
    """
    names = [*_PLAIN, *_USAGE, *_EVIDENCE, "answer"]
    query = select(*(column(CallRow, name).label(name) for name in names))
    row = connection.execute(query.where(CallRow.id == call_id, CallRow.run_id == run_id)).first()
    if row is None:
        raise NotFound(f'run {run_id} has no call "{call_id}"')
    values = dict(row._mapping)
    answer = values.pop("answer")
    evidence = Evidence.model_validate(_given(values, _EVIDENCE))
    usage = Usage(**{name: values.pop(name) for name in _USAGE})
    text = None if answer is None else zlib.decompress(answer).decode()
    return Call(**values, usage=usage, evidence=evidence, answer=text)


def answer_of_unit(connection: Connection, unit_id: str, digest: str) -> Completion | None:
    """Return the last answer to a request of a unit, even if the answer was not used."""
    query = (
        select(*(_TABLE.c[name] for name in _ANSWER))
        .where(_TABLE.c.unit_id == unit_id, _TABLE.c.digest == digest, _TABLE.c.answer.is_not(None))
        .order_by(_TABLE.c.call_id.desc())
        .limit(1)
    )
    row = connection.execute(query).first()
    return None if row is None else _completion(dict(row._mapping))


def mark_uncertain(connection: Connection, owner: str, run_id: str, now: datetime) -> int:
    """Mark the unanswered calls of dead workers as uncertain; return the number of calls.

    Background calls with a known response id are not lost: they are polled again.

    Args:
        owner: The living worker, whose calls are not changed.
    """
    return _doubt(connection, now, CallRow.run_id == run_id, CallRow.owner != owner)


def mark_uncertain_of_owner(connection: Connection, owner: str, now: datetime) -> dict[str, int]:
    """Mark the lost calls of a dead worker as uncertain; return the number of calls by run."""
    query = select(CallRow.run_id, func.count()).where(CallRow.owner == owner, *_LOST)
    by_run = dict(connection.execute(query.group_by(CallRow.run_id)).all())
    _doubt(connection, now, CallRow.owner == owner)
    return by_run


def mark_uncertain_of_units(connection: Connection, unit_ids: Sequence[str], now: datetime) -> int:
    """Mark the lost calls of units with expired leases as uncertain; return the number of calls.

    A worker that is slow but alive records the real ends of these calls later.
    """
    return _doubt(connection, now, CallRow.unit_id.in_(unit_ids)) if unit_ids else 0


def _doubt(connection: Connection, now: datetime, *which: ColumnElement[bool]) -> int:
    result = connection.execute(
        update(CallRow)
        .where(*which, *_LOST)
        .values(
            state="uncertain",
            ended_at=now,
            error_kind="uncertain",
            error="the worker died while this call was in flight; it may have been paid",
        )
        .returning(CallRow.id)
    )
    return len(result.all())


class CallStart(NamedTuple):
    """The start of a call, with the input and output tokens that it is known to have used."""

    at: datetime
    model: str
    tokens: int


def latest_starts(
    connection: Connection, provider: str, since: datetime, most: int | None
) -> list[CallStart]:
    """Return the calls that were sent to a provider after ``since``, the latest first.

    Requests of batches are excluded, because limits do not apply to them.

    Args:
        most: Maximum number of calls; all if absent.
    """
    row, batched = CallRow, BatchedRequestRow
    used = func.coalesce(row.input_tokens, 0) + func.coalesce(row.output_tokens, 0)
    query = (
        select(row.started_at, row.model, used)
        # Ids begin with the time of the start, and have an index.
        .where(row.id >= ids.first_at(since), row.started_at > since)
        .where(row.provider == provider, row.cached.is_(False))
        .where(~select(batched.call_id).where(batched.call_id == row.id).exists())
        .order_by(row.id.desc())
        .limit(most)
    )
    return [CallStart(*found) for found in connection.execute(query)]


class CallTotals(NamedTuple):
    """Sums over the calls of a run.

    Attributes:
        sent: Number of sent requests, including failed requests.
        unpriced: Number of answered calls with unknown cost.
        uncertain_usd: Maximum cost of uncertain calls; None if unknown because no cost was reserved
            for a call.
    """

    sent: int
    failed: int
    cached: int
    uncertain: int
    in_flight: int
    cost_usd: float
    unpriced: int
    uncertain_usd: float | None


def totals(connection: Connection, run_id: str) -> CallTotals:
    """Return the sums over the calls of a run."""
    return totals_by_run(connection, [run_id])[run_id]


def totals_by_run(connection: Connection, run_ids: Sequence[str]) -> dict[str, CallTotals]:
    """Return the sums over the calls of each run."""
    sent = CallRow.cached.is_(False)
    answered = (CallRow.state == "done") | CallRow.output_tokens.is_not(None)
    unpriced = sent & answered & CallRow.cost_usd.is_(None)
    open_end = (CallRow.state == "uncertain") & CallRow.cost_usd.is_(None)
    query = select(
        CallRow.run_id,
        _number(sent),
        _number(CallRow.state == "failed"),
        _number(CallRow.cached.is_(True)),
        _number(CallRow.state == "uncertain"),
        _number(CallRow.state == "started"),
        func.coalesce(func.sum(CallRow.cost_usd), 0.0),
        _number(unpriced),
        func.coalesce(func.sum(case((open_end, CallRow.reserved_usd))), 0.0),
        _number(open_end & CallRow.reserved_usd.is_(None)),
    ).where(CallRow.run_id.in_(run_ids))
    found = dict.fromkeys(run_ids, CallTotals(0, 0, 0, 0, 0, 0.0, 0, 0.0))
    for run_id, *known, boundless in connection.execute(query.group_by(CallRow.run_id)):
        sums = CallTotals(*known)
        found[run_id] = sums._replace(uncertain_usd=None) if boundless else sums
    return found


def _number(condition: Any) -> Any:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def _by_column(call: Call) -> dict[str, Any]:
    """Return the values of a call by column name."""
    values = {column_name: getattr(call, name) for name, column_name in _PLAIN_COLUMNS}
    values.update({name: getattr(call.usage, name) for name in _USAGE})
    values["so_far"] = list(call.so_far) or None
    found = call.evidence
    values.update(grounding=found.grounding, reasoning=found.reasoning, summary=found.summary)
    values["queries"] = list(found.queries) or None
    values["sources"] = [source.model_dump() for source in found.sources] or None
    values["answer"] = None if call.answer is None else zlib.compress(call.answer.encode())
    return values


def _listed() -> Select[Any]:
    wanted = [column(CallRow, name).label(name) for name in [*_PLAIN, *_USAGE, *_LEVELS]]
    return select(*wanted)


def _call(values: dict[str, Any]) -> Call:
    usage = Usage(**{name: values.pop(name) for name in _USAGE})
    evidence = Evidence.model_validate(_given(values, _LEVELS))
    return Call(**values, usage=usage, evidence=evidence)


def _given(values: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Remove and return the values with the given names."""
    taken = {name: values.pop(name) for name in names}
    return {name: value for name, value in taken.items() if value is not None}


_LOST = (CallRow.state == "started", CallRow.response_id.is_(None))
_TABLE = table(CallRow)
_PLAIN_COLUMNS = [(name, column(CallRow, name).name) for name in _PLAIN]
_ENDS = ("state", "status", "finish_reason", "cost_usd", "price", "response_id", "request_id",
         "ended_at", "error_kind", "error", "answer", "reusable", "so_far", *_USAGE,
         *_EVIDENCE)  # fmt: skip
_ANSWER = ("answer", "finish_reason", "response_id", "request_id", "status", "so_far", *_USAGE,
           *_EVIDENCE)  # fmt: skip
_NOT_AT_THE_START = {"status", "finish_reason", "cost_usd", "price", "response_id", "request_id",
                     "ended_at", "error_kind", "error"}  # fmt: skip
_STARTS = [(name, found) for name, found in _PLAIN_COLUMNS if name not in _NOT_AT_THE_START]
_START = PreparedStatement(insert(_TABLE).values(insert_columns()))
_TEXTS = {"answer", "so_far", "queries", "sources", "summary", "error", "reusable"}
_END = PreparedStatement(end_statement())
_END_OF_DELETED = PreparedStatement(_end_with([name for name in _ENDS if name not in _TEXTS]))
_FIND = (
    select(*(_TABLE.c[name] for name in _ANSWER))
    .where(
        _TABLE.c.tenant_id == bindparam("tenant"),
        _TABLE.c.digest == bindparam("digest"),
        _TABLE.c.iteration == bindparam("iteration"),
        _TABLE.c.state == "done",
        _TABLE.c.reusable.is_(True),
        _TABLE.c.cached.is_(False),
    )
    .order_by(_TABLE.c.call_id.desc())
    .limit(1)
)
_ANSWERED = PreparedStatement(_FIND)
_ANSWER_OF = PreparedStatement(
    select(*(_TABLE.c[name] for name in _ANSWER)).where(_TABLE.c.call_id == bindparam("call"))
)
_ANSWERED_UNIT = PreparedStatement(_FIND.where(_TABLE.c.unit_id == bindparam("unit")))
