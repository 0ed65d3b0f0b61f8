"""What a process tells Redis and asks of it, and the limits as the script reads them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from acm_workers.limits import rates
from acm_workers.limits.quotas import of_model
from schemas.config.provider import Provider

RENEW_S = 2.0
"""How often a process renews its leases, and by that finds out that Redis has lost its state."""

CAREFUL_S = 4.0
"""How long nobody starts after a loss: by then every process has renewed its leases."""

HORIZON_S = 0.5
"""A turn is granted if it comes within so long; who has longer to wait asks again."""

POLL_S = 0.5
"""Who waits asks again after so long, if nothing calls it earlier."""

LISTED_S = 2.0
"""A process that waits and has not asked for so long is taken for dead."""

GRACE_S = 0.5
"""Another process that has as many places as we must have waited for so much longer to get one of
ours: to hand a place over takes a message. One that has fewer gets it at once."""

KEEP_S = 0.25
"""For so long a process passes its places on from thread to thread without asking, where no rate
is limited and nobody else has a claim to one."""


class Asked(NamedTuple):
    """A turn that somebody wants.

    Attributes:
        age_s: How long it has been waited for.
        why: What it waited for last.
    """

    id: str
    model: str
    tokens: int
    age_s: float
    why: str | None = None


class Past(NamedTuple):
    """A turn of this process whose tokens still count."""

    id: str
    model: str
    at: float
    tokens: int


class Told(NamedTuple):
    """Something that has happened here.

    Attributes:
        what: pause, resume, hold, renew, start, settle or release.
        at: When a turn started that was not asked for, on the clock of Redis.
    """

    what: str
    id: str = ""
    model: str = ""
    tokens: int = 0
    wait_s: float = 0.0
    reason: str = ""
    at: float = 0.0


class Known(NamedTuple):
    """What a process knows of its own turns, for a Redis that knows nothing of them.

    Attributes:
        last: The latest start, of all ("") and by model.
    """

    last: dict[str, float]
    window: Sequence[Past]


def limits(provider: Provider) -> str:
    """Return the limits of a provider and its models as the script reads them."""
    models = {name: _scope(of_model(provider, own)) for name, own in provider.models.items()}
    return json.dumps(
        {
            "whole": _scope(provider),
            "models": models,
            "window_s": rates.WINDOW_S,
            "late_s": rates.LATE_S,
            "listed_s": LISTED_S,
            "grace_s": GRACE_S,
            "keep_s": KEEP_S,
        }
    )


def told(events: Sequence[Told]) -> list[dict[str, Any]]:
    """Return events as the script reads them."""
    return [event._asdict() for event in events]


def asked(turns: Sequence[Asked]) -> list[dict[str, Any]]:
    """Return wanted turns as the script reads them."""
    return [_without_none(turn._asdict()) for turn in turns]


def known(own: Known) -> dict[str, Any]:
    """Return what a process knows as the script reads it."""
    return {"last": own.last, "window": [past._asdict() for past in own.window]}


def state(about: Mapping[str, Any], paused: str | None) -> dict[str, Any]:
    """Return what the script says about a provider in the words of ``Limiter.state``."""
    models = {name: _described(model) for name, model in about["models"].items()}
    whole = about["whole"]
    waiting = {one["owner"]: int(one["number"]) for one in whole["line"] or []}
    return {
        **_described(whole),
        "held_for_s": round(about["held_s"], 3),
        "recovers_for_s": round(about["careful_s"], 3),
        "models": models,
        "by_owner": {name: int(number) for name, number in whole["by_owner"].items()},
        "waiting": sum(waiting.values()),
        "waiting_for": next((one["why"] for one in whole["line"] or []), None),
        "paused": paused,
    }


def _described(scope: Mapping[str, Any]) -> dict[str, Any]:
    used = scope.get("used")
    return {
        **{name: scope["shown"].get(name) for name in _SHOWN},
        "in_flight": int(scope["in_flight"]),
        "started": int(scope["started"]),
        "tokens_last_minute": None if used is None else round(used),
        "next_start_in_s": round(scope["next_s"], 3),
        "next_start_waits_for": scope.get("why"),
    }


_SHOWN = ("requests_per_minute", "tokens_per_minute", "max_in_flight", "launch_delay_seconds")


def _scope(provider: Provider) -> dict[str, Any]:
    rpm = provider.requests_per_minute
    found = {
        "interval_s": None if rpm is None else rates.interval_s(rpm),
        "tokens": provider.tokens_per_minute,
        "delay_s": provider.launch_delay_seconds,
        "places": provider.max_in_flight,
        "shown": _without_none({name: getattr(provider, name) for name in _SHOWN}),
    }
    return _without_none(found)


def _without_none(values: dict[str, Any]) -> dict[str, Any]:
    # What is absent is nil in Lua, and null is not.
    return {name: value for name, value in values.items() if value is not None}
