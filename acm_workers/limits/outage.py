"""A Redis that is away: threads wait for it, but not without end."""

import time

import structlog

from acm_workers.errors import LimitsUnavailable
from acm_workers.limits.waiter import Waiters

log = structlog.get_logger()


class Outage:
    """Since when Redis is away for those who wait for one provider; not for several threads.

    Args:
        longest_s: How long a thread waits for it.
    """

    def __init__(self, provider: str, longest_s: float) -> None:
        self._provider = provider
        self._longest_s = longest_s
        self._since: float | None = None

    @property
    def lasts(self) -> bool:
        """Return whether it is away."""
        return self._since is not None

    def end(self) -> None:
        """Note that it has answered."""
        self._since = None

    def met(self, error: LimitsUnavailable, waiters: Waiters) -> None:
        """Note that it has not, and send away who has waited for it for too long."""
        now = time.monotonic()
        if self._since is None:
            self._since = now
            log.warning("limits out of reach", provider=self._provider, error=str(error))
        for waiter in waiters:
            waiter.held = True
        since, longest_s = self._since, self._longest_s
        tired = [one for one in waiters if now - max(since, one.since) >= longest_s]
        waiters.fail(tired, LimitsUnavailable(f"{error} (for {longest_s:.0f} s now)"))
