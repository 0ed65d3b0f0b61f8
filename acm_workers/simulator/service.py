"""Turns a request into a planned answer, without an HTTP server and without sleeping."""

from collections.abc import Sequence
from random import Random

import pydantic_core

from acm_workers.simulator import model_names, replies, streams
from acm_workers.simulator.background import BackgroundResponses, StoredResponse, WorkPeriod
from acm_workers.simulator.faults import injection
from acm_workers.simulator.faults.fault import FaultyRequest
from acm_workers.simulator.faults.injection import FaultSchedule, RandomFault
from acm_workers.simulator.faults.registry import FaultRequest
from acm_workers.simulator.limits import TOO_MANY, MinuteLimits
from acm_workers.simulator.messages import (
    Delivery,
    Dialect,
    Headers,
    HttpAnswer,
    IncomingRequest,
    ModelReply,
    ModelRequest,
    ParsedRequest,
    PlannedAnswer,
    RequestRefused,
    count_tokens,
)
from acm_workers.simulator.settings import SimulatorSettings
from acm_workers.simulator.stats import DigestCounts, RequestStats

_INVALID_KEY = b"invalid"
_BATCH_SHARE = 0.5
_USD_PER_INPUT, _USD_PER_OUTPUT, _USD_PER_EMBEDDED, _USD_PER_SEARCH = 1e-6, 4e-6, 2e-8, 0.01


