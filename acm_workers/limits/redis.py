"""Limits that all processes of a deployment share, on any number of machines."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from acm_workers.errors import NotFound
from acm_workers.limits.interface import Permit, Stop
from acm_workers.limits.redis_queue import RedisQueue
from acm_workers.limits.redis_script import RedisScriptClient
from acm_workers.limits.redis_session import DeploymentProcess, RedisSession
from acm_workers.limits.shared_keys import SharedKey, shared_keys
from schemas.config.provider import Provider


class RedisLimiter:
    """Keeps the limits of ``providers`` in Redis; see ``Limiter``.

    Times are measured by the clock of Redis. Nothing connects before the first call that names a
    provider. One thread sends the messages of all queues; threads that wait for permits send none.
    """

    def __init__(
        self,
        providers: Mapping[str, Provider],
        script: RedisScriptClient,
        participant: DeploymentProcess,
    ) -> None:
        self._providers = dict(providers)
        self._script = script
        self._participant = participant
        self._shared: dict[str, SharedKey] = {}
        self._queues: dict[str, RedisQueue] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

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
        """Start no request until ``resume``, in any process."""
        self._queue(provider).pause(reason)

    def resume(self, provider: str) -> None:
        """End a pause."""
        self._queue(provider).resume()

    def state(self, provider: str) -> dict[str, Any]:
        """Return limits, usage and waits of a provider in all processes.

        Raises:
            LimitsUnavailable: Redis is out of reach.
        """
        return self._queue(provider).state()

    def configure(self, providers: Mapping[str, Provider]) -> None:
        """Apply new limits to later starts of this process.

        The tenants of a key share its limits only if providers of all these tenants are named.
        """
        with self._changed:
            before, self._shared = self._shared, shared_keys(providers)
            for name, provider in providers.items():
                known, self._providers[name] = self._providers.get(name), provider
                queue, shared = self._queues.get(name), self._shared.get(name)
                if queue is not None and (provider, shared) != (known, before.get(name)):
                    queue.configure(provider, shared)

    def close(self) -> None:
        """Send the remaining events, and end the thread and the connection."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()
        self._script.close()

    def _queue(self, name: str) -> RedisQueue:
        queue = self._queues.get(name)
        if queue is not None:
            return queue
        with self._changed:
            provider = self._providers.get(name)
            if provider is None:
                raise NotFound(f"there is no provider {name!r}")
            if name not in self._queues:
                shared = self._shared.get(name)
                session = RedisSession(
                    name, provider, self._script, self._participant, self._changed, shared
                )
                self._queues[name] = RedisQueue(
                    name, session, self._changed, self._participant.max_outage_s
                )
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._work, name="limits", daemon=True)
                self._thread.start()
            return self._queues[name]

    def _work(self) -> None:
        while (queue := self._next_queue()) is not None:
            queue.exchange()

    def _next_queue(self) -> RedisQueue | None:
        """Wait until an exchange is due and return its queue; None after the last exchange."""
        with self._changed:
            while not self._closed:
                queue = min(self._queues.values(), key=lambda one: one.due)
                left_s = queue.due - time.monotonic()
                if left_s <= 0:
                    return queue
                self._changed.wait(left_s)
            return next((queue for queue in self._queues.values() if queue.has_unsent), None)
