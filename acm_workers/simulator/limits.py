"""Requests and tokens a minute."""

import math
from typing import Literal, NamedTuple

from acm_workers.simulator.refused import Refused
from acm_workers.simulator.window import Window

Headers = list[tuple[bytes, bytes]]
LimitKind = Literal["requests", "tokens"]
TOO_MANY = 429


class LimitState(NamedTuple):
    """How much of a limit is left.

    Attributes:
        reset_s: How long until all of it is there again.
    """

    kind: LimitKind
    most: int
    remaining: int
    reset_s: float


class _Limit(NamedTuple):
    kind: LimitKind
    words: str
    most: int
    window: Window

    def amount(self, tokens: int) -> int:
        """Return what a request of ``tokens`` takes of this limit."""
        return tokens if self.kind == "tokens" else 1


class RateLimited(Refused):
    """The request comes too early."""

    def __init__(self, message: str, kind: str, wait_s: float) -> None:
        super().__init__(message, TOO_MANY, kind, "rate_limit_exceeded")
        self.wait_s = wait_s


class Limits:
    """What one provider lets in, over all models; only what it lets in counts."""

    def __init__(self, rpm: int | None, tpm: int | None) -> None:
        self._limits: list[_Limit] = []
        if rpm is not None:
            self._limits.append(_Limit("requests", "requests per min (RPM)", rpm, Window()))
        if tpm is not None:
            self._limits.append(_Limit("tokens", "tokens per min (TPM)", tpm, Window()))

    def check(self, now: float, model: str, tokens: int) -> None:
        """Let a request of ``tokens`` pass, without counting it.

        Raises:
            RateLimited: It does not fit into the last minute.
        """
        for limit in self._limits:
            amount = limit.amount(tokens)
            wait_s = limit.window.wait_s(now, limit.most, amount)
            if wait_s > 0:
                raise RateLimited(
                    f"Rate limit reached for {model} in organization org-simulated on "
                    f"{limit.words}: Limit {limit.most}, Used {limit.window.total}, "
                    f"Requested {amount}. Please try again in {duration(wait_s)}.",
                    limit.kind,
                    wait_s,
                )

    def count(self, now: float, tokens: int) -> None:
        """Count a request that was let in."""
        for limit in self._limits:
            limit.window.add(now, limit.amount(tokens))

    def states(self, now: float) -> list[LimitState]:
        """Return how much of each limit is left."""
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
