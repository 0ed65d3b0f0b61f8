"""What callers know of limits, whichever way they are kept."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Event
from typing import Any, Literal, Protocol

from schemas.config.provider import Provider

Reason = Literal["requests", "tokens", "in_flight", "launch_delay", "penalty", "recovery"]
Stop = Event | Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Permit:
    """The right to send one request.

    Attributes:
        tokens: Estimated tokens of request and answer that were set aside for it.
        start_at: When it may start, on the limiter's clock.
        reason: Which limit it waits, or waited last, for; None if for none.
        granted: Whether a place in flight was taken for it. If not, all places are in use:
            nothing was taken, and ``start_at`` is when the first of them falls back at the latest.
        waited_s: How long ``turn`` waited for it.
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
    """Lets requests start so that no provider gets more than it allows.

    Reasons of waits are the limits of a config; ``penalty`` where the provider told us to wait, and
    ``recovery`` where shared state was lost and everybody has to tell what is under way.
    Every method raises ``NotFound`` for a provider it does not know.
    """

    def turn(
        self, provider: str, model: str, tokens: int, stop: Stop | None = None
    ) -> AbstractContextManager[Permit]:
        """Wait, first come first served, until a request may start; release its place at exit.

        Across processes a place goes to one that has fewer of them, whoever came first.

        Args:
            provider: Its name in the config.
            model: The model to be asked.
            tokens: Estimated tokens of request and answer.
            stop: Looked at before the wait and at least every second of it.

        Raises:
            Cancelled: ``stop`` says so.
            ProviderPaused: The provider rests, or begins to while we wait.
            LimitsAway: Nobody can say whose turn it is, and that for longer than a caller waits.
        """
        ...

    def reserve(self, provider: str, model: str, tokens: int) -> Permit:
        """Take the next turn without waiting for it; the caller sleeps until ``start_at``.

        Raises:
            ProviderPaused: The provider rests.
        """
        ...

    def settle(self, turn: Permit, actual_tokens: int) -> None:
        """Correct what ``turn`` set aside by what its answer really took."""
        ...

    def release(self, turn: Permit) -> None:
        """Give back the place in flight; a second time does nothing."""
        ...

    def penalise(self, provider: str, wait_s: float) -> None:
        """Let nobody start for ``wait_s`` seconds from now: the provider told us to wait."""
        ...

    def pause(self, provider: str, reason: str) -> None:
        """Let nobody start until ``resume``; whoever waits is told ``reason``."""
        ...

    def resume(self, provider: str) -> None:
        """End a pause."""
        ...

    def state(self, provider: str) -> dict[str, Any]:
        """Return limits, use and waits of a provider, for people."""
        ...

    def configure(self, providers: Mapping[str, Provider]) -> None:
        """Let new limits hold for whatever starts from now on.

        Providers that are not named keep theirs; what is under way goes on, and counts.
        """
        ...

    def close(self) -> None:
        """End what works in the background; to be called when nobody has or wants a turn."""
        ...
