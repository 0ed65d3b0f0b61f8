"""Limits that all processes of a deployment share, on any number of machines."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from acm_workers.errors import NotFound
from acm_workers.limits.interface import Permit, Stop
from acm_workers.limits.redis_queue import RedisQueue
from acm_workers.limits.redis_session import Place
from acm_workers.limits.script_client import ScriptClient
from acm_workers.limits.wakeup_listener import WakeupListener
from schemas.config.provider import Provider


class RedisLimiter:
    """Keeps the limits of ``providers`` in the Redis at ``url``; see ``Limiter``.

    Times are those of Redis. Nothing connects before the first permit is wanted.
    """

    def __init__(self, providers: Mapping[str, Provider], url: str, place: Place) -> None:
        self._providers = dict(providers)
        self._place = place
        self._wire = ScriptClient(url)
        self._waking = WakeupListener(url, place, self._call, self._call_all)
        self._agents: dict[str, RedisQueue] = {}
        self._lock = threading.Lock()

    @contextmanager
    def acquire(
        self, provider: str, model: str, tokens: int, stop: Stop | None = None
    ) -> Iterator[Permit]:
        """Wait until a request may start; release its place at exit."""
        agent = self._agent(provider)
        self._waking.start()
        permit = agent.enter(model, tokens, stop)
        try:
            yield permit
        finally:
            agent.release(permit)

    def reserve(self, provider: str, model: str, tokens: int) -> Permit:
        """Take the next permit without waiting for it."""
        return self._agent(provider).reserve(model, tokens)

    def settle(self, permit: Permit, actual_tokens: int) -> None:
        """Correct what ``permit`` set aside by what its answer really took."""
        self._agent(permit.provider).settle(permit, actual_tokens)

    def release(self, permit: Permit) -> None:
        """Give back the place in flight."""
        self._agent(permit.provider).release(permit)

    def penalise(self, provider: str, wait_s: float) -> None:
        """Let nobody start for ``wait_s`` seconds from now."""
        self._agent(provider).penalise(wait_s)

    def pause(self, provider: str, reason: str) -> None:
        """Let nobody start until ``resume``, in any process."""
        self._agent(provider).pause(reason)

    def resume(self, provider: str) -> None:
        """End a pause."""
        self._agent(provider).resume()

    def state(self, provider: str) -> dict[str, Any]:
        """Return limits, use and waits of a provider in all processes.

        Raises:
            LimitsUnavailable: Redis is out of reach.
        """
        return self._agent(provider).state()

    def configure(self, providers: Mapping[str, Provider]) -> None:
        """Take over new limits, for what this process starts."""
        with self._lock:
            for name, provider in providers.items():
                known, self._providers[name] = self._providers.get(name), provider
                agent = self._agents.get(name)
                if agent is not None and provider != known:
                    agent.configure(provider)

    def close(self) -> None:
        """Tell Redis what is left to be told, and end every thread and connection."""
        for agent in self._agents.values():
            agent.close()
        self._waking.close()
        self._wire.close()

    def _call(self, provider: str) -> None:
        agent = self._agents.get(provider)
        if agent is not None:
            agent.call()

    def _call_all(self) -> None:
        for agent in list(self._agents.values()):
            agent.call()

    def _agent(self, name: str) -> RedisQueue:
        agent = self._agents.get(name)
        if agent is not None:
            return agent
        with self._lock:
            provider = self._providers.get(name)
            if provider is None:
                raise NotFound(f"there is no provider {name!r}")
            if name not in self._agents:
                self._agents[name] = RedisQueue(name, provider, self._wire, self._place)
            return self._agents[name]
