"""The rate limits of a provider: pure functions of a clock that is passed in.

``acquire.lua`` implements the same rule for limits that processes share, because that rule has to
run atomically inside Redis, on the clock of Redis. The same contract tests cover both.
"""

import math
from collections import deque
from typing import Any

from acm_workers.limits.interface import Permit, Reason
from schemas.config.provider import ModelLimits, Provider

MINUTE_S = 60.0
# What is left of the limit allows for requests that travel for unequal times.
_UTILISATION = 0.99
# A thread that wakes up late by up to this much does not delay those behind it. Together with
# _UTILISATION that keeps every 60 s within the limit: R starts span 60 s / 0.99 - 0.2 s > 60.4 s.
LATE_S = 0.2
# Tokens count for this long, which allows as much: a request may start that late, too.
WINDOW_S = MINUTE_S / _UTILISATION - LATE_S
# The slot of a thread that vanished expires this long after its request must have ended.
_GRACE_S = 30.0


def interval_s(per_minute: float) -> float:
    """Return the interval between starts that allows at most ``per_minute`` in any 60 s."""
    # Two starts within 60 s are more than 1.5.
    whole = math.floor(per_minute) if per_minute >= 1 else per_minute
    return MINUTE_S / (_UTILISATION * whole)


def of_model(provider: Provider, limits: ModelLimits) -> Provider:
    """Return ``provider`` with the limits of one of its models instead of its own limits."""
    update = limits.model_dump()
    update["max_in_flight"] = limits.max_in_flight or provider.max_in_flight
    return provider.model_copy(update=update)


class Quota:
    """The remaining quota of a provider, in total and for each model with its own limits."""

    def __init__(self, provider: Provider) -> None:
        self._total = _Scope(provider)
        self._models: dict[str, _Scope] = {}
        self.configure(provider)

    def configure(self, provider: Provider) -> None:
        """Apply the limits of ``provider`` to later starts; requests in flight count."""
        self._total.provider = provider
        before, self._models = self._models, {}
        for name, limits in provider.models.items():
            own = of_model(provider, limits)
            self._models[name] = before.get(name) or _Scope(own)
            self._models[name].provider = own

    def lets_pass(self, model: str, now: float, tokens: int) -> bool:
        """Return whether requests to other models may overtake one that waits for ``model``.

        They may if only the model's own limits delay the waiting request.
        """
        if model not in self._models:
            return False
        return self._total.slot_at(now) is None and self._total.earliest(now, tokens)[0] <= now

    def earliest(self, model: str, now: float, tokens: int) -> tuple[float, Reason | None]:
        """Return when a request may start, and which limit delays it."""
        scopes = self._scopes(model)
        slots_at = [at for scope in scopes if (at := scope.slot_at(now)) is not None]
        if slots_at:
            return max(slots_at), "in_flight"
        return max((scope.earliest(now, tokens) for scope in scopes), key=lambda one: one[0])

    def take(self, permit: Permit, since: float) -> None:
        """Count a request that starts with ``permit`` and waited since ``since``."""
        for scope in self._scopes(permit.model):
            scope.take(permit, since)

    def settle(self, permit: Permit, actual_tokens: int, now: float) -> None:
        """Replace the estimated tokens of ``permit``."""
        for scope in self._scopes(permit.model):
            scope.tokens.settle(permit.id, actual_tokens, now)

    def release(self, permit: Permit) -> None:
        """Free the slot of ``permit``."""
        for scope in self._scopes(permit.model):
            scope.leases.pop(permit.id, None)

    def hold(self, until: float) -> None:
        """Start no request before ``until``."""
        self._total.held_until = max(self._total.held_until, until)

    def state(self, now: float) -> dict[str, Any]:
        """Return limits and usage, with single models under ``models``."""
        models = {name: scope.state(now) for name, scope in self._models.items()}
        return {**self._total.state(now), "models": models}

    def _scopes(self, model: str) -> list["_Scope"]:
        own = self._models.get(model)
        return [self._total] if own is None else [self._total, own]


