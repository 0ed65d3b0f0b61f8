"""The interface of limiters: permits, and how to acquire them."""

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from acm_workers.errors import Cancelled
from schemas.config.provider import Provider

Reason = Literal["requests", "tokens", "in_flight", "launch_delay", "penalty", "recovery"]
Stop = threading.Event | Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Permit:
    """The right to send one request.

    Attributes:
        tokens: Estimated tokens of request and answer, counted until they are settled.
        start_at: When the request may start, on the limiter's clock.
        reason: The limit that delays the request, or delayed it last; None if no limit does.
        granted: Whether a slot in flight was taken. If not, all slots are in use, nothing was
            taken, and ``start_at`` is the latest time at which the first slot expires.
        waited_s: Time that ``acquire`` waited.
    """

    id: int
    provider: str
    model: str
    tokens: int
    start_at: float
    reason: Reason | None = None
    granted: bool = True
    waited_s: float = 0.0


class Limiter(Protocol):
    """Delays requests so that no provider receives more requests than its limits allow.

    Reasons of delays are the limits of a config, ``penalty`` if the provider required a wait, and
    ``recovery`` if Redis lost its state and the processes have not reported their permits yet.
    Every method that takes a provider raises ``NotFound`` for an unknown provider.
    """

    def acquire(
        self, provider: str, model: str, tokens: int, stop: Stop | None = None
    ) -> AbstractContextManager[Permit]:
        """Wait, first come first served, until a request may start; release its slot at exit.

        Between processes, a free slot goes to the process that holds fewer slots.

        Args:
            provider: The provider's name in the config.
            model: The model of the request.
            tokens: Estimated tokens of request and answer.
            stop: Cancels the wait; checked before the wait and at least once a second.

        Raises:
            Cancelled: ``stop`` is set, or returns True.
            ProviderPaused: The provider is paused, or is paused during the wait.
            LimitsUnavailable: Redis has been out of reach for longer than a caller waits.
        """
        ...

    def reserve(self, provider: str, model: str, tokens: int) -> Permit:
        """Take the next permit without waiting for it; the caller sleeps until ``start_at``.

        Raises:
            ProviderPaused: The provider is paused.
        """
        ...

    def settle(self, permit: Permit, actual_tokens: int) -> None:
        """Replace the estimated tokens of ``permit`` by the tokens that were used."""
        ...

    def release(self, permit: Permit) -> None:
        """Free the slot of ``permit``; a second call does nothing."""
        ...

    def penalise(self, provider: str, wait_s: float) -> None:
        """Start no request for ``wait_s`` seconds from now, as the provider required."""
        ...

    def pause(self, provider: str, reason: str) -> None:
        """Start no request until ``resume``; waiting callers get ``reason``."""
        ...

    def resume(self, provider: str) -> None:
        """End a pause."""
        ...

    def state(self, provider: str) -> dict[str, Any]:
        """Return limits, usage and waits of a provider, for display."""
        ...

    def configure(self, providers: Mapping[str, Provider]) -> None:
        """Apply new limits to every later start.

        Providers that are not named keep their limits; requests in flight continue, and count.
        """
        ...

    def close(self) -> None:
        """End background threads; call this when no permit is held or awaited."""
        ...


def raise_if_stopped(stop: Stop | None, provider: str) -> None:
    """Raise ``Cancelled`` if ``stop`` is set, or returns True."""
    if stop is not None and (stop.is_set() if isinstance(stop, threading.Event) else stop()):
        raise Cancelled(f"cancelled while waiting for {provider}")
