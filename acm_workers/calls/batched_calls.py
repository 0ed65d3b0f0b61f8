"""Batched calls: reads their results for units, and settles them for runs."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from acm_workers.calls import call_log
from acm_workers.calls.batch_delivery import BatchDelivery
from acm_workers.errors import AcmError, AnswerPending, Cancelled, ParameterRefused
from acm_workers.errors import ProviderUnavailable as Unavailable
from acm_workers.providers.batches import delivery
from acm_workers.providers.batches.records import BatchResult
from acm_workers.store import batches, calls, pending_calls
from acm_workers.store.batches import StoredRequest
from acm_workers.store.connection.database import Database
from schemas.calls import Call, Completion
from schemas.config.config import Config
from schemas.config.provider import Provider

_LOOK = timedelta(hours=1)
"""Interval at which a unit checks for its result; normally the result wakes it."""

_LOOK_EVERY_S = 0.2


def pending(call: Call, now: datetime) -> AnswerPending:
    """Return the error that postpones a unit while the request of its call is in a batch."""
    return AnswerPending(f"{call.provider}: {call.model} answers in a batch", now + _LOOK)


def read(call: Call, request: StoredRequest, provider: Provider, now: datetime) -> Completion:
    """Return the completion of a call, read from the stored result of its request.

    Raises:
        AnswerPending: There is no result yet.
        AcmError: The request failed; ``final`` is set. After a transient error the request is sent
            again live.
    """
    if not request.answered:
        raise pending(call, now)
    try:
        return _completion(call, request, provider)
    except ParameterRefused as error:
        # Sent by itself, the request is refused again, and goes without the parameter.
        refused = Unavailable(str(error), status=error.status)
        refused.final = True
        raise refused from error


def settle_abandoned(
    database: Database, run_id: str, config: Config, now: datetime
) -> tuple[int, int]:
    """End the batched calls of a run for which no unit waits, unless their batches are still open.

    Unsent requests are withdrawn. Sent requests are cancelled at the provider, and their calls are
    recorded when the results arrive.

    Returns:
        The number of calls that have ended, and the number of calls that are still open.
    """
    with database.read() as connection:
        if not batches.runs(connection, [run_id]):
            return 0, 0
        abandoned = pending_calls.abandoned(connection, run_id, batched=True)
        requests = batches.of_abandoned(connection, run_id)
        found = [(call, requests[call.id]) for call in abandoned if call.id in requests]
    if not found:
        with database.write() as connection:
            batches.forget_read(connection, run_id)
        return 0, 0
    ended = [
        _ended(call, request, config, now)
        for call, request in found
        if request.answered and call.provider in config.providers
    ]
    with database.write() as connection:
        unsent = [call for call, request in found if not request.answered]
        withdrawn = batches.withdraw(connection, [call.id for call in unsent])
        ended += [_withdrawn(call, now) for call in unsent if call.id in withdrawn]
        calls.end(connection, ended)
        batches.cancel_abandoned(connection, run_id, now)
        batches.forget_read(connection, run_id)
    return len(ended), len(found) - len(ended)


def finish(
    database: Database,
    run_id: str,
    config: Config,
    owner: str,
    now: Callable[[], datetime],
    within_s: float,
) -> tuple[int, int]:
    """Settle the abandoned calls of a run without a worker, and wait for their batches.

    Returns:
        See ``settle_abandoned``.
    """
    until = time.monotonic() + within_s
    worker = BatchDelivery(database, config, owner, now)
    done = 0
    while True:
        ended, left = settle_abandoned(database, run_id, config, now())
        done += ended
        if not left or time.monotonic() >= until:
            return done, left
        _work(database, run_id, worker, now())
        time.sleep(_LOOK_EVERY_S)


def _work(database: Database, run_id: str, worker: BatchDelivery, now: datetime) -> None:
    with database.write() as connection:
        wanted = {one.id for one in batches.open_of(connection, run_id) if one.cancel_requested}
        due = batches.take_due(connection, run_id, now, now, only=wanted)
    for batch_id, _ in due:
        worker.work_on(batch_id)


def _completion(call: Call, request: StoredRequest, provider: Provider) -> Completion:
    result = BatchResult(request.name, request.status, request.result, request.reason)
    return delivery.read(provider, call.provider, result)


def _ended(call: Call, request: StoredRequest, config: Config, now: datetime) -> Call:
    provider = config.providers[call.provider]
    try:
        completion = _completion(call, request, provider)
    except AcmError as error:
        return call_log.failed(call, error, provider, now)
    return call_log.answered(call, completion, call_log.unknown_request(call), provider, now)


def _withdrawn(call: Call, now: datetime) -> Call:
    return call_log.ended(call, "failed", Cancelled("it was never sent"), now)
