"""From a request to what is answered and when; knows no HTTP server and never sleeps."""

from random import Random

import pydantic_core

from acm_workers.simulator import model_names, replies
from acm_workers.simulator.background import Background, StoredResponse, WorkPeriod
from acm_workers.simulator.dialects import anthropic
from acm_workers.simulator.faults import injection
from acm_workers.simulator.faults.fault import FaultCase
from acm_workers.simulator.faults.injection import FaultSchedule, RandomFault
from acm_workers.simulator.faults.registry import FaultRequest
from acm_workers.simulator.limits import TOO_MANY, MinuteLimits
from acm_workers.simulator.messages import (
    Delivery,
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


class Service:
    """One simulated provider.

    Raises:
        UnknownFault: The settings ask for a fault that there is not.
    """

    def __init__(self, settings: SimulatorSettings) -> None:
        self.settings = settings
        self.stats = RequestStats()
        self.background = Background(self.stats)
        self._limits = MinuteLimits(settings.rpm, settings.tpm)
        self._seen = DigestCounts()
        self._meetings = FaultSchedule(settings.faults)

    def decide(self, arrived: IncomingRequest) -> PlannedAnswer:
        """Decide about a request."""
        digest = arrived.digest()
        try:
            asked = _read(arrived)
        except RequestRefused as refused:
            return self._refusal(refused, arrived, digest)
        self.stats.asked(asked.model)
        try:
            outcome = self._admitted(arrived, asked, digest)
        except RequestRefused as refused:
            outcome = self._refusal(refused, arrived, digest)
        return outcome._replace(model=asked.model)

    def wished(self, number: str, model: str) -> FaultRequest | None:
        """Return the wish that requests to ``model`` meet fault ``number``, if there is one."""
        wishes = self._meetings.wishes(model, anthropic)
        return next((wish for wish in wishes if wish.fault.number == number), None)

    def _admitted(
        self, arrived: IncomingRequest, asked: ModelRequest, digest: bytes
    ) -> PlannedAnswer:
        """Answer a request, or fail at it, if the limits let it in.

        Only such requests count as seen: a refusal is a matter of time, and must not change what
        the same request is answered later.
        """
        wishes = self._meetings.wishes(asked.model, arrived.dialect)
        self._limits.check(arrived.now, asked.model, count_tokens(asked.input_chars))
        before = self._seen.count(digest)
        rng = replies.generator(self.settings.seed, asked.model, digest.hex(), before)
        bad_luck = injection.draw_random_fault(asked.model, self.settings.fault_rate, rng)
        delay_s = self._delay_s(asked.model, rng)
        reply = replies.reply(asked, self.settings, rng, arrived.wall)
        self._count(arrived, asked, reply)
        self._seen.add(digest)
        if bad_luck is not None:
            return self._unlucky(bad_luck, arrived, digest, delay_s)
        fault, answer = None, None
        if wishes or asked.background:
            fault, answer = self._odd(arrived, asked, reply, wishes, digest)
        if answer is None:
            answer = self._good(arrived, asked, reply)
        if not answer.billed:
            return PlannedAnswer(answer, digest, fault=fault)
        return PlannedAnswer(
            answer,
            digest,
            0.0 if asked.background else delay_s,
            input_tokens=reply.all_input_tokens,
            output_tokens=reply.output_tokens,
            fault=fault,
        )

    def _good(self, arrived: IncomingRequest, asked: ModelRequest, reply: ModelReply) -> HttpAnswer:
        written = arrived.dialect.write(asked, reply)
        if asked.stored:
            self.background.shelf.keep(
                written["id"], StoredResponse(written, arrived.now, arrived.now)
            )
        body = pydantic_core.to_json(written)
        return HttpAnswer(200, body, self._limit_headers(arrived), billed=True)

    def _odd(
        self,
        arrived: IncomingRequest,
        asked: ModelRequest,
        reply: ModelReply,
        wishes: tuple[FaultRequest, ...],
        digest: bytes,
    ) -> tuple[str | None, HttpAnswer | None]:
        """Return the fault that a request meets, and the answer if it is not a usual one."""
        wish = self._meetings.met(wishes, asked, reply, arrived.dialect, digest)
        number = wish.fault.number if wish else None
        case = self._case(arrived, asked, reply, wish)
        if asked.background:
            polls = next((wish for wish in wishes if wish.poll), None)
            return number, self.background.begin(case, wish, polls, self._span(arrived, asked))
        return number, wish.fault.act(case) if wish else None

    def _case(
        self,
        arrived: IncomingRequest,
        asked: ModelRequest,
        reply: ModelReply,
        wish: FaultRequest | None,
    ) -> FaultCase:
        return FaultCase(
            asked=asked,
            reply=reply,
            dialect=arrived.dialect,
            variant=wish.variant if wish else "",
            whole=lambda: arrived.dialect.write(asked, reply),
            request_id=arrived.request_id,
            host=(arrived.header(b"host") or b"").decode("latin-1"),
            path=arrived.path,
            wall=arrived.wall,
            stall_s=self.settings.stall_s,
            headers=self._limit_headers(arrived),
        )

    def _span(self, arrived: IncomingRequest, asked: ModelRequest) -> WorkPeriod:
        wished = model_names.parse(asked.model).latency_s
        takes_s = self.settings.background_latency_s if wished is None else wished
        return WorkPeriod(arrived.now, arrived.now + takes_s)

    def _count(self, arrived: IncomingRequest, asked: ModelRequest, reply: ModelReply) -> None:
        """Take a request out of the limits.

        Raises:
            RateLimited: It does not fit.
        """
        amount = reply.all_input_tokens + reply.output_tokens
        self._limits.check(arrived.now, asked.model, amount)
        self._limits.count(arrived.now, amount)
        self.stats.admit(arrived.now, amount)

    def _unlucky(
        self, came: RandomFault, arrived: IncomingRequest, digest: bytes, delay_s: float
    ) -> PlannedAnswer:
        if came.refused is None:
            return PlannedAnswer(HttpAnswer(0, b"", [], manner=Delivery("reset")), digest, delay_s)
        outcome = self._refusal(came.refused, arrived, digest)
        return outcome if outcome.status == TOO_MANY else outcome._replace(delay_s=delay_s)

    def _refusal(
        self, refused: RequestRefused, arrived: IncomingRequest, digest: bytes
    ) -> PlannedAnswer:
        headers = self._limit_headers(arrived)
        if refused.wait_s is not None:
            headers = [*headers, *arrived.dialect.retry_headers(refused.wait_s)]
        body = arrived.dialect.error(refused, arrived.request_id)
        return PlannedAnswer(HttpAnswer(refused.status, body, headers), digest)

    def _limit_headers(self, arrived: IncomingRequest) -> Headers:
        return arrived.dialect.limit_headers(self._limits.states(arrived.now), arrived.wall)

    def _delay_s(self, model: str, rng: Random) -> float:
        stray = rng.uniform(-1.0, 1.0)
        wished = model_names.parse(model).latency_s
        if wished is not None:
            return wished
        return max(0.0, self.settings.latency_s + stray * self.settings.jitter_s)


def _read(arrived: IncomingRequest) -> ModelRequest:
    if arrived.dialect.key(arrived.headers) == _INVALID_KEY:
        status = arrived.dialect.BAD_KEY_STATUS
        raise RequestRefused("Incorrect API key provided: invalid.", status, code="invalid_api_key")
    try:
        body = pydantic_core.from_json(arrived.body)
    except ValueError as error:
        raise RequestRefused("We could not parse the JSON body of your request.") from error
    if not isinstance(body, dict):
        raise RequestRefused("The JSON body of your request is not an object.")
    return arrived.dialect.read(ParsedRequest(arrived.path, arrived.headers, body))
