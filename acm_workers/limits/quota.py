"""All limits of one provider together: pure, on a clock that is passed in."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

from acm_workers.limits.interface import Reason
from acm_workers.limits.rates import LATE_S, Delay, Requests, Tokens
from schemas.config.provider import Provider

# A place whose holder vanished falls back this long after its request must have ended.
_GRACE_S = 30.0

_Pace = TypeVar("_Pace", Requests, Tokens, Delay)


class Quota:
    """What one provider still allows."""

    def __init__(self, provider: Provider) -> None:
        self._requests: Requests | None = None
        self._tokens: Tokens | None = None
        self._delay: Delay | None = None
        self.configure(provider)
        self._held_until = -math.inf
        self._leases: dict[int, float] = {}
        self._started = 0

    def configure(self, provider: Provider) -> None:
        """Keep to the limits of ``provider`` from the next start on; what is under way counts."""
        self._provider = provider
        self._requests = _paced(Requests, self._requests, provider.requests_per_minute)
        self._tokens = _paced(Tokens, self._tokens, provider.tokens_per_minute)
        self._delay = _paced(Delay, self._delay, provider.launch_delay_seconds or None)

    def free(self, now: float) -> float | None:
        """Return None if a place in flight is free, else when one falls back at the latest."""
        if len(self._leases) < self._provider.max_in_flight:
            return None
        lapsed = [key for key, deadline in self._leases.items() if deadline <= now]
        for key in lapsed:
            del self._leases[key]
        return None if lapsed else min(self._leases.values())

    def earliest(self, now: float, tokens: int) -> tuple[float, Reason | None]:
        """Return when the rates let one with ``tokens`` start, and which of them binds."""
        return self._due(now, now, tokens)

    def take(self, key: int, at: float, since: float, tokens: int) -> None:
        """Note that ``key`` starts at ``at``, having waited since ``since``."""
        due = max(self._due(since, at, tokens)[0], at - LATE_S)
        if self._requests is not None:
            self._requests.take(due)
        if self._tokens is not None:
            self._tokens.take(key, at, due, tokens)
        if self._delay is not None:
            self._delay.take(at)
        self._leases[key] = at + self._provider.timeout_seconds + _GRACE_S
        self._started += 1

    def _due(self, since: float, now: float, tokens: int) -> tuple[float, Reason | None]:
        at = since
        reason: Reason | None = None
        if self._held_until > at:
            at, reason = self._held_until, "penalty"
        if self._requests is not None and (due := self._requests.earliest()) > at:
            at, reason = due, "requests"
        if self._tokens is not None and (due := self._tokens.earliest(now, tokens)) > at:
            at, reason = due, "tokens"
        if self._delay is not None and (due := self._delay.earliest()) > at:
            at, reason = due, "launch_delay"
        return at, reason

    def settle(self, key: int, actual_tokens: int) -> None:
        """Replace the estimated tokens of ``key``."""
        if self._tokens is not None:
            self._tokens.settle(key, actual_tokens)

    def release(self, key: int) -> None:
        """Give back the place of ``key``."""
        self._leases.pop(key, None)

    def hold(self, until: float) -> None:
        """Let nobody start before ``until``."""
        self._held_until = max(self._held_until, until)

    def state(self, now: float) -> dict[str, Any]:
        """Return limits and use."""
        at, reason = self.earliest(now, 1)
        return {
            "requests_per_minute": self._provider.requests_per_minute,
            "tokens_per_minute": self._provider.tokens_per_minute,
            "max_in_flight": self._provider.max_in_flight,
            "launch_delay_seconds": self._provider.launch_delay_seconds,
            "in_flight": len(self._leases),
            "started": self._started,
            "tokens_last_minute": None if self._tokens is None else self._tokens.used(now),
            "next_start_in_s": round(at - now, 3),
            "next_start_waits_for": reason,
            "held_for_s": round(max(self._held_until - now, 0.0), 3),
        }


def _paced(make: Callable[[float], _Pace], pace: _Pace | None, limit: float | None) -> _Pace | None:
    if limit is None:
        return None
    if pace is None:
        return make(limit)
    pace.change(limit)
    return pace
