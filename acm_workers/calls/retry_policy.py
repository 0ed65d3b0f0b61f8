"""The retry policy of one unit: number of attempts, deadline and delays."""

import random
import time
from collections.abc import Callable

from acm_workers.errors import LimitsUnavailable, OutOfAttempts, RateLimited, TransientError
from schemas.config.config import Retries


class RetryPolicy:
    """Counts the failed attempts of one unit.

    Rate limits and an unreachable limiter are not counted as failures; only the deadline ends such
    retries. The deadline is measured from the first attempt of the unit.
    """

    def __init__(self, retries: Retries, clock: Callable[[], float] = time.monotonic) -> None:
        self._retries = retries
        self._clock = clock
        self._began: float | None = None
        self._failures = 0
        self._limited = 0

    def reset(self) -> None:
        """Reset the count of attempts for another request; the deadline is kept."""
        self._failures = self._limited = 0

    def start_attempt(self) -> int:
        """Start an attempt, and return its number, from 1."""
        if self._began is None:
            self._began = self._clock()
        return self._failures + self._limited + 1

    def delay_s(self, error: TransientError) -> float:
        """Count a failed attempt, and return the seconds to wait before the next attempt.

        Raises:
            OutOfAttempts: No further attempt is allowed.
        """
        limited = isinstance(error, RateLimited | LimitsUnavailable)
        self._limited += limited
        self._failures += not limited
        retry_after_s = error.retry_after_s or 0.0
        elapsed_s = 0.0 if self._began is None else self._clock() - self._began
        left_s = self._retries.deadline_seconds - elapsed_s
        if self._failures >= self._retries.attempts or left_s <= retry_after_s:
            limits = f" and {self._limited} rate limits" if self._limited else ""
            tried = f"after {self._failures} failures{limits} in {elapsed_s:.0f} s"
            raise OutOfAttempts(f"{error} ({tried})", error.status) from error
        # Jitter spreads load; it guards nothing. Half of the delay is fixed, or else four
        # attempts might all fall into an outage of a few seconds.
        steps = min(self._failures + self._limited, 60)
        ceiling_s = self._retries.base_delay_seconds * 2.0**steps
        most_s = min(self._retries.max_delay_seconds, ceiling_s, left_s)
        drawn_s = random.uniform(most_s / 2, most_s)  # noqa: S311
        return max(drawn_s, retry_after_s)
