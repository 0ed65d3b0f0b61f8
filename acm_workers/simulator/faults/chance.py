"""Faults that come by chance, at the rate that was asked for."""

from random import Random
from typing import Final, NamedTuple

from acm_workers.simulator import names
from acm_workers.simulator.refused import Refused

WAIT_S: Final = 0.25


class Chance(NamedTuple):
    """What comes instead of an answer: a refusal, or a connection that is reset."""

    refused: Refused | None


def draw(model: str, rate: float, rng: Random) -> Chance | None:
    """Return a fault in ``rate`` of all cases; always the same one for a broken model."""
    luck, which = rng.random(), rng.randrange(4)  # drawn at any rate, so texts stay as they are
    if names.parse(model).broken:
        return Chance(_error())
    if luck >= rate:
        return None
    return Chance((_error(), _overloaded(), _limited(), None)[which])


def _error() -> Refused:
    message = "The server had an error while processing your request. Sorry about that!"
    return Refused(message, 500, "server_error")


def _overloaded() -> Refused:
    message = "The server is overloaded. Please try again later."
    return Refused(message, 503, "service_unavailable_error", "server_is_overloaded")


def _limited() -> Refused:
    message = "Rate limit reached. Please try again in 250ms."
    refused = Refused(message, 429, "requests", "rate_limit_exceeded")
    refused.wait_s = WAIT_S
    return refused
