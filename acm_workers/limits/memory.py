"""Limits within one process."""

import itertools
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from acm_workers.errors import NotFound, ProviderPaused
from acm_workers.limits.interface import Permit, Reason, Stop, raise_if_stopped
from acm_workers.limits.quota import Quota
from schemas.config.provider import Provider

_STOP_CHECK_S = 0.5
_ids = itertools.count(1)


class MemoryLimiter:
    """Keeps the limits of ``providers`` for the threads of this process; see ``Limiter``.

    Times are measured by ``clock``, in seconds.
    """

    def __init__(
        self, providers: Mapping[str, Provider], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._providers = dict(providers)
        self._clock = clock
        self._queues: dict[str, _WaitQueue] = {}
        self._lock = threading.Lock()

    @contextmanager
    def acquire(
        self, provider: str, model: str, tokens: int, stop: Stop | None = None
    ) -> Iterator[Permit]:
        """Wait until a request may start; release its slot at exit."""
        queue = self._queue(provider)
        permit = queue.acquire(model, tokens, stop)
        try:
            yield permit
        finally:
            queue.release(permit)

    def reserve(self, provider: str, model: str, tokens: int) -> Permit:
        """Take the next permit without waiting for it."""
        return self._queue(provider).reserve(model, tokens)

    def settle(self, permit: Permit, actual_tokens: int) -> None:
        """Replace the estimated tokens of ``permit`` by the tokens that were used."""
        self._queue(permit.provider).settle(permit, actual_tokens)

    def release(self, permit: Permit) -> None:
        """Free the slot of ``permit``."""
        self._queue(permit.provider).release(permit)

    def penalise(self, provider: str, wait_s: float) -> None:
        """Start no request for ``wait_s`` seconds from now."""
        self._queue(provider).penalise(wait_s)

    def pause(self, provider: str, reason: str) -> None:
        """Start no request until ``resume``."""
        self._queue(provider).pause(reason)

    def resume(self, provider: str) -> None:
        """End a pause."""
        self._queue(provider).resume()

    def state(self, provider: str) -> dict[str, Any]:
        """Return limits, usage and waits of a provider."""
        return self._queue(provider).state()

    def configure(self, providers: Mapping[str, Provider]) -> None:
        """Apply new limits to every later start."""
        with self._lock:
            for name, provider in providers.items():
                known, self._providers[name] = self._providers.get(name), provider
                queue = self._queues.get(name)
                if queue is not None and provider != known:
                    queue.configure(provider)

    def close(self) -> None:
        """Do nothing: there are no background threads."""

    def _queue(self, name: str) -> "_WaitQueue":
        queue = self._queues.get(name)
        if queue is not None:
            return queue
        with self._lock:
            provider = self._providers.get(name)
            if provider is None:
                raise NotFound(f"there is no provider {name!r}")
            return self._queues.setdefault(name, _WaitQueue(name, provider, self._clock))


class _Waiter:
    """A thread in the queue."""

    def __init__(self, model: str, tokens: int, since: float) -> None:
        self.model = model
        self.tokens = tokens
        self.since = since
        self.reason: Reason | None = None
        self.wakes_at = math.inf
        self.woken = threading.Event()
        self.permit: Permit | None = None


class _WaitQueue:
    """The threads that wait for one provider: first come, first served, without polling.

    A thread that waits for a model with its own limits is overtaken by requests to other models.
    Every change of the quota (a start, a release, a correction, a resume) grants as many permits as
    possible and wakes only their threads. The first thread that still waits sleeps until it is due.
    """

    def __init__(self, name: str, provider: Provider, clock: Callable[[], float]) -> None:
        self._name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._quota = Quota(provider)
        self._waiters: deque[_Waiter] = deque()
        self._paused: str | None = None

    def configure(self, provider: Provider) -> None:
        with self._lock:
            self._quota.configure(provider)
            self._serve()

    def reserve(self, model: str, tokens: int) -> Permit:
        with self._lock:
            self._raise_if_paused()
            now = self._clock()
            at, reason = self._quota.earliest(model, now, tokens)
            permit = Permit(next(_ids), self._name, model, tokens, at, reason)
            if reason == "in_flight":
                return replace(permit, granted=False)
            self._quota.take(permit, now)
            return permit

    def acquire(self, model: str, tokens: int, stop: Stop | None) -> Permit:
        raise_if_stopped(stop, self._name)
        with self._lock:
            self._raise_if_paused()
            waiter = _Waiter(model, tokens, self._clock())
            self._waiters.append(waiter)
            self._serve()
            if waiter.permit is not None and waiter.reason is None:
                return waiter.permit
        try:
            return self._wait(waiter, stop)
        except BaseException:
            with self._lock:
                if waiter.permit is not None:
                    self._quota.release(waiter.permit)
                else:
                    self._waiters.remove(waiter)
                self._serve()
            raise

    def settle(self, permit: Permit, actual_tokens: int) -> None:
        with self._lock:
            self._quota.settle(permit, actual_tokens, self._clock())
            self._serve()

    def release(self, permit: Permit) -> None:
        with self._lock:
            self._quota.release(permit)
            self._serve()

    def penalise(self, wait_s: float) -> None:
        with self._lock:
            self._quota.hold(self._clock() + wait_s)

    def pause(self, reason: str) -> None:
        with self._lock:
            self._paused = reason
            for waiter in self._waiters:
                waiter.woken.set()

    def resume(self) -> None:
        with self._lock:
            self._paused = None
            self._serve()

    def state(self) -> dict[str, Any]:
        with self._lock:
            first, now = self._waiters[0] if self._waiters else None, self._clock()
            state = self._quota.state(now)
            if first is not None:
                at, _ = self._quota.earliest(first.model, now, first.tokens)
                state["next_start_in_s"] = round(at - now, 3)
            return {
                **state,
                "waiting": len(self._waiters),
                "waiting_for": None if first is None else first.reason,
                "paused": self._paused,
            }

    def _wait(self, waiter: _Waiter, stop: Stop | None) -> Permit:
        while True:
            with self._lock:
                now = self._clock()
                if waiter.permit is None:
                    self._raise_if_paused()
                    waiter.wakes_at = now + _STOP_CHECK_S
                    self._serve()
                if waiter.permit is not None:
                    return replace(waiter.permit, waited_s=now - waiter.since)
                waiter.woken.clear()
                timeout_s = waiter.wakes_at - now
            waiter.woken.wait(timeout_s)
            raise_if_stopped(stop, self._name)

    def _serve(self) -> None:
        """Grant every permit that is due, and set when the first remaining waiter wakes up."""
        while self._waiters and self._paused is None:
            waiter = self._next(self._clock())
            if waiter is None:
                return
            self._waiters.remove(waiter)
            permit = Permit(
                next(_ids), self._name, waiter.model, waiter.tokens, self._clock(), waiter.reason
            )
            self._quota.take(permit, waiter.since)
            waiter.permit = permit
            waiter.woken.set()

    def _next(self, now: float) -> _Waiter | None:
        """Return the first waiter that may start now; set start times and reasons of the others."""
        blocked: set[str] = set()
        for waiter in self._waiters:
            if waiter.model in blocked:
                continue
            at, reason = self._quota.earliest(waiter.model, now, waiter.tokens)
            if reason is not None:
                waiter.reason = reason
            if at <= now:
                return waiter
            if at < waiter.wakes_at:
                waiter.wakes_at = at
                waiter.woken.set()
            if not self._quota.lets_pass(waiter.model, now, waiter.tokens):
                return None
            blocked.add(waiter.model)
        return None

    def _raise_if_paused(self) -> None:
        if self._paused is not None:
            raise ProviderPaused(self._paused, self._name)
