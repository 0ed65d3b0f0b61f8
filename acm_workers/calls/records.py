"""The record of a call as it goes through its life; pure but for the time it is given."""

from datetime import datetime
from typing import NamedTuple

from acm_workers.calls.context import CallContext, Unit
from acm_workers.errors import AcmError
from acm_workers.providers.catalog import prices
from acm_workers.store.ids import new_id
from schemas.calls import Call, CallStage, Completion, Request
from schemas.config.provider import Provider

_LONGEST_NAME = 200


class Asked(NamedTuple):
    """What a call asks; see ``Call`` for the digest."""

    request: Request
    stage: CallStage
    digest: str


def begun(
    unit: Unit,
    asked: Asked,
    desk: CallContext,
    attempt: int = 1,
    waited_s: float = 0.0,
    reserved_usd: float | None = None,
) -> Call:
    """Return the record of a call that is about to be sent."""
    return Call(
        id=new_id(),
        run_id=unit.run_id,
        document_id=unit.document_id,
        unit_id=unit.id,
        unit_kind=unit.kind,
        stage=asked.stage,
        attempt=attempt,
        provider=asked.request.provider,
        model=asked.request.model,
        digest=asked.digest,
        iteration=unit.sample,
        state="started",
        reserved_usd=reserved_usd,
        wait_s=waited_s,
        started_at=desk.now(),
        owner=desk.owner,
    )


def from_cache(call: Call, completion: Completion, now: datetime) -> Call:
    """Return the record of a call that needed no sending: it costs nothing."""
    kept = _completed(call, completion, now)
    return kept.model_copy(update={"cached": True, "cost_usd": 0.0, "answer": None})


def answered(
    call: Call, completion: Completion, request: Request, provider: Provider, now: datetime
) -> Call:
    """Return the record of a call that was answered, with its cost."""
    kept = _completed(call, completion, now)
    return kept.model_copy(update=_cost(call, completion, provider, searching=request.search))


def failed(call: Call, error: Exception, provider: Provider, now: datetime) -> Call:
    """Return the record of a call that brought an error, with what it cost all the same.

    It is uncertain whether it was paid if the request may have been worked on.
    """
    update: dict[str, object] = {
        "state": "failed",
        "status": getattr(error, "status", None),
        "error_kind": type(error).__name__,
        "error": str(error)[:2000],
        "ended_at": now,
    }
    if isinstance(error, AcmError):
        if error.maybe_billed:
            update["state"] = "uncertain"
        if error.usage is not None:
            cost_usd, price = prices.cost(provider, call.model, error.usage, call.started_at)
            update |= {"usage": error.usage, "cost_usd": cost_usd, "price": price}
    return call.model_copy(update=update)


def _cost(
    call: Call, completion: Completion, provider: Provider, *, searching: bool
) -> dict[str, object]:
    # The name that comes back says which version of a model answered; the user's own price is
    # by the name in the config.
    model = call.model
    named = completion.model
    if named and model not in provider.prices and prices.known(provider, named, call.started_at):
        model = named
    usage = completion.usage
    cost_usd, price = prices.cost(provider, model, usage, call.started_at, searching=searching)
    if cost_usd is None and completion.cost_usd is not None:
        cost_usd, price = completion.cost_usd, prices.BY_PROVIDER
    return {"cost_usd": cost_usd, "price": price}


def _completed(call: Call, completion: Completion, now: datetime) -> Call:
    return call.model_copy(
        update={
            "state": "done",
            "status": completion.status,
            "finish_reason": completion.finish_reason,
            "usage": completion.usage,
            "evidence": completion.evidence,
            "so_far": completion.so_far,
            "response_id": _cut(completion.response_id),
            "request_id": _cut(completion.request_id),
            "answer": completion.text,
            "ended_at": now,
        }
    )


def _cut(name: str | None) -> str | None:
    """Return a name that a server gave, no longer than the store has room for."""
    return None if name is None else name[:_LONGEST_NAME]
