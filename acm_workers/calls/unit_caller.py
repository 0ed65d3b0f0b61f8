"""The calls of one unit: recorded before they are sent, and never sent again once answered."""

import contextlib
import functools
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import NamedTuple, NoReturn

from acm_workers.calls import background_calls, batched_calls, call_log
from acm_workers.calls.background_calls import BackgroundCalls
from acm_workers.calls.budget import BudgetReservation
from acm_workers.calls.context import CallContext, RefusedParameters, RequestKey, UnitRef
from acm_workers.calls.retry_policy import RetryPolicy
from acm_workers.calls.unit_work import UnitResult, UnitWork
from acm_workers.errors import (
    AnswerPending,
    Cancelled,
    ParameterRefused,
    StoreFailed,
    TransientError,
)
from acm_workers.limits.interface import Permit
from acm_workers.providers import completion, tokens
from acm_workers.providers.batches import delivery as batch_interfaces
from acm_workers.providers.dialects.evidence import beyond_prompt
from acm_workers.store import batches, calls, tenants
from acm_workers.store.ids import new_id
from schemas.calls import Call, CallStage, Completion, Request
from schemas.config.config import Config
from schemas.config.provider import Provider
from schemas.config.variant import Delivery, Model
from schemas.scope import Scope

_ANSWER_TOKENS = 1500
"""Estimated length of an answer without a token limit, corrected when the answer arrives."""

_SEARCH_TOKENS = 20_000
"""Estimated input tokens of searches."""

_SLEEP_S = 0.5
"""Maximum time between two checks whether the run was cancelled."""


class _LedgerRequest(NamedTuple):
    """A request with the key of its calls in the ledger; see ``Call.digest``."""

    request: Request
    stage: CallStage
    digest: str


class _OutdatedRequest(Exception):
    """The model was found to refuse a parameter while the request waited for its permit."""