class SimulatedProvider:
    """One simulated provider.

    Raises:
        UnknownFault: The settings ask for a fault that does not exist.
    """

    def __init__(self, settings: SimulatorSettings) -> None:
        self.settings = settings
        self.stats = RequestStats()
        self.background = BackgroundResponses(self.stats)
        self._limits = MinuteLimits(settings.rpm, settings.tpm)
        self._seen = DigestCounts()
        self._schedule = FaultSchedule(settings.faults)

    def decide(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Return the planned answer to a request."""
        digest = incoming.digest()
        try:
            request = _read(incoming)
        except RequestRefused as refused:
            return self._refusal(refused, incoming, digest)
        self.stats.count_model(request.model)
        try:
            outcome = self._admitted(incoming, request, digest)
        except RequestRefused as refused:
            outcome = self._refusal(refused, incoming, digest)
        return outcome._replace(model=request.model)

    def requested_fault(self, number: str, model: str, dialect: Dialect) -> FaultRequest | None:
        """Return the request for fault ``number`` in the name ``model``, if there is one.

        Raises:
            RequestRefused: There is no such model.
        """
        fault_requests = self._schedule.requests(model, dialect)
        return next(
            (requested for requested in fault_requests if requested.fault.number == number), None
        )

    def check_models_request(
        self, dialect: Dialect, headers: Sequence[tuple[bytes, bytes]], model: str | None
    ) -> None:
        """Check a request for the list of models, or for one of them.

        Raises:
            RequestRefused: The key is wrong, or there is no such model.
        """
        check_key(dialect, headers)
        if model is not None:
            self._schedule.requests(model, dialect)

    def _admitted(
        self, incoming: IncomingRequest, request: ModelRequest, digest: bytes
    ) -> PlannedAnswer:
        """Answer a request, or inject a fault, if the limits admit it.

        Only admitted requests count as seen. A refusal depends on time, and must not change the
        later answer to the same request.
        """
        fault_requests = self._schedule.requests(request.model, incoming.dialect)
        if not incoming.batched:
            self._limits.check(incoming.now, request.model, count_tokens(request.input_chars))
        before = self._seen.count(digest)
        rng = self._generator(request, digest, 0 if self.settings.repeatable else before)
        bad_luck = injection.draw_random_fault(request.model, self.settings.fault_rate, rng)
        delay_s = self._delay_s(request.model, rng)
        reply = replies.reply(request, self.settings, rng, incoming.wall)
        if self.settings.repeatable and before:
            another = self._generator(request, digest, before)
            reply = reply._replace(id=replies.new_id(another))
        self._count(incoming, request, reply)
        self._seen.add(digest)
        if bad_luck is not None:
            return self._unlucky(bad_luck, incoming, digest, delay_s)
        fault, answer = None, None
        if fault_requests or request.background:
            fault, answer = self._odd(incoming, request, reply, fault_requests, digest)
        if answer is None:
            answer = self._good(incoming, request, reply)
        if not answer.billed:
            return PlannedAnswer(answer, digest, fault=fault)
        return PlannedAnswer(
            answer,
            digest,
            0.0 if request.background else delay_s,
            input_tokens=reply.all_input_tokens,
            output_tokens=reply.output_tokens,
            fault=fault,
            usd=_usd(request, reply, batched=incoming.batched),
        )

    def _generator(self, request: ModelRequest, digest: bytes, before: int) -> Random:
        return replies.generator(self.settings.seed, request.model, digest.hex(), before)

    def _good(
        self, incoming: IncomingRequest, request: ModelRequest, reply: ModelReply
    ) -> HttpAnswer:
        written = incoming.dialect.write(request, reply)
        headers = self._limit_headers(incoming)
        if request.stored:
            self.background.kept.keep(
                written["id"], StoredResponse(written, incoming.now, incoming.now)
            )
        if request.streamed:
            return streams.answer(incoming.dialect.NAME, request, written, headers)
        return HttpAnswer(200, pydantic_core.to_json(written), headers, billed=True)

    def _odd(
        self,
        incoming: IncomingRequest,
        request: ModelRequest,
        reply: ModelReply,
        fault_requests: tuple[FaultRequest, ...],
        digest: bytes,
    ) -> tuple[str | None, HttpAnswer | None]:
        """Return the fault that a request gets, and the answer if it is unusual."""
        requested = self._schedule.select(fault_requests, request, reply, incoming.dialect, digest)
        number = requested.fault.number if requested else None
        case = self._case(incoming, request, reply, requested)
        if request.background:
            polls = next((requested for requested in fault_requests if requested.poll), None)
            return number, self.background.begin(
                case, requested, polls, self._span(incoming, request)
            )
        return number, requested.fault.act(case) if requested else None

    def _case(
        self,
        incoming: IncomingRequest,
        request: ModelRequest,
        reply: ModelReply,
        requested: FaultRequest | None,
    ) -> FaultyRequest:
        return FaultyRequest(
            request=request,
            reply=reply,
            dialect=incoming.dialect,
            variant=requested.variant if requested else "",
            whole=lambda: incoming.dialect.write(request, reply),
            request_id=incoming.request_id,
            host=(incoming.header(b"host") or b"").decode("latin-1"),
            path=incoming.path,
            wall=incoming.wall,
            stall_s=self.settings.stall_s,
            headers=self._limit_headers(incoming),
        )

    def _span(self, incoming: IncomingRequest, request: ModelRequest) -> WorkPeriod:
        latency_s = model_names.parse(request.model).latency_s
        takes_s = self.settings.background_latency_s if latency_s is None else latency_s
        return WorkPeriod(incoming.now, incoming.now + takes_s)

    def _count(self, incoming: IncomingRequest, request: ModelRequest, reply: ModelReply) -> None:
        """Remove a request from the limits.

        Raises:
            RateLimited: The request does not fit.
        """
        if incoming.batched:
            return
        amount = reply.all_input_tokens + reply.output_tokens
        self._limits.check(incoming.now, request.model, amount)
        self._limits.count(incoming.now, amount)
        self.stats.admit(incoming.now, amount)

    def _unlucky(
        self, came: RandomFault, incoming: IncomingRequest, digest: bytes, delay_s: float
    ) -> PlannedAnswer:
        if came.refused is None:
            return PlannedAnswer(HttpAnswer(0, b"", [], manner=Delivery("reset")), digest, delay_s)
        outcome = self._refusal(came.refused, incoming, digest)
        return outcome if outcome.status == TOO_MANY else outcome._replace(delay_s=delay_s)

    def _refusal(
        self, refused: RequestRefused, incoming: IncomingRequest, digest: bytes
    ) -> PlannedAnswer:
        headers = self._limit_headers(incoming)
        if refused.wait_s is not None:
            headers = [*headers, *incoming.dialect.retry_headers(refused.wait_s)]
        body = incoming.dialect.error(refused, incoming.request_id)
        return PlannedAnswer(HttpAnswer(refused.status, body, headers), digest)

    def _limit_headers(self, incoming: IncomingRequest) -> Headers:
        return incoming.dialect.limit_headers(self._limits.states(incoming.now), incoming.wall)

    def _delay_s(self, model: str, rng: Random) -> float:
        stray = rng.uniform(-1.0, 1.0)
        latency_s = model_names.parse(model).latency_s
        if latency_s is not None:
            return latency_s
        return max(0.0, self.settings.latency_s + stray * self.settings.jitter_s)


def _usd(request: ModelRequest, reply: ModelReply, *, batched: bool) -> float:
    """Return the cost of a model's work, at the prices of ``sim-*`` in the catalogue.

    In a batch, tokens cost half, and searches cost the full price.
    """
    if request.embedded:
        return reply.input_tokens * _USD_PER_EMBEDDED
    searches = len(reply.search.queries) if reply.search else 0
    tokens_usd = reply.all_input_tokens * _USD_PER_INPUT + reply.output_tokens * _USD_PER_OUTPUT
    return tokens_usd * (_BATCH_SHARE if batched else 1.0) + searches * _USD_PER_SEARCH


def _read(incoming: IncomingRequest) -> ModelRequest:
    check_key(incoming.dialect, incoming.headers)
    try:
        body = pydantic_core.from_json(incoming.body)
    except ValueError as error:
        raise RequestRefused("We could not parse the JSON body of your request.") from error
    if not isinstance(body, dict):
        raise RequestRefused("The JSON body of your request is not an object.")
    return incoming.dialect.read(ParsedRequest(incoming.path, incoming.headers, body))


def check_key(dialect: Dialect, headers: Sequence[tuple[bytes, bytes]]) -> None:
    """Refuse a request whose key is wrong.

    Raises:
        RequestRefused: The key is wrong.
    """
    if dialect.key(headers) == _INVALID_KEY:
        status = dialect.BAD_KEY_STATUS
        raise RequestRefused("Incorrect API key provided: invalid.", status, code="invalid_api_key")
