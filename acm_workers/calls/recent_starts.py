"""Limits of a process that also count the calls started by earlier processes on the same store.

Without a broker, one process after another executes runs on a store (decision 0110). Its limits are
in its memory, so a new process reads from the ledger which calls the earlier ones have just
started.
"""

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from acm_workers.limits import quota
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.store import calls
from acm_workers.store.calls import CallStart
from acm_workers.store.connection.database import Database
from schemas.config.provider import ModelLimits, Provider
from schemas.scope import LOCAL, Scope

_OF_NO_MODEL = ""
"""Model of a start that counts only for its provider."""


def limiter(
    database: Database, providers: Mapping[str, Provider], now: datetime, scope: Scope = LOCAL
) -> MemoryLimiter:
    """Return a tenant's limits of ``providers``, which count calls started shortly before ``now``.

    Calls of all tenants count, because their keys may be the same.
    """
    own = {scope.qualified(name): provider for name, provider in providers.items()}
    starts = {
        scope.qualified(name): _starts(database, name, provider, now)
        for name, provider in providers.items()
    }
    return counting(own, starts, now)


def counting(
    providers: Mapping[str, Provider], starts: Mapping[str, Sequence[CallStart]], now: datetime
) -> MemoryLimiter:
    """Return the limits of ``providers``, which count ``starts``.

    Args:
        starts: Starts of calls before ``now`` by provider, the latest first.
    """
    clock = _Clock()
    # Only the last start counts for a delay, so that the delays of earlier starts do not add up.
    undelayed = {name: _without_delays(provider) for name, provider in providers.items()}
    found = MemoryLimiter(undelayed, clock)
    for name, provider in providers.items():
        for start in reversed(list(_counted(provider, starts[name]))):
            clock.ago_s = max((now - start.at).total_seconds(), 0.0)
            found.release(found.reserve(name, start.model, start.tokens))
    clock.ago_s = 0.0
    found.configure(providers)
    return found


def _counted(provider: Provider, starts: Iterable[CallStart]) -> Iterator[CallStart]:
    """Yield the latest starts up to the limits of a provider; earlier ones delay nothing.

    More starts than a limit allows were made under a higher limit. Once the latest ones have left
    the window, the earlier ones have left it, too.

    Args:
        starts: Starts of calls to this provider, the latest first.
    """
    total = _Allowance(provider)
    own = {
        name: _Allowance(quota.of_model(provider, limits))
        for name, limits in provider.models.items()
    }
    for start in starts:
        if not total.takes(start):
            return
        fits = start.model not in own or own[start.model].takes(start)
        yield start if fits else start._replace(model=_OF_NO_MODEL)


class _Clock:
    """Monotonic time in seconds, or the time ``ago_s`` earlier."""

    def __init__(self) -> None:
        self.ago_s = 0.0

    def __call__(self) -> float:
        return time.monotonic() - self.ago_s


class _Allowance:
    """The starts and tokens of one window that a limit still allows."""

    def __init__(self, limits: Provider) -> None:
        self._starts = _most_starts(limits)
        self._tokens = limits.tokens_per_minute or math.inf

    def takes(self, start: CallStart) -> bool:
        """Count a start; return False if the window was full before."""
        if self._starts <= 0 or self._tokens <= 0:
            return False
        self._starts -= 1
        self._tokens -= start.tokens
        return True


class _Window(NamedTuple):
    """The starts that can delay the next one.

    Attributes:
        seconds: Age of the oldest one.
        most: Maximum number of them.
    """

    seconds: float
    most: float


def _starts(database: Database, name: str, provider: Provider, now: datetime) -> list[CallStart]:
    window = _window(provider)
    if window is None:
        return []
    since = now - timedelta(seconds=window.seconds)
    most = None if math.isinf(window.most) else int(window.most)
    with database.read() as connection:
        return calls.latest_starts(connection, name, since, most)


def _window(provider: Provider) -> _Window | None:
    """Return which starts can delay the next one; None if the provider has no rates."""
    limits = [provider, *(quota.of_model(provider, one) for one in provider.models.values())]
    ages = [0.0]
    for one in limits:
        if one.requests_per_minute is not None:
            ages.append(max(quota.interval_s(one.requests_per_minute), quota.MINUTE_S))
        if one.tokens_per_minute is not None:
            ages.append(quota.MINUTE_S)
        ages.append(one.launch_delay_seconds)
    return _Window(max(ages), _most_starts(provider)) if any(ages) else None


def _most_starts(limits: Provider) -> float:
    if limits.requests_per_minute is None:
        return math.inf
    return max(math.floor(limits.requests_per_minute), 1)


def _without_delays(provider: Provider) -> Provider:
    models: dict[str, ModelLimits] = {
        name: limits.model_copy(update={"launch_delay_seconds": 0.0})
        for name, limits in provider.models.items()
    }
    return provider.model_copy(update={"launch_delay_seconds": 0.0, "models": models})