class UnitCaller:
    """Answers the requests of one unit, from stored answers or with paid calls; a ``Caller``.

    Args:
        delivery: Delivery of the first request of the unit; requests that follow an answer or a
            failure are sent live.

    Attributes:
        work: The unit.
    """

    def __init__(
        self, context: CallContext, config: Config, work: UnitWork, delivery: Delivery = "live"
    ) -> None:
        self._delivery = delivery
        self._by_batch = delivery == "batch"
        self._context = context
        self._config = config
        self.work = self._work = work
        self._retry = RetryPolicy(config.retries)
        self._background = BackgroundCalls(context, config, work)
        self._shared: list[RequestKey] = []

    def resume(self, provider: str, model: str) -> None:
        """Poll the answer that the unit waits for, if its model answers in the background.

        Raises:
            AnswerPending: The answer has not arrived yet.
            AcmError: See ``BackgroundCalls.poll``.
        """
        if self._is_polled(provider, model):
            self._background.poll()

    def _is_polled(self, provider: str, model: str) -> bool:
        """Return whether answers of a model are polled, because they arrive later."""
        there = self._config.providers[provider]
        return self._delivery == "batch" or background_calls.is_background(there, model)

    def complete(self, request: Request, stage: CallStage = "main") -> Completion:
        """Answer ``request``; see ``Caller``."""
        answer = self._without_refused(request, stage)
        self._work.add_usage(answer.usage)
        return answer

    def _without_refused(self, request: Request, stage: CallStage) -> Completion:
        """Answer ``request`` without the parameters that its model is known to refuse."""
        refused = self._refused()
        while True:
            request = refused.omit(request)
            try:
                return self._answer(request, stage)
            except _OutdatedRequest:
                pass
            except ParameterRefused as error:
                if not refused.learn(request, error):
                    raise

    def _refused(self) -> RefusedParameters:
        return self._context.refused[
            tenants.scope_of(self._context.database, self.work.unit.run_id)
        ]

    def _answer(self, request: Request, stage: CallStage) -> Completion:
        provider = self._config.providers[request.provider]
        digest = completion.digest(provider, request)
        if self._is_polled(request.provider, request.model):
            own = self._background.known(digest)
            if own is not None:
                self._by_batch = False
                return beyond_prompt(own, request)  # the poll did not know the prompt
        entry = _LedgerRequest(request, stage, digest)
        key, stored = self._look_up(digest)
        if stored is not None:
            self._by_batch = False
            call = self._new_call(entry)
            self._work.save_cached(call_log.from_cache(call, stored, self._context.now()))
            return stored
        self._background.require_no_poll()
        if self._by_batch and not self._background.failures:
            self._send_by_batch(entry)
        if self._config.cache != "reuse" or background_calls.is_background(provider, request.model):
            return self._send_with_retries(entry)
        return self._send_or_share(entry, key)

    def _send_or_share(self, entry: _LedgerRequest, key: RequestKey) -> Completion:
        """Send a request, or wait for the answer of another unit that sends the same one."""
        shared = self._context.shared
        others = shared.begin(key)
        if others is None:
            answer = None
            try:
                answer = self._send_with_retries(entry)
            finally:
                shared.set(key, answer)
            self._shared.append(key)
            return answer
        answer = self._wait(others)
        if answer is None:
            return self._send_with_retries(entry)
        call = self._new_call(entry)
        self._work.save_cached(call_log.from_cache(call, answer, self._context.now()))
        return answer

    def _wait(self, others: "Future[Completion | None]") -> Completion | None:
        while True:
            self._context.check(self._work.unit.run_id)
            with contextlib.suppress(TimeoutError):
                return others.result(_SLEEP_S)

    def close(self) -> None:
        """Stop sharing the answers of the unit once it is saved."""
        self._context.shared.forget(self._shared)

    def _send_with_retries(self, entry: _LedgerRequest) -> Completion:
        self._retry.reset()
        while True:
            self._context.check(self._work.unit.run_id)
            self._context.breakers.check(self._work.unit)
            try:
                return self._send(entry)
            except TransientError as error:
                delay_s = self._retry.delay_s(error)
                call_log.retried(self._work.unit, entry.request, error, delay_s)
                self._sleep(delay_s)

    def _look_up(self, digest: str) -> tuple[RequestKey, Completion | None]:
        """Return the key under which units of one tenant share an answer, and a stored answer."""
        # An answer that this very unit got before a crash is used in every cache mode.
        unit = self._work.unit
        only_unit = None if self._config.cache == "reuse" else unit.id
        with self._context.database.autocommit() as connection:
            tenant_id = tenants.of_run(connection, unit.run_id)
            stored = calls.find_answer(connection, digest, unit.sample, only_unit, Scope(tenant_id))
        return (f"{tenant_id} {digest}", unit.sample), stored

    def _send(self, entry: _LedgerRequest) -> Completion:
        """Send a request once, when budget and limits allow it."""
        context, unit, request = self._context, self._work.unit, entry.request
        provider = self._config.providers[request.provider]
        context.require_access(unit.run_id, request.provider, provider)
        qualified = context.qualified(unit.run_id, request.provider)
        check = functools.partial(context.check, unit.run_id)
        with context.budgets.reservation(
            unit.run_id, self._config, request, check, context.now()
        ) as reservation:
            while True:
                reservation.wait()
                estimate = _estimated_tokens(reservation.request, provider)
                with context.limiter.acquire(
                    qualified, request.model, estimate, stop=self._is_stopped
                ) as permit:
                    if self._refused().omit(request) is not request:
                        raise _OutdatedRequest
                    context.breakers.check(unit)
                    new_call = functools.partial(self._new_call, entry, permit, reservation)
                    call = self._work.start_call(new_call, reservation)
                    if call is not None:
                        reservation.close()
                        return self._receive(entry, reservation.request, call, permit)

    def _send_by_batch(self, entry: _LedgerRequest) -> NoReturn:
        """Store a request for a batch, when the budget allows it.

        Raises:
            AnswerPending: The request is stored.
        """
        context, unit, request = self._context, self._work.unit, entry.request
        provider = self._config.providers[request.provider]
        self._retry.reset()
        check = functools.partial(context.check, unit.run_id)
        with context.budgets.reservation(
            unit.run_id, self._config, request, check, context.now()
        ) as reservation:
            while True:
                reservation.wait()
                context.check(unit.run_id)
                context.breakers.check(unit)
                body = batch_interfaces.body(provider, reservation.request)
                store = functools.partial(batches.add_request, body=body)
                new_call = functools.partial(self._new_call, entry, None, reservation)
                call = self._work.start_call(new_call, reservation, store)
                if call is not None:
                    break
        raise batched_calls.pending(call, context.now())

    def _new_call(
        self,
        entry: _LedgerRequest,
        permit: Permit | None = None,
        reservation: BudgetReservation | None = None,
    ) -> Call:
        """Return the record of a call that starts now; without a permit nothing is sent for it."""
        unit, request = self._work.unit, entry.request
        attempt = 1
        if permit is not None:
            attempt = self._retry.start_attempt() + self._background.failures
        return Call(
            id=new_id(),
            run_id=unit.run_id,
            document_id=unit.document_id,
            unit_id=unit.id,
            unit_kind=unit.kind,
            stage=entry.stage,
            attempt=attempt,
            provider=request.provider,
            model=request.model,
            digest=entry.digest,
            iteration=unit.sample,
            state="started",
            reserved_usd=None if reservation is None else reservation.amount_usd,
            wait_s=0.0 if permit is None else permit.waited_s,
            started_at=self._context.now(),
            owner=self._context.owner,
        )

    def _receive(
        self, entry: _LedgerRequest, sent: Request, call: Call, permit: Permit
    ) -> Completion:
        """Send a started call, and record its end.

        Args:
            sent: The request of ``entry`` within the limits of the budget.
        """
        context, request = self._context, entry.request
        provider = self._config.providers[request.provider]
        request_id = f"{call.digest[:32]}-{call.iteration}"
        call_log.started(call, sent)
        try:
            if background_calls.is_background(provider, sent.model):
                self._background.submit(provider, sent, call, request_id)
            answer = completion.complete(provider, request.provider, sent, request_id)
        except (AnswerPending, StoreFailed):
            raise
        except Exception as error:
            self._work.end_call(call_log.failed(call, error, provider, context.now()))
            context.slow_down(call.run_id, request.provider, error, self._config.retries)
            raise
        inputs, outputs = answer.usage.input_tokens, answer.usage.output_tokens
        if permit.tokens and inputs is not None and outputs is not None:
            context.limiter.settle(permit, inputs + outputs)
        ended = call_log.answered(call, answer, request, provider, context.now())
        self._work.keep_answered(ended)
        return answer

    def _is_stopped(self) -> bool:
        try:
            self._context.check(self._work.unit.run_id)
        except Cancelled:
            return True
        return False

    def _sleep(self, delay_s: float) -> None:
        until = time.monotonic() + delay_s
        while (left_s := until - time.monotonic()) > 0:
            self._context.check(self._work.unit.run_id)
            time.sleep(min(left_s, _SLEEP_S))


