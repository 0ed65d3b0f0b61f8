"""Background calls: each request is submitted once, and short tasks poll its answer.

A unit has at most one pending call, and each task first polls this call. A task that has polled
sends no request, so that polls never wait behind requests.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import NamedTuple, NoReturn

import structlog

from acm_workers.calls import batched_calls, call_log, polling
from acm_workers.calls.context import CallContext
from acm_workers.calls.unit_work import UnitWork
from acm_workers.errors import (
    AcmError,
    AnswerLost,
    AnswerOverdue,
    AnswerPending,
    OutOfAttempts,
    ProviderPaused,
    StoreFailed,
    TransientError,
)
from acm_workers.providers import background
from acm_workers.providers.catalog import capabilities
from acm_workers.store import batches, calls, pending_calls, tenants, units
from acm_workers.store.batches import StoredRequest
from acm_workers.store.connection.database import Database
from acm_workers.store.pending_calls import PendingCall
from schemas.calls import Call, Completion, Request
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.config.provider import Provider
from schemas.config.variant import Model, Variant
from schemas.scope import Scope

_OVERTIME = timedelta(minutes=2)
"""Time after the deadline of an answer during which a failed cancellation is retried."""

_NOT_FOUND = 404
_MOST_MISSES = 3
_SAVE_PAUSES_S = (0.2, 1.0, 3.0)
_THREADS = 8

log = structlog.get_logger()


def is_background(provider: Provider, model: str) -> bool:
    """Return whether a model answers in the background."""
    return capabilities.of(provider, model).background


def providers(config: Config) -> set[str]:
    """Return the providers of a config whose models answer in the background."""
    # The best candidate's model, which combines if none is named, is one of the runs.
    used: list[Variant | Judge | Model] = [
        *config.calling_writers,
        *config.judges_of(combined=False),
        *config.judges_of(combined=True),
        *config.comparing_judges,
        *(config.playoffs.models or ()),
    ]
    return {
        entry.provider
        for entry in used
        if is_background(config.providers[entry.provider], entry.model)
    }


def next_poll(
    call: Call, provider: Provider, now: datetime, retry_after_s: float = 0.0
) -> datetime:
    """Return when to poll an answer again; at its deadline at the latest.

    Args:
        retry_after_s: Seconds that the provider requires to wait.
    """
    wait_s = max(
        polling.interval_s(provider, (now - call.started_at).total_seconds()), retry_after_s
    )
    at, deadline = now + timedelta(seconds=wait_s), _deadline(call, provider)
    return min(at, deadline) if now < deadline else at


def is_overdue(call: Call, provider: Provider, now: datetime) -> bool:
    """Return whether an answer has passed its deadline."""
    return now >= _deadline(call, provider)


def is_given_up(call: Call, provider: Provider, now: datetime) -> bool:
    """Return whether an overdue answer is given up, and neither cancelled nor polled any more."""
    return now >= _deadline(call, provider) + _OVERTIME


class BackgroundCalls:
    """The background answers of one unit.

    Attributes:
        failures: Number of answers that have failed since the unit was planned.
    """

    def __init__(self, context: CallContext, config: Config, work: UnitWork) -> None:
        self.failures = 0
        self._context = context
        self._config = config
        self._work = work
        self._found: tuple[str, Completion] | None = None

    def poll(self) -> None:
        """Claim the unit and poll its pending call, if it has one.

        Raises:
            AnswerPending: The answer has not arrived, or it failed and is requested again later.
            PermanentError: There will be no answer.
            ProviderPaused: The key is missing or refused, or the provider's money is used up.
            AlreadyClaimed: Another worker has the unit.
        """
        unit = self._work.unit
        self._context.check(unit.run_id)
        with self._context.database.write() as connection:
            self._work.claim(connection)
            self.failures = units.background_failures(connection, unit.kind, unit.id)
            found = pending_calls.of_unit(connection, unit.id)
            batched = None if found is None else batches.of_call(connection, found.call.id)
        if found is not None:
            answer = self._poll(found) if batched is None else self._read(found.call, batched)
            self._found = found.call.digest, answer

    def known(self, digest: str) -> Completion | None:
        """Return the answer to a request of this unit, if it has arrived."""
        if self._found is not None and self._found[0] == digest:
            return self._found[1]
        unit = self._work.unit
        with self._context.database.read() as connection:
            scope = Scope(tenants.of_run(connection, unit.run_id))
            return calls.find_answer(connection, digest, unit.sample, unit.id, scope)

    def require_no_poll(self) -> None:
        """Raise if this task has polled, so that another task sends further requests.

        Raises:
            AnswerPending: This task has polled an answer.
        """
        if self._found is not None:
            raise AnswerPending("the next request is sent by another task", self._context.now())

    def submit(self, provider: Provider, request: Request, call: Call, request_id: str) -> NoReturn:
        """Submit ``request``, and save the provider's id of the answer.

        Args:
            call: The started call of the request.
            request_id: ACM's id of the request.

        Raises:
            AnswerPending: The provider accepted the request; the model works on the answer.
                AcmError: The request failed; see ``background.submit``.
        """
        there = polling.short_timeout(provider)
        response_id, _ = background.submit(there, call.provider, request, request_id)
        self._save_id(call, response_id)
        raise _pending(call, next_poll(call, provider, self._context.now()))

    def _save_id(self, call: Call, response_id: str) -> None:
        """Save the id that is needed to find a paid answer again.

        Raises:
            StoreFailed: The store does not accept the id, even after several attempts.
        """
        for pause_s in (*_SAVE_PAUSES_S, None):
            try:
                with self._context.database.write() as connection:
                    pending_calls.mark_submitted(connection, call.id, response_id)
            except StoreFailed:
                if pause_s is None:
                    raise
                log.warning("response id not saved yet", call=call.id, response=response_id)
                time.sleep(pause_s)
            else:
                return

    def _read(self, call: Call, request: StoredRequest) -> Completion:
        """Return the answer to a request that was sent in a batch, from its stored result."""
        provider = self._config.providers[call.provider]
        try:
            completion = batched_calls.read(call, request, provider, self._context.now())
        except AcmError as error:
            if error.final:
                self._answer_failed(call, error, provider, overdue=False)
            raise
        return self._keep(call, completion, provider)

    def _poll(self, found: PendingCall) -> Completion:
        call, now = found.call, self._context.now()
        provider = self._config.providers[call.provider]
        self._context.require_access(call.run_id, call.provider, provider)
        overdue = is_overdue(call, provider, now)
        try:
            completion = _polled(provider, call, cancel=overdue)
        except AcmError as error:
            if error.final:
                self._answer_failed(call, error, provider, overdue=overdue)
            self._poll_failed(found, error, provider)
        self._save_misses(found, 0)
        if completion is None:
            self._wait(call, provider)
        return self._keep(call, completion, provider)

    def _keep(self, call: Call, completion: Completion, provider: Provider) -> Completion:
        now = self._context.now()
        ended = call_log.answered(call, completion, call_log.unknown_request(call), provider, now)
        self._work.keep_answered(ended)
        return completion

    def _answer_failed(
        self, call: Call, error: AcmError, provider: Provider, *, overdue: bool
    ) -> NoReturn:
        """Record an answer that ended without a result, and raise the resulting error."""
        self._end(call, error, provider, retried=isinstance(error, TransientError) and not overdue)
        if overdue:
            raise _overdue(call, provider) from error
        retries = self._config.retries
        self._context.slow_down(call.run_id, call.provider, error, retries)
        if not isinstance(error, TransientError):
            raise error
        if self.failures >= retries.attempts:
            tried = f"{error} (after {self.failures} failures in the background)"
            raise OutOfAttempts(tried, error.status) from error
        ceiling_s = min(retries.max_delay_seconds, retries.base_delay_seconds * 2.0**self.failures)
        delay = timedelta(seconds=max(ceiling_s, error.retry_after_s or 0.0))
        raise AnswerPending(str(error), self._context.now() + delay) from error

    def _poll_failed(self, found: PendingCall, error: AcmError, provider: Provider) -> NoReturn:
        """Raise the error of a poll that did not reach the answer."""
        call = found.call
        self._context.slow_down(call.run_id, call.provider, error, self._config.retries)
        if isinstance(error, ProviderPaused):
            raise error
        missed = isinstance(error, TransientError) and error.status == _NOT_FOUND
        misses = found.misses + 1 if missed else 0
        if misses >= _MOST_MISSES:
            lost = AnswerLost(f"{error}, {misses} times in a row; it may have been paid")
            self._give_up(call, lost, provider)
        self._save_misses(found, misses)
        retry_after_s = error.retry_after_s if isinstance(error, TransientError) else None
        self._wait(call, provider, retry_after_s or 0.0)

    def _save_misses(self, found: PendingCall, misses: int) -> None:
        if misses != found.misses:
            with self._context.database.write() as connection:
                pending_calls.count_miss(connection, found.call.id, misses)

    def _wait(self, call: Call, provider: Provider, retry_after_s: float = 0.0) -> NoReturn:
        now = self._context.now()
        if is_given_up(call, provider, now):
            self._give_up(call, _overdue(call, provider), provider)
        raise _pending(call, next_poll(call, provider, now, retry_after_s))

    def _give_up(self, call: Call, error: AcmError, provider: Provider) -> NoReturn:
        """End a call whose cost is not known."""
        error.maybe_billed = True
        self._end(call, error, provider)
        raise error

    def _end(
        self, call: Call, error: AcmError, provider: Provider, *, retried: bool = False
    ) -> None:
        ended = call_log.failed(call, error, provider, self._context.now())
        with self._context.database.write() as connection:
            calls.end(connection, [ended])
            if retried:
                units.count_background_failure(connection, self._work.unit.kind, self._work.unit.id)
        self.failures += retried


class CancelledAnswers(NamedTuple):
    """The outcome of cancelling abandoned answers.

    Attributes:
        ended: Number of answers that have ended; their cost is recorded.
        left: Number of answers that could not be cancelled. The model may still work on these
            answers; they are polled when the run is resumed.
    """

    ended: int
    left: int


def cancel_abandoned(
    database: Database, run_id: str, config: Config, now: Callable[[], datetime]
) -> CancelledAnswers:
    """Cancel the pending calls of a run for which no unit waits, and record their cost.

    The units of such calls were cancelled with the run, or failed because their workers died. Calls
    in batches are left to ``batched_calls``.
    """

    def cancelled(call: Call) -> Call | None:
        provider = config.providers.get(call.provider)
        return None if provider is None else _cancelled(call, provider, now)

    with database.read() as connection:
        abandoned = pending_calls.abandoned(connection, run_id, batched=False)
    if not abandoned:
        return CancelledAnswers(0, 0)
    with ThreadPoolExecutor(min(_THREADS, len(abandoned))) as pool:
        ended = [call for call in pool.map(cancelled, abandoned) if call is not None]
    with database.write() as connection:
        calls.end(connection, ended)
    return CancelledAnswers(len(ended), len(abandoned) - len(ended))


def _cancelled(call: Call, provider: Provider, now: Callable[[], datetime]) -> Call | None:
    """Cancel a call and return its end; None if it has not ended."""
    try:
        completion = _polled(provider, call, cancel=True)
    except AcmError as error:
        if error.final:
            return call_log.failed(call, error, provider, now())
        log.warning("not cancelled", call=call.id, response=call.response_id, error=str(error))
        return None
    if completion is None:
        return None
    return call_log.answered(call, completion, call_log.unknown_request(call), provider, now())


def _polled(provider: Provider, call: Call, *, cancel: bool) -> Completion | None:
    """Poll the answer to a pending call; return None while the model works on it.

    Args:
        cancel: Cancel the call first; an answer that is already complete is returned nevertheless.

    Raises:
        AcmError: See ``background.poll``; ``final`` is True if the answer has ended.
    """
    there, response_id = polling.short_timeout(provider), call.response_id or ""
    if cancel:
        try:
            background.cancel(there, call.provider, response_id)
        except AcmError as error:  # the poll tells what became of it
            log.warning("not cancelled", call=call.id, response=response_id, error=str(error))
    return background.poll(there, call.provider, response_id)


def _pending(call: Call, poll_at: datetime) -> AnswerPending:
    return AnswerPending(f"{call.provider}: {call.model} is at work in the background", poll_at)


def _overdue(call: Call, provider: Provider) -> AnswerOverdue:
    limit_s = provider.timeout_seconds
    return AnswerOverdue(f"{call.provider}: no answer within {limit_s:g} s; it was cancelled")


def _deadline(call: Call, provider: Provider) -> datetime:
    return call.started_at + timedelta(seconds=provider.timeout_seconds)
