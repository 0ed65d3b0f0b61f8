"""How long one unit goes on asking, and with which pauses."""

import random
import time
from collections.abc import Callable

from acm_workers.errors import LimitsUnavailable, OutOfAttempts, RateLimited, TransientError
from schemas.config.config import Retries


class RetryPolicy:
    """Counts the failures of one unit, from its first request on.

    A rate limit is no fault of a request, nor are limits that are out of reach: only the deadline
    ends that.
    """

    def __init__(self, retries: Retries, clock: Callable[[], float] = time.monotonic) -> None:
        self._retries = retries
        self._clock = clock
        self._began: float | None = None
        self._failures = 0
        self._limits = 0

    def begin(self) -> None:
        """Count the attempts of another request; the deadline is that of the first one."""
        self._failures = self._limits = 0

    def sends(self) -> int:
        """Note that the request is sent now; return which attempt this is."""
        if self._began is None:
            self._began = self._clock()
        return self._failures + self._limits + 1

    def after(self, error: TransientError) -> float:
        """Return how many seconds to wait before the next attempt.

        Raises:
            OutOfAttempts: There is none.
        """
        limited = isinstance(error, RateLimited | LimitsUnavailable)
        self._limits += limited
        self._failures += not limited
        told_s = error.retry_after_s or 0.0
        left_s = self._retries.deadline_seconds - self._elapsed_s()
        if self._failures >= self._retries.attempts or left_s <= told_s:
            raise OutOfAttempts(f"{error} ({self._tried()})", error.status) from error
        # Jitter spreads load; it guards nothing. Half of the pause is certain, or else four
        # attempts might all fall into an outage of a few seconds.
        most_s = min(self._ceiling_s(), left_s)
        drawn_s = random.uniform(most_s / 2, most_s)  # noqa: S311
        return max(drawn_s, told_s)

    def _ceiling_s(self) -> float:
        steps = min(self._failures + self._limits, 60)
        return min(self._retries.max_delay_seconds, self._retries.base_delay_seconds * 2.0**steps)

    def _elapsed_s(self) -> float:
        return 0.0 if self._began is None else self._clock() - self._began

    def _tried(self) -> str:
        limits = f" and {self._limits} rate limits" if self._limits else ""
        return f"after {self._failures} failures{limits} in {self._elapsed_s():.0f} s"
