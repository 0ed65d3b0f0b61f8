"""Relays one request of a child to its provider; the call is recorded at its start and its end."""

import functools
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

import structlog

from acm_workers.calls import call_log
from acm_workers.calls.budget import BudgetReservation
from acm_workers.calls.retry_policy import RetryPolicy
from acm_workers.errors import (
    AcmError,
    AlreadyClaimed,
    BudgetSpent,
    CallLimitReached,
    Cancelled,
    GivenUp,
    OutOfAttempts,
    PriceUnknown,
    ProviderPaused,
    ProviderRejected,
    StoreFailed,
    TransientError,
)
from acm_workers.gateway import metering
from acm_workers.gateway.access import FinalAnswer, GatewayAccess
from acm_workers.gateway.metering import StreamMeter
from acm_workers.gateway.requests import GatewayRequest
from acm_workers.limits.interface import Permit
from acm_workers.providers.http import failures, redaction, transport
from acm_workers.providers.http.transport import RawResponse
from acm_workers.store.ids import new_id
from schemas.calls import Call, Completion, Request

MAX_ANSWER_BYTES = 64 * 1024 * 1024
MAX_STORED_BYTES = 16 * 1024 * 1024
"""Maximum size of a stored answer, in bytes; a longer answer is only forwarded."""

EVENTS = "text/event-stream"
JSON = "application/json"
_SLEEP_S = 0.5
_ANSWER_TOKENS = 1500
_BYTES_PER_TOKEN = 3.5

# No request of the unit gets past these.
_ENDS_UNIT = (
    AlreadyClaimed, BudgetSpent, CallLimitReached, Cancelled, GivenUp, PriceUnknown, ProviderPaused,
    StoreFailed,
)  # fmt: skip
_STATUS: dict[type[AcmError], int] = {
    BudgetSpent: 402,
    PriceUnknown: 402,
    ProviderPaused: 403,
    CallLimitReached: 403,
    GivenUp: 403,
    AlreadyClaimed: 403,
    ProviderRejected: 400,
}

log = structlog.get_logger()


class ClientGone(Exception):
    """The child has closed its connection before anything was sent to the provider."""


class ChildConnection(Protocol):
    """The connection to the child.

    Attributes:
        begun: Whether a part of an answer has been written to the connection.
    """

    begun: bool

    def is_gone(self) -> bool:
        """Return whether the child has closed its connection."""
        ...

    def answer(self, status: int, content_type: str, body: bytes) -> None:
        """Write a whole answer."""
        ...

    def write(self, content_type: str, data: bytes) -> None:
        """Write a part of a stream; nothing happens if the child is gone."""
        ...

    def end(self) -> None:
        """Write the end of a stream."""
        ...

    def abort(self) -> None:
        """Close the connection in the middle of a stream, as the provider did."""
        ...


def serve(access: GatewayAccess, request: GatewayRequest, client: ChildConnection) -> None:
    """Answer one request of a child, from the ledger or with one or several paid calls."""
    try:
        access.begin(len(request.body))
    except CallLimitReached as error:
        access.stop(error)
        _answer(client, _as_final(error))
        return
    try:
        _Relay(access, request, client).serve()
    finally:
        access.leave()


def error_body(message: str, code: str) -> bytes:
    """Return the body of an error of the gateway, in the form of OpenAI's errors."""
    error = {"message": message, "type": "acm_gateway", "param": None, "code": code}
    return json.dumps({"error": error}).encode()


