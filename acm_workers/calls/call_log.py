"""Ledger records and log lines for the start, the retries and the end of a call."""

from datetime import datetime

import structlog

from acm_workers.calls.context import UnitRef
from acm_workers.errors import AcmError, TransientError, kind_of
from acm_workers.providers.catalog import prices
from schemas.calls import Call, CallState, Completion, Request
from schemas.config.provider import Provider

_LONGEST_ID = 200
"""Maximum length of a provider's id in the store, in characters."""

log = structlog.get_logger()


def started(call: Call, sent: Request) -> None:
    """Log that a call is sent, with the size of its prompt."""
    log.info(
        "call started",
        **_log_fields(call),
        kind=call.unit_kind,
        searching=sent.search,
        waited_s=round(call.wait_s or 0.0, 3),
        prompt_chars=sum(len(message.content) for message in sent.messages),
    )


def retried(unit: UnitRef, request: Request, error: TransientError, delay_s: float) -> None:
    """Log that a request is sent again, and why."""
    log.info(
        "call retried",
        run=unit.run_id,
        document=unit.document_id,
        unit=unit.id,
        provider=request.provider,
        model=request.model,
        retry_reason=kind_of(type(error)),
        status=error.status,
        delay_s=round(delay_s, 3),
    )


def from_cache(call: Call, completion: Completion, now: datetime) -> Call:
    """Return the record of a call that was answered from the cache at no cost."""
    update = _ended(completion, now) | {"cached": True, "cost_usd": 0.0, "answer": None}
    return call.model_copy(update=update)


def answered(
    call: Call, completion: Completion, request: Request, provider: Provider, now: datetime
) -> Call:
    """Log the end of a call that was answered, and return its record with the cost."""
    cost_usd, price = _cost(call, completion, provider, searching=request.search)
    return answered_with_cost(call, completion, now, cost_usd, price)


def answered_with_cost(
    call: Call, completion: Completion, now: datetime, cost_usd: float | None, price: str | None
) -> Call:
    """Log the end of an answered call with its cost, if known, and return its record."""
    cost = {"cost_usd": cost_usd, "price": price}
    return _logged(call.model_copy(update=_ended(completion, now) | cost))


def failed(call: Call, error: Exception, provider: Provider, now: datetime) -> Call:
    """Log the end of a call that failed, and return its record.

    The state is ``uncertain`` if the provider may have charged for the call. This includes every
    error that ACM does not define, because such an error can occur after the request was sent. The
    cost is known if the error contains the usage.
    """
    uncertain = not isinstance(error, AcmError) or error.maybe_billed
    update: dict[str, object] = {}
    if isinstance(error, AcmError) and error.usage is not None:
        cost_usd, price = prices.cost(provider, call.model, error.usage, call.started_at)
        update = {"usage": error.usage, "cost_usd": cost_usd, "price": price}
    state: CallState = "uncertain" if uncertain else "failed"
    return ended(call.model_copy(update=update), state, error, now)


def unknown_request(call: Call) -> Request:
    """Return a placeholder for a request that is not available; its cost may include searches."""
    return Request(provider=call.provider, model=call.model, messages=(), search=True)


def ended(call: Call, state: CallState, error: Exception, now: datetime) -> Call:
    """Log the end of a call without an answer, and return its record."""
    update = {
        "state": state,
        "status": getattr(error, "status", None),
        "error_kind": kind_of(type(error)),
        "error": str(error)[:2000],
        "ended_at": now,
    }
    return _logged(call.model_copy(update=update))


def _cost(
    call: Call, completion: Completion, provider: Provider, *, searching: bool
) -> tuple[float | None, str | None]:
    # The name in the answer tells which version of a model answered; a price of the user's own
    # is by the name in the config.
    model = call.model
    named = completion.model
    if named and model not in provider.prices and prices.known(provider, named, call.started_at):
        model = named
    usage = completion.usage
    cost_usd, price = prices.cost(provider, model, usage, call.started_at, searching=searching)
    if cost_usd is None and completion.cost_usd is not None:
        cost_usd, price = completion.cost_usd, prices.PROVIDER_PRICE
    return cost_usd, price


def _ended(completion: Completion, now: datetime) -> dict[str, object]:
    response_id, request_id = completion.response_id, completion.request_id
    return {
        "state": "done",
        "status": completion.status,
        "finish_reason": completion.finish_reason,
        "usage": completion.usage,
        "evidence": completion.evidence,
        "so_far": completion.so_far,
        "response_id": None if response_id is None else response_id[:_LONGEST_ID],
        "request_id": None if request_id is None else request_id[:_LONGEST_ID],
        "answer": completion.text,
        "ended_at": now,
    }


def _logged(call: Call) -> Call:
    """Log the end of a call with ids and numbers; logs contain no texts."""
    took_s = None
    if call.ended_at is not None:
        took_s = round((call.ended_at - call.started_at).total_seconds(), 3)
    log.info(
        "call ended",
        **_log_fields(call),
        state=call.state,
        status=call.status,
        error=call.error_kind,
        took_s=took_s,
        waited_s=round(call.wait_s or 0.0, 3),
        input_tokens=call.usage.input_tokens,
        output_tokens=call.usage.output_tokens,
        answer_chars=None if call.answer is None else len(call.answer),
        cost_usd=call.cost_usd,
    )
    return call


def _log_fields(call: Call) -> dict[str, str | int]:
    return {
        "run": call.run_id,
        "document": call.document_id,
        "unit": call.unit_id,
        "call": call.id,
        "stage": call.stage,
        "attempt": call.attempt,
        "provider": call.provider,
        "model": call.model,
    }
