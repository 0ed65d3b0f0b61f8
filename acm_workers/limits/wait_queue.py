"""The line of threads in front of one provider: first come, first served, nobody polls.

Only who waits for a model that has limits of its own lets those behind pass that ask for others.
Whoever changes something (a start, a place given back, a correction, a pause) lets as many start
as may and wakes only those; the first of the rest sleeps until its time, the others until called.
"""

import itertools
import math
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from acm_workers.errors import Cancelled, ProviderPaused
from acm_workers.limits.interface import Permit, Reason, Stop
from acm_workers.limits.quotas import Quotas
from schemas.config.provider import Provider

# How often a waiting thread looks whether it shall stop.
_LOOK_S = 0.5
_ids = itertools.count(1)


class _Waiter:
    """One thread in the line."""

    def __init__(self, model: str, tokens: int, since: float) -> None:
        self.model = model
        self.tokens = tokens
        self.since = since
        self.reason: Reason | None = None
        self.until = math.inf  # when it will look by itself
        self.woken = threading.Event()
        self.turn: Permit | None = None


class WaitQueue:
    """Who waits for one provider, and what it still allows."""

    def __init__(self, name: str, provider: Provider, clock: Callable[[], float]) -> None:
        self._name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._budget = Quotas(provider)
        self._waiters: deque[_Waiter] = deque()
        self._paused: str | None = None

    def configure(self, provider: Provider) -> None:
        """See ``Limiter.configure``."""
        with self._lock:
            self._budget.configure(provider)
            self._serve()

    def reserve(self, model: str, tokens: int) -> Permit:
        """See ``Limiter.reserve``."""
        with self._lock:
            self._refuse_if_paused()
            now = self._clock()
            lapses_at = self._budget.free(model, now)
            if lapses_at is not None:
                return self._turn(model, tokens, lapses_at, "in_flight", granted=False)
            at, reason = self._budget.earliest(model, now, tokens)
            return self._take(model, tokens, at, now, reason)

    def enter(self, model: str, tokens: int, stop: Stop | None) -> Permit:
        """Wait for a turn; see ``Limiter.acquire``."""
        self._refuse_if(stop)
        with self._lock:
            self._refuse_if_paused()
            now = self._clock()
            if not self._waiters and self._budget.free(model, now) is None:
                at, reason = self._budget.earliest(model, now, tokens)
                if at <= now:
                    return self._take(model, tokens, now, now, reason)
            waiter = _Waiter(model, tokens, now)
            self._waiters.append(waiter)
            self._serve()
        try:
            return self._await(waiter, stop)
        except BaseException:
            self._leave(waiter)
            raise

    def settle(self, turn: Permit, actual_tokens: int) -> None:
        """See ``Limiter.settle``."""
        with self._lock:
            self._budget.settle(turn.model, turn.id, actual_tokens)
            self._serve()

    def release(self, turn: Permit) -> None:
        """See ``Limiter.release``."""
        with self._lock:
            self._budget.release(turn.model, turn.id)
            self._serve()

    def penalise(self, wait_s: float) -> None:
        """See ``Limiter.penalise``."""
        with self._lock:
            self._budget.hold(self._clock() + wait_s)

    def pause(self, reason: str) -> None:
        """See ``Limiter.pause``."""
        with self._lock:
            self._paused = reason
            for waiter in self._waiters:
                waiter.woken.set()

    def resume(self) -> None:
        """See ``Limiter.resume``."""
        with self._lock:
            self._paused = None
            self._serve()

    def state(self) -> dict[str, Any]:
        """See ``Limiter.state``."""
        with self._lock:
            first, now = self._waiters[0] if self._waiters else None, self._clock()
            state = self._budget.state(now)
            if first is not None:
                state["next_start_in_s"] = round(self._chance(first, now)[0] - now, 3)
            return {
                **state,
                "waiting": len(self._waiters),
                "waiting_for": None if first is None else first.reason,
                "paused": self._paused,
            }

    def _await(self, waiter: _Waiter, stop: Stop | None) -> Permit:
        while True:
            with self._lock:
                now = self._clock()
                if waiter.turn is None:
                    self._refuse_if_paused()
                    waiter.until = now + _LOOK_S
                    self._serve()
                if waiter.turn is not None:
                    return replace(waiter.turn, waited_s=now - waiter.since)
                waiter.woken.clear()
                timeout_s = waiter.until - now
            waiter.woken.wait(timeout_s)
            self._refuse_if(stop)

    def _serve(self) -> None:
        """Let all start that may, and tell the first of the rest when it may."""
        while self._waiters and self._paused is None:
            waiter = self._next(self._clock())
            if waiter is None:
                return
            self._waiters.remove(waiter)
            now = self._clock()
            waiter.turn = self._take(waiter.model, waiter.tokens, now, waiter.since, waiter.reason)
            waiter.woken.set()

    def _next(self, now: float) -> _Waiter | None:
        """Return who may start now, if anybody; tell who has to wait until when."""
        blocked: set[str] = set()
        for waiter in self._waiters:
            if waiter.model in blocked:
                continue
            at, reason = self._chance(waiter, now)
            if reason is not None:
                waiter.reason = reason
            if at <= now:
                return waiter
            if at < waiter.until:
                waiter.until = at
                waiter.woken.set()
            if not self._budget.lets_pass(waiter.model, now, waiter.tokens):
                return None
            blocked.add(waiter.model)
        return None

    def _chance(self, waiter: _Waiter, now: float) -> tuple[float, Reason | None]:
        lapses_at = self._budget.free(waiter.model, now)
        if lapses_at is not None:
            return lapses_at, "in_flight"
        return self._budget.earliest(waiter.model, now, waiter.tokens)

    def _leave(self, waiter: _Waiter) -> None:
        with self._lock:
            if waiter.turn is not None:
                self._budget.release(waiter.model, waiter.turn.id)
            else:
                self._waiters.remove(waiter)
            self._serve()

    def _take(
        self, model: str, tokens: int, at: float, since: float, reason: Reason | None
    ) -> Permit:
        turn = self._turn(model, tokens, at, reason, granted=True)
        self._budget.take(turn, since)
        return turn

    def _turn(
        self, model: str, tokens: int, at: float, reason: Reason | None, *, granted: bool
    ) -> Permit:
        return Permit(next(_ids), self._name, model, tokens, at, reason, granted)

    def _refuse_if_paused(self) -> None:
        if self._paused is not None:
            raise ProviderPaused(self._paused, self._name)

    def _refuse_if(self, stop: Stop | None) -> None:
        if says_stop(stop):
            raise Cancelled(f"cancelled while waiting for {self._name}")


def says_stop(stop: Stop | None) -> bool:
    """Return whether ``stop`` says so."""
    if stop is None:
        return False
    return stop.is_set() if isinstance(stop, threading.Event) else stop()