class _Relay:
    def __init__(
        self, access: GatewayAccess, request: GatewayRequest, client: ChildConnection
    ) -> None:
        self._access, self._client = access, client
        self._name, self._provider = access.provider(request.endpoint)
        refuses = (self._name, request.model) in access.without_usage
        self._request = request.unchanged if refuses else request
        self._context, self._work, self._config = access.context, access.work, access.config
        self._digest = request.digest(self._name, self._provider)
        self._retry = RetryPolicy(access.retries)
        self._refusal: FinalAnswer | None = None
        self._request_id = ""
        self._content = b""

    def serve(self) -> None:
        """Answer the request."""
        access, client = self._access, self._client
        known = access.final(self._digest)
        if known is None and access.failure is not None:
            known = _as_final(access.failure)
        if known is not None:
            _answer(client, known)
            return
        try:
            stored = access.take_stored(self._digest)
            if stored is not None:
                self._replay(stored)
                return
            self._request_id = f"{self._digest[:32]}-{access.number(self._digest)}"
            self._send_with_retries()
        except ClientGone:
            pass
        except AcmError as error:
            self._fail(error)
        except Exception as error:
            log.exception("the gateway failed")
            self._fail(StoreFailed(f"the gateway failed: {type(error).__name__}"))

    def _fail(self, error: AcmError) -> None:
        """Report the final failure of the request to the child."""
        access, client = self._access, self._client
        if isinstance(error, _ENDS_UNIT):
            access.stop(error)
        final = self._refusal or _as_final(error)
        if client.begun:
            client.abort()
            if access.count_broken(self._digest) >= self._config.retries.attempts:
                access.set_final(self._digest, final)
            return
        if not isinstance(error, _ENDS_UNIT):
            access.set_final(self._digest, final)
        _answer(client, final)

    def _replay(self, stored: Completion) -> None:
        """Answer the request as in an earlier attempt, at no cost."""
        call = call_log.from_cache(self._new_call(), stored, self._context.now())
        self._work.save_gateway_cached(call)
        self._access.add(call)
        if self._request.streamed:
            self._client.write(EVENTS, stored.text.encode())
            self._client.end()
        else:
            self._client.answer(stored.status, JSON, stored.text.encode())

    def _send_with_retries(self) -> None:
        run_id = self._work.unit.run_id
        while True:
            self._context.check(run_id)
            self._context.breakers.check(self._work.unit)
            try:
                self._send()
            except TransientError as error:
                if self._client.begun:
                    raise
                self._sleep(self._retry.delay_s(error))
            except ProviderRejected as error:
                if not self._is_unasked(error):
                    raise
            else:
                return

    def _send(self) -> None:
        """Send the request once, when budget and limits allow it."""
        context, unit, request = self._context, self._work.unit, self._request
        context.require_access(unit.run_id, self._name, self._provider)
        most_usd = None
        if self._config.budget_usd is not None:
            most_usd = request.most_usd(self._provider, context.now())
        with context.budgets.reservation_of(
            unit.run_id, self._config, self._record(), most_usd, self._check
        ) as reservation:
            while True:
                reservation.wait()
                with self._permit() as permit:
                    self._check()
                    context.breakers.check(unit)
                    new_call = functools.partial(self._new_call, permit, reservation)
                    call = self._work.start_gateway_call(new_call, reservation)
                    if call is not None:
                        reservation.close()
                        self._exchange(call, permit)
                        return

    @contextmanager
    def _permit(self) -> Iterator[Permit]:
        context, model = self._context, self._request.model
        qualified = context.qualified(self._work.unit.run_id, self._name)
        acquired = context.limiter.acquire(
            qualified, model, self._estimated_tokens(), stop=self._is_stopped
        )
        with ExitStack() as stack:
            try:
                permit = stack.enter_context(acquired)
            except Cancelled:
                self._check()  # the child has left, and not the run was cancelled
                raise
            yield permit

    def _exchange(self, call: Call, permit: Permit) -> None:
        """Send a started call, pass its answer on, and record the end of the call."""
        context = self._context
        try:
            completion, content_type = self._converse()
        except Exception as error:
            if isinstance(error, AcmError):
                redaction.redact_error(error, self._provider)
            self._book(call_log.failed(call, error, self._provider, context.now()))
            context.slow_down(call.run_id, self._name, error, self._config.retries)
            raise
        usage = completion.usage
        if permit.tokens and usage.input_tokens is not None and usage.output_tokens is not None:
            context.limiter.settle(permit, usage.input_tokens + usage.output_tokens)
        ended = call_log.answered(call, completion, self._record(), self._provider, context.now())
        replayable = self._request.streamed == (content_type is None)
        if not (replayable and 0 < len(completion.text) <= MAX_STORED_BYTES):
            ended = ended.model_copy(update={"answer": None})
        self._book(ended)
        if content_type is None:
            self._client.end()
        else:
            self._client.answer(completion.status, content_type, self._content)

    def _converse(self) -> tuple[Completion, str | None]:
        """Return the provider's answer, and the content type of an answer that is not a stream.

        A stream is passed on while it arrives.
        """
        request, refused, self._refusal = self._request, None, None
        accept = EVENTS if request.streamed else JSON
        headers = {"Accept": accept, "X-Client-Request-Id": self._request_id}
        with transport.stream(
            self._provider, self._name, request.endpoint, request.sent, headers, MAX_ANSWER_BYTES
        ) as answer:
            if not 200 <= answer.status < 300:
                content, response = answer.failure()
                refused = failures.failure(response, failures.error_object(response.body))
                content_type = answer.content_type or JSON
                self._refusal = FinalAnswer(answer.status, content_type, content)
            elif request.streamed and answer.content_type.lower().startswith(EVENTS):
                return self._pass_on(answer), None
            else:
                content = b"".join(answer.parts())
        if refused is not None:
            raise refused
        completion = metering.read(request.endpoint, answer.parsed(content), content)
        self._content = content
        return _with_text(completion, content), answer.content_type or JSON

    def _pass_on(self, answer: RawResponse) -> Completion:
        """Pass a stream on, and return its metadata; the child may disconnect before its end."""
        request, client = self._request, self._client
        meter = StreamMeter(request.endpoint, hides_usage=request.hides_usage)
        passed: list[bytes] = []
        try:
            for part in answer.parts():
                data = meter.feed(part)
                if data:
                    passed.append(data)
                    client.write(answer.content_type, data)
        except AcmError as error:
            error.usage = meter.usage(answer.parsed(b"{}"))
            raise
        data = meter.close()
        if data:
            passed.append(data)
            client.write(answer.content_type, data)
        try:
            completion = meter.completion(answer.parsed(b"{}"))
        except AcmError:
            client.end()  # the child has read the provider's own words about it
            raise
        return _with_text(completion, b"".join(passed))

    def _is_unasked(self, error: ProviderRejected) -> bool:
        """Return whether the request can be sent again without asking for the usage.

        Some servers refuse the option for usage, which the child did not send.
        """
        if not self._request.hides_usage:
            return False
        if not any(word in str(error) for word in ("stream_options", "include_usage")):
            return False
        self._access.without_usage.add((self._name, self._request.model))
        self._request = self._request.unchanged
        return True

    def _book(self, call: Call) -> None:
        self._work.end_call(call)
        self._access.add(call)

    def _new_call(
        self, permit: Permit | None = None, reservation: BudgetReservation | None = None
    ) -> Call:
        unit = self._work.unit
        return Call(
            id=new_id(),
            run_id=unit.run_id,
            document_id=unit.document_id,
            unit_id=unit.id,
            unit_kind=unit.kind,
            stage="gateway",
            attempt=1 if permit is None else self._retry.start_attempt(),
            provider=self._name,
            model=self._request.model[:200],
            digest=self._digest,
            iteration=unit.sample,
            state="started",
            reserved_usd=None if reservation is None else reservation.amount_usd,
            wait_s=0.0 if permit is None else permit.waited_s,
            started_at=self._context.now(),
            owner=self._context.owner,
        )

    def _record(self) -> Request:
        """Return the fields of the request that prices depend on."""
        request = self._request
        return Request(
            provider=self._name, model=request.model, messages=(), search=request.searching
        )

    def _estimated_tokens(self) -> int:
        provider, request = self._provider, self._request
        model = provider.models.get(request.model)
        limited = model is not None and model.tokens_per_minute is not None
        if provider.tokens_per_minute is None and not limited:
            return 0
        limit = request.output_limit()
        answer = _ANSWER_TOKENS if limit is None else limit
        return int(len(request.body) / _BYTES_PER_TOKEN) + answer

    def _check(self) -> None:
        """Raise if the request should not be sent any more.

        Raises:
            Cancelled: The run was cancelled.
            ClientGone: The child has left, or its unit has ended.
        """
        self._context.check(self._work.unit.run_id)
        if not self._access.is_open or self._client.is_gone():
            raise ClientGone

    def _is_stopped(self) -> bool:
        try:
            self._check()
        except (Cancelled, ClientGone):
            return True
        return False

    def _sleep(self, delay_s: float) -> None:
        until = time.monotonic() + delay_s
        while (left_s := until - time.monotonic()) > 0:
            self._check()
            time.sleep(min(left_s, _SLEEP_S))


def _with_text(completion: Completion, content: bytes) -> Completion:
    """Return ``completion`` with its bytes, for another attempt, if they are text."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = ""
    return completion.model_copy(update={"text": text})


def _as_final(error: AcmError) -> FinalAnswer:
    status = next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 502)
    if isinstance(error, OutOfAttempts | ProviderRejected) and (error.status or 0) >= 400:
        status = error.status or status
    return FinalAnswer(status, JSON, error_body(str(error), error.kind))


def _answer(client: ChildConnection, final: FinalAnswer) -> None:
    client.answer(final.status, final.content_type, final.body)
