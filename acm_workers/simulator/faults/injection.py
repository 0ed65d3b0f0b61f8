"""Selects the fault that is injected into the answer to a request: a requested or a random one."""

from hashlib import blake2b
from random import Random
from typing import Final, NamedTuple

from acm_workers.simulator import model_names, prompt
from acm_workers.simulator.faults.registry import FaultRequest, UnknownFault, parse_requests
from acm_workers.simulator.messages import Dialect, ModelReply, ModelRequest, RequestRefused

_MAX_REMEMBERED: Final = 100_000


RETRY_AFTER_S: Final = 0.25
_WITHOUT_TEXT: Final = frozenset({"O1", "O2", "O3", "O8", "O23"})
"""Faults of requests for embeddings, besides those of the transport."""


class RequestIdentity(NamedTuple):
    """The properties by which faults distinguish requests.

    Attributes:
        model: Full name of the model.
        matter: Digest of the material in the request's prompt, or of the whole request without
            material.
        body: Digest of the whole body.
        request: Digest of the body and of the client's name for this request.
    """

    model: str
    matter: bytes
    body: bytes
    request: bytes


class InjectedFaults:
    """The faults injected so far; the oldest are forgotten beyond a hundred thousand."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str, bytes], bytes] = {}
        self._requests: dict[tuple[str, bytes], None] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def due(self, requested: FaultRequest, asking: RequestIdentity) -> bool:
        """Return whether the fault is still to be injected into the request.

        "Once" means the first body with certain material that a model receives, for each name that
        the client gives to the request. Another body with the same material is the client's
        reaction to the fault (a larger budget, one parameter fewer, a request for repair), and is
        answered without a fault.
        """
        number = requested.fault.number
        if requested.times == "always":
            return True
        if isinstance(requested.times, int):
            return self._counts.get((number, asking.model), 0) < requested.times
        first = self._first.get((number, asking.model, asking.matter), asking.body)
        return first == asking.body and (number, asking.request) not in self._requests

    def give(self, requested: FaultRequest, asking: RequestIdentity) -> None:
        """Record that the fault was injected into the request."""
        number = requested.fault.number
        if requested.times == "always":
            return
        if isinstance(requested.times, int):
            key = (number, asking.model)
            self._counts[key] = self._counts.get(key, 0) + 1
            return
        self._first.setdefault((number, asking.model, asking.matter), asking.body)
        self._requests[number, asking.request] = None
        if len(self._first) > _MAX_REMEMBERED:
            del self._first[next(iter(self._first))]
        if len(self._requests) > _MAX_REMEMBERED:
            del self._requests[next(iter(self._requests))]


class FaultSchedule:
    """The requested faults, and the assignment of faults to requests.

    Args:
        fault_requests: Faults for all models; see ``faults.registry``.
    """

    def __init__(self, fault_requests: tuple[str, ...]) -> None:
        self._for_all = parse_requests(fault_requests)
        self._given = InjectedFaults()

    def requests(self, model: str, dialect: Dialect) -> tuple[FaultRequest, ...]:
        """Return the faults that requests to ``model`` can get, faults in its name first.

        Raises:
            RequestRefused: The name asks for a fault that does not exist, or has an unknown option.
        """
        parsed = model_names.parse(model)
        if parsed.unknown:
            known = "L2.5 (seconds), 500, or a fault such as C7"
            message = (
                f"{model}: @{parsed.unknown[0]} means nothing; what may follow an @ is {known}"
            )
            raise RequestRefused(message, 404, code="model_not_found")
        named = parsed.faults
        if not named:
            return self._for_all
        try:
            own = parse_requests(named)
        except UnknownFault as error:
            raise RequestRefused(f"{model}: {error}", 404, code="model_not_found") from error
        foreign = [requested for requested in own if dialect.NAME not in requested.fault.dialects]
        if foreign:
            message = f"{model}: {foreign[0].fault.number} does not happen in {dialect.NAME}"
            raise RequestRefused(message, 404, code="model_not_found")
        return (*own, *self._for_all)

    def select(
        self,
        fault_requests: tuple[FaultRequest, ...],
        request: ModelRequest,
        reply: ModelReply,
        dialect: Dialect,
        digest: bytes,
    ) -> FaultRequest | None:
        """Select the fault of a request, and record it."""
        able = [
            requested
            for requested in fault_requests
            if not requested.poll
            and dialect.NAME in requested.fault.dialects
            and requested.fault.meets(request, reply)
            and (not request.embedded or _meets_vectors(requested))
        ]
        if not able:
            return None
        asking = _identity(request, dialect, digest)
        for requested in able:
            if self._given.due(requested, asking):
                self._given.give(requested, asking)
                return requested
        return None


def _meets_vectors(requested: FaultRequest) -> bool:
    """Return whether a fault does not depend on the text of the answer."""
    return requested.fault.number[0] == "T" or requested.fault.number in _WITHOUT_TEXT


def _identity(request: ModelRequest, dialect: Dialect, digest: bytes) -> RequestIdentity:
    parsed = prompt.parse(request.prompt)
    told = sorted(parsed.blocks.items()) or request.prompt
    body = {name: value for name, value in request.body.items() if name != "metadata"}
    return RequestIdentity(request.model, _digest((dialect.NAME, told)), _digest(body), digest)


def _digest(value: object) -> bytes:
    return blake2b(repr(value).encode("utf-8", "replace"), digest_size=16).digest()


class RandomFault(NamedTuple):
    """A random fault in place of an answer: a refusal, or a connection reset."""

    refused: RequestRefused | None


def draw_random_fault(model: str, rate: float, rng: Random) -> RandomFault | None:
    """Return a fault in ``rate`` of all cases; always the same one for a broken model."""
    luck, which = rng.random(), rng.randrange(4)  # drawn at any rate, so texts stay as they are
    if model_names.parse(model).broken:
        return RandomFault(_error())
    if luck >= rate:
        return None
    return RandomFault((_error(), _overloaded(), _limited(), None)[which])


def _error() -> RequestRefused:
    message = "The server had an error while processing your request. Sorry about that!"
    return RequestRefused(message, 500, "server_error")


def _overloaded() -> RequestRefused:
    message = "The server is overloaded. Please try again later."
    return RequestRefused(message, 503, "service_unavailable_error", "server_is_overloaded")


def _limited() -> RequestRefused:
    message = "Rate limit reached. Please try again in 250ms."
    refused = RequestRefused(message, 429, "requests", "rate_limit_exceeded")
    refused.wait_s = RETRY_AFTER_S
    return refused
