"""Request limits of keys, with their headers (draft-ietf-httpapi-ratelimit-headers)."""

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from starlette.exceptions import HTTPException

_WINDOW_S = 60
_MOST_KEYS = 10_000


class RemainingRequests(NamedTuple):
    """The requests that a key may still send in the current window."""

    limit: int
    left: int
    reset_s: int

    def headers(self) -> dict[str, str]:
        """Return the rate-limit headers of a response."""
        return {
            "RateLimit-Policy": f'"key";q={self.limit};w={_WINDOW_S}',
            "RateLimit": f'"key";r={self.left};t={self.reset_s}',
        }


class RequestLimit:
    """Counts the requests of each key to this server process, in windows of a minute.

    Args:
        clock: Returns seconds; windows begin at multiples of a minute.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.time) -> None:
        self._limit = per_minute
        self._clock = clock
        self._lock = threading.Lock()
        self._sent: dict[str, int] = {}
        self._window = 0

    def count(self, key_id: str) -> RemainingRequests:
        """Count a request of a key; return how many are left.

        Raises:
            starlette.exceptions.HTTPException: 429: no requests are left.
        """
        now = self._clock()
        reset_s = _WINDOW_S - int(now) % _WINDOW_S
        with self._lock:
            window = int(now) // _WINDOW_S
            if window != self._window or len(self._sent) > _MOST_KEYS:
                self._window, self._sent = window, {}
            sent = self._sent[key_id] = self._sent.get(key_id, 0) + 1
        left = RemainingRequests(self._limit, max(self._limit - sent, 0), reset_s)
        if sent > self._limit:
            headers = {**left.headers(), "Retry-After": str(reset_s)}
            raise HTTPException(429, f"{self._limit} requests a minute are allowed", headers)
        return left