class _Scope:
    """The limits and the usage of a provider, or of one of its models."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self.tokens = _TokenWindow()
        self.held_until = -math.inf
        self.leases: dict[int, float] = {}
        self._last_due = -math.inf
        self._last_start = -math.inf
        self._started = 0

    def slot_at(self, now: float) -> float | None:
        """Return None if a slot is free, otherwise the latest time at which a slot expires."""
        if len(self.leases) < self.provider.max_in_flight:
            return None
        soonest = min(self.leases.values())
        if soonest > now:
            return soonest
        self.leases = {key: at for key, at in self.leases.items() if at > now}
        return self.slot_at(now)

    def earliest(self, since: float, tokens: int) -> tuple[float, Reason | None]:
        """Return when a request waiting since ``since`` may start, and which rate delays it."""
        limits = self.provider
        due: list[tuple[float, Reason | None]] = [(since, None), (self.held_until, "penalty")]
        if limits.requests_per_minute is not None:
            due.append((self._last_due + interval_s(limits.requests_per_minute), "requests"))
        if limits.tokens_per_minute is not None:
            due.append((self.tokens.earliest(since, tokens, limits.tokens_per_minute), "tokens"))
        if limits.launch_delay_seconds:
            due.append((self._last_start + limits.launch_delay_seconds, "launch_delay"))
        return max(due, key=lambda one: one[0])

    def take(self, permit: Permit, since: float) -> None:
        """Count a start that is due at the time of ``earliest``, or at most ``LATE_S`` later."""
        at = permit.start_at
        due = max(self.earliest(since, permit.tokens)[0], at - LATE_S)
        if self.provider.tokens_per_minute is not None:
            self.tokens.take(permit.id, at, due, permit.tokens)
        self._last_due, self._last_start = max(self._last_due, due), max(self._last_start, at)
        self.leases[permit.id] = at + self.provider.timeout_seconds + _GRACE_S
        self._started += 1

    def state(self, now: float) -> dict[str, Any]:
        """Return limits and usage."""
        limits = self.provider
        at, reason = self.earliest(now, 1)
        counted = limits.tokens_per_minute is not None
        return {
            "requests_per_minute": limits.requests_per_minute,
            "tokens_per_minute": limits.tokens_per_minute,
            "max_in_flight": limits.max_in_flight,
            "launch_delay_seconds": limits.launch_delay_seconds,
            "in_flight": len(self.leases),
            "started": self._started,
            "tokens_last_minute": self.tokens.used(now) if counted else None,
            "next_start_in_s": round(at - now, 3),
            "next_start_waits_for": reason,
            "held_for_s": round(max(self.held_until - now, 0.0), 3),
        }


class _TokenWindow:
    """The tokens of the last minute, spread as evenly as their estimates allow.

    The sum of the window is exact, and it alone decides whether another request fits. The spread
    uses the ratio of used to estimated tokens: an estimate includes the largest answer allowed, so
    that a spread by estimates would leave most of the limit unused.
    """

    def __init__(self) -> None:
        self._order: deque[tuple[float, int]] = deque()  # start, id
        self._counted: dict[int, int] = {}
        self._spread: dict[int, float] = {}
        self._sum = 0
        self._spread_from = -math.inf
        self._spread_tokens = 0.0  # tokens whose time has to pass from then on
        self._used_of_estimated = 1.0  # of late

    def earliest(self, now: float, tokens: int, limit: float) -> float:
        """Return when a request with ``tokens`` fits.

        A request that is larger than the limit waits for an empty window and starts alone.
        """
        self._expire(now)
        at = self._spread_from + self._spread_tokens * WINDOW_S / limit
        excess = self._sum + tokens - limit
        for start, key in self._order:
            if excess <= 0:
                break
            at = max(at, start + WINDOW_S)
            excess -= self._counted[key]
        return at

    def take(self, key: int, at: float, due: float, tokens: int) -> None:
        """Count ``tokens`` of a request that starts at ``at`` and was due at ``due``."""
        self._order.append((at, key))
        self._counted[key] = tokens
        self._sum += tokens
        self._spread[key] = tokens * self._used_of_estimated
        self._spread_from, self._spread_tokens = due, self._spread[key]

    def settle(self, key: int, actual: int, now: float) -> None:
        """Replace the estimate of ``key``, if it still counts."""
        self._expire(now)
        estimate = self._counted.get(key)
        if estimate is None:
            return
        self._counted[key] = actual
        self._sum += actual - estimate
        self._spread_tokens += actual - self._spread[key]
        self._spread[key] = actual
        if actual > 0 and estimate > 0:
            ratio = min(max(actual / estimate, 0.01), 10.0)
            self._used_of_estimated += 0.1 * (ratio - self._used_of_estimated)

    def used(self, now: float) -> int:
        """Return the number of tokens in the last minute."""
        self._expire(now)
        return self._sum

    def _expire(self, now: float) -> None:
        while self._order and self._order[0][0] + WINDOW_S <= now:
            key = self._order.popleft()[1]
            self._sum -= self._counted.pop(key)
            del self._spread[key]
