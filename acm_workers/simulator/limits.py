"""Limits on requests and tokens in any 60 s."""

import math
from collections import deque
from typing import NamedTuple

from acm_workers.simulator.messages import LimitKind, LimitState, RequestRefused

WINDOW_S = 60.0


TOO_MANY = 429


class SlidingWindow:
    """The sum of amounts in the last 60 s, and its maximum so far."""

    def __init__(self) -> None:
        self._entries: deque[tuple[float, int]] = deque()
        self.total = 0
        self.most = 0

    def add(self, now: float, amount: int = 1) -> None:
        """Count ``amount`` at ``now``."""
        self.forget(now)
        self._entries.append((now, amount))
        self.total += amount
        self.most = max(self.most, self.total)

    def forget(self, now: float) -> None:
        """Drop amounts that are 60 s old or older at ``now``."""
        while self._entries and self._entries[0][0] <= now - WINDOW_S:
            self.total -= self._entries.popleft()[1]

    def wait_s(self, now: float, limit: int, amount: int) -> float:
        """Return the seconds until ``amount`` fits; a whole window if it never fits."""
        self.forget(now)
        missing = self.total + amount - limit
        if missing <= 0:
            return 0.0
        for came, freed in self._entries:
            missing -= freed
            if missing <= 0:
                return came + WINDOW_S - now
        return WINDOW_S

    def reset_s(self, now: float) -> float:
        """Return the seconds until the window is empty."""
        return self._entries[-1][0] + WINDOW_S - now if self._entries else 0.0


class _Limit(NamedTuple):
    kind: LimitKind
    words: str
    most: int
    window: SlidingWindow

    def amount(self, tokens: int) -> int:
        """Return the amount of this limit that a request of ``tokens`` uses."""
        return tokens if self.kind == "tokens" else 1


class LimitExceeded(RequestRefused):
    """The request exceeds a limit."""

    def __init__(self, message: str, kind: str, wait_s: float) -> None:
        super().__init__(message, TOO_MANY, kind, "rate_limit_exceeded")
        self.wait_s = wait_s


class MinuteLimits:
    """Limits of one provider over all models; only admitted requests count."""

    def __init__(self, rpm: int | None, tpm: int | None) -> None:
        self._limits: list[_Limit] = []
        if rpm is not None:
            self._limits.append(_Limit("requests", "requests per min (RPM)", rpm, SlidingWindow()))
        if tpm is not None:
            self._limits.append(_Limit("tokens", "tokens per min (TPM)", tpm, SlidingWindow()))

    def check(self, now: float, model: str, tokens: int) -> None:
        """Check that the limits admit a request of ``tokens``, without counting it.

        Raises:
            RateLimited: The request does not fit into the last minute.
        """
        for limit in self._limits:
            amount = limit.amount(tokens)
            wait_s = limit.window.wait_s(now, limit.most, amount)
            if wait_s > 0:
                raise LimitExceeded(
                    f"Rate limit reached for {model} in organization org-simulated on "
                    f"{limit.words}: Limit {limit.most}, Used {limit.window.total}, "
                    f"Requested {amount}. Please try again in {duration(wait_s)}.",
                    limit.kind,
                    wait_s,
                )

    def count(self, now: float, tokens: int) -> None:
        """Count an admitted request."""
        for limit in self._limits:
            limit.window.add(now, limit.amount(tokens))

    def states(self, now: float) -> list[LimitState]:
        """Return the remaining amount of each limit."""
        states: list[LimitState] = []
        for limit in self._limits:
            limit.window.forget(now)
            remaining = max(0, limit.most - limit.window.total)
            reset_s = limit.window.reset_s(now)
            states.append(LimitState(limit.kind, limit.most, remaining, reset_s))
        return states


def duration(seconds: float) -> str:
    """Return ``seconds`` as rate-limit headers write them: ``850ms``, ``8.64s``, ``6m0s``."""
    ms = math.ceil(seconds * 1000)
    if ms < 1000:
        return f"{ms}ms"
    if ms < 60_000:
        return f"{ms / 1000:g}s"
    minutes, rest = divmod(math.ceil(ms / 1000), 60)
    return f"{minutes}m{rest}s"
