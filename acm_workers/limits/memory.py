"""Limits within one process."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from acm_workers.errors import NotFound
from acm_workers.limits.interface import Permit, Stop
from acm_workers.limits.wait_queue import WaitQueue
from schemas.config.provider import Provider


class MemoryLimiter:
    """Keeps the limits of ``providers`` for the threads of this process; see ``Limiter``.

    Times are those of ``clock``, in seconds.
    """

    def __init__(
        self, providers: Mapping[str, Provider], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._providers = dict(providers)
        self._clock = clock
        self._lines: dict[str, WaitQueue] = {}
        self._lock = threading.Lock()

    def configure(self, providers: Mapping[str, Provider]) -> None:
        """Take over new limits."""
        with self._lock:
            for name, provider in providers.items():
                known, self._providers[name] = self._providers.get(name), provider
                line = self._lines.get(name)
                if line is not None and provider != known:
                    line.configure(provider)

    def close(self) -> None:
        """Do nothing: there is nothing to end."""

    @contextmanager
    def acquire(
        self, provider: str, model: str, tokens: int, stop: Stop | None = None
    ) -> Iterator[Permit]:
        """Wait until a request may start; release its place at exit."""
        line = self._line(provider)
        permit = line.enter(model, tokens, stop)
        try:
            yield permit
        finally:
            line.release(permit)

    def reserve(self, provider: str, model: str, tokens: int) -> Permit:
        """Take the next permit without waiting for it."""
        return self._line(provider).reserve(model, tokens)

    def settle(self, permit: Permit, actual_tokens: int) -> None:
        """Correct what ``permit`` set aside by what its answer really took."""
        self._line(permit.provider).settle(permit, actual_tokens)

    def release(self, permit: Permit) -> None:
        """Give back the place in flight."""
        self._line(permit.provider).release(permit)

    def penalise(self, provider: str, wait_s: float) -> None:
        """Let nobody start for ``wait_s`` seconds from now."""
        self._line(provider).penalise(wait_s)

    def pause(self, provider: str, reason: str) -> None:
        """Let nobody start until ``resume``."""
        self._line(provider).pause(reason)

    def resume(self, provider: str) -> None:
        """End a pause."""
        self._line(provider).resume()

    def state(self, provider: str) -> dict[str, Any]:
        """Return limits, use and waits of a provider."""
        return self._line(provider).state()

    def _line(self, name: str) -> WaitQueue:
        line = self._lines.get(name)
        if line is not None:
            return line
        with self._lock:
            provider = self._providers.get(name)
            if provider is None:
                raise NotFound(f"there is no provider {name!r}")
            return self._lines.setdefault(name, WaitQueue(name, provider, self._clock))
