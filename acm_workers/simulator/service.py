"""From a request to what is answered and when; knows no HTTP server and never sleeps."""

from random import Random

import pydantic_core

from acm_workers.simulator import answering, names
from acm_workers.simulator.answer import Answer, Manner
from acm_workers.simulator.arriving import Arrived, Outcome
from acm_workers.simulator.asked import Asked, Reply, Sent
from acm_workers.simulator.background import Background, Span
from acm_workers.simulator.counting import tokens
from acm_workers.simulator.dialects import anthropic
from acm_workers.simulator.faults import chance
from acm_workers.simulator.faults.chance import Chance
from acm_workers.simulator.faults.fault import Case
from acm_workers.simulator.faults.registry import Wish
from acm_workers.simulator.kept import Kept
from acm_workers.simulator.limits import TOO_MANY, Headers, Limits
from acm_workers.simulator.meetings import Meetings
from acm_workers.simulator.refused import Refused
from acm_workers.simulator.settings import SimulatorSettings
from acm_workers.simulator.stats import Repeats, Stats

_INVALID_KEY = b"invalid"


class Service:
    """One simulated provider.

    Raises:
        UnknownFault: The settings ask for a fault that there is not.
    """

    def __init__(self, settings: SimulatorSettings) -> None:
        self.settings = settings
        self.stats = Stats()
        self.background = Background(self.stats)
        self._limits = Limits(settings.rpm, settings.tpm)
        self._seen = Repeats()
        self._meetings = Meetings(settings.faults)

    def decide(self, arrived: Arrived) -> Outcome:
        """Decide about a request."""
        digest = arrived.digest()
        try:
            asked = _read(arrived)
        except Refused as refused:
            return self._refusal(refused, arrived, digest)
        self.stats.asked(asked.model)
        try:
            outcome = self._admitted(arrived, asked, digest)
        except Refused as refused:
            outcome = self._refusal(refused, arrived, digest)
        return outcome._replace(model=asked.model)

    def wished(self, number: str, model: str) -> Wish | None:
        """Return the wish that requests to ``model`` meet fault ``number``, if there is one."""
        wishes = self._meetings.wishes(model, anthropic)
        return next((wish for wish in wishes if wish.fault.number == number), None)

    def _admitted(self, arrived: Arrived, asked: Asked, digest: bytes) -> Outcome:
        """Answer a request, or fail at it, if the limits let it in.

        Only such requests count as seen: a refusal is a matter of time, and must not change what
        the same request is answered later.
        """
        wishes = self._meetings.wishes(asked.model, arrived.dialect)
        self._limits.check(arrived.now, asked.model, tokens(asked.input_chars))
        before = self._seen.count(digest)
        rng = answering.generator(self.settings.seed, asked.model, digest.hex(), before)
        bad_luck = chance.draw(asked.model, self.settings.fault_rate, rng)
        delay_s = self._delay_s(asked.model, rng)
        reply = answering.reply(asked, self.settings, rng, arrived.wall)
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
            return Outcome(answer, digest, fault=fault)
        return Outcome(
            answer,
            digest,
            0.0 if asked.background else delay_s,
            input_tokens=reply.all_input_tokens,
            output_tokens=reply.output_tokens,
            fault=fault,
        )

    def _good(self, arrived: Arrived, asked: Asked, reply: Reply) -> Answer:
        written = arrived.dialect.write(asked, reply)
        if asked.stored:
            self.background.shelf.keep(written["id"], Kept(written, arrived.now, arrived.now))
        body = pydantic_core.to_json(written)
        return Answer(200, body, self._limit_headers(arrived), billed=True)

    def _odd(
        self, arrived: Arrived, asked: Asked, reply: Reply, wishes: tuple[Wish, ...], digest: bytes
    ) -> tuple[str | None, Answer | None]:
        """Return the fault that a request meets, and the answer if it is not a usual one."""
        wish = self._meetings.met(wishes, asked, reply, arrived.dialect, digest)
        number = wish.fault.number if wish else None
        case = self._case(arrived, asked, reply, wish)
        if asked.background:
            polls = next((wish for wish in wishes if wish.poll), None)
            return number, self.background.begin(case, wish, polls, self._span(arrived, asked))
        return number, wish.fault.act(case) if wish else None

    def _case(self, arrived: Arrived, asked: Asked, reply: Reply, wish: Wish | None) -> Case:
        return Case(
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

    def _span(self, arrived: Arrived, asked: Asked) -> Span:
        wished = names.parse(asked.model).latency_s
        takes_s = self.settings.background_latency_s if wished is None else wished
        return Span(arrived.now, arrived.now + takes_s)

    def _count(self, arrived: Arrived, asked: Asked, reply: Reply) -> None:
        """Take a request out of the limits.

        Raises:
            RateLimited: It does not fit.
        """
        amount = reply.all_input_tokens + reply.output_tokens
        self._limits.check(arrived.now, asked.model, amount)
        self._limits.count(arrived.now, amount)
        self.stats.admit(arrived.now, amount)

    def _unlucky(self, came: Chance, arrived: Arrived, digest: bytes, delay_s: float) -> Outcome:
        if came.refused is None:
            return Outcome(Answer(0, b"", [], manner=Manner("reset")), digest, delay_s)
        outcome = self._refusal(came.refused, arrived, digest)
        return outcome if outcome.status == TOO_MANY else outcome._replace(delay_s=delay_s)

    def _refusal(self, refused: Refused, arrived: Arrived, digest: bytes) -> Outcome:
        headers = self._limit_headers(arrived)
        if refused.wait_s is not None:
            headers = [*headers, *arrived.dialect.retry_headers(refused.wait_s)]
        body = arrived.dialect.error(refused, arrived.request_id)
        return Outcome(Answer(refused.status, body, headers), digest)

    def _limit_headers(self, arrived: Arrived) -> Headers:
        return arrived.dialect.limit_headers(self._limits.states(arrived.now), arrived.wall)

    def _delay_s(self, model: str, rng: Random) -> float:
        stray = rng.uniform(-1.0, 1.0)
        wished = names.parse(model).latency_s
        if wished is not None:
            return wished
        return max(0.0, self.settings.latency_s + stray * self.settings.jitter_s)


def _read(arrived: Arrived) -> Asked:
    if arrived.dialect.key(arrived.headers) == _INVALID_KEY:
        status = arrived.dialect.BAD_KEY_STATUS
        raise Refused("Incorrect API key provided: invalid.", status, code="invalid_api_key")
    try:
        body = pydantic_core.from_json(arrived.body)
    except ValueError as error:
        raise Refused("We could not parse the JSON body of your request.") from error
    if not isinstance(body, dict):
        raise Refused("The JSON body of your request is not an object.")
    return arrived.dialect.read(Sent(arrived.path, arrived.headers, body))