class UnitEnd(NamedTuple):
    """The end of the work on a unit.

    Attributes:
        saved: Whether the unit has ended, either with a result or as failed.
        error: The reason why there is no result.
    """

    saved: bool
    error: Exception | None = None


def run_unit(
    context: CallContext,
    config: Config,
    unit: UnitRef,
    model: Model | None,
    work: Callable[[UnitCaller], UnitResult],
    delivery: Delivery = "live",
) -> UnitEnd:
    """Do the work of a unit with paid calls, and save its result or failure.

    Args:
        model: Model whose background answer is polled first; None if the unit has no model.
        delivery: See ``UnitCaller``.

    Raises:
        StoreFailed: The result could not be saved.
    """
    unit_work = UnitWork(context, unit, config.retries.give_up_after)
    caller = UnitCaller(context, config, unit_work, delivery)
    try:
        if model is not None:
            caller.resume(model.provider, model.model)
        result = work(caller)
    except Exception as error:
        return UnitEnd(unit_work.fail(error), error)
    else:
        return UnitEnd(unit_work.succeed(result))
    finally:
        caller.close()


def _estimated_tokens(request: Request, provider: Provider) -> int:
    """Return the tokens to take from the provider's quota; 0 if it has none."""
    model = provider.models.get(request.model)
    if provider.tokens_per_minute is None and (model is None or model.tokens_per_minute is None):
        return 0
    prompt = sum(tokens.estimate(message.content) for message in request.messages)
    searches = _SEARCH_TOKENS if request.search else 0
    return prompt + searches + (request.max_tokens or _ANSWER_TOKENS)
