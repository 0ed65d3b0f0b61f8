"""How fast requests may follow each other: pure, on a clock that is passed in.

All three paces answer the same questions: when may the next one start (``earliest``), and what
follows from its start (``take``). Turns are taken in the order of their starts.
"""

import math
from collections import deque

MINUTE_S = 60.0
# What is left of the limit covers that requests travel for unequal times.
_USED = 0.99
# A thread that wakes late by up to this much does not push back those behind it. Together with
# _USED it keeps 60 s windows whole at any rate: R starts span 60 s / 0.99 less 0.2 s > 60.4 s.
LATE_S = 0.2
# Tokens count for this long, which covers as much: what was set aside at a time may start as late.
WINDOW_S = MINUTE_S / _USED - LATE_S


def interval_s(per_minute: float) -> float:
    """Return how far apart starts are, so that at most ``per_minute`` come in any 60 s."""
    # Two starts within 60 s are more than 1.5.
    whole = math.floor(per_minute) if per_minute >= 1 else per_minute
    return MINUTE_S / (_USED * whole)


class Requests:
    """Evenly spaced starts, at most ``per_minute`` in any 60 s."""

    def __init__(self, per_minute: float) -> None:
        self._last = -math.inf
        self.change(per_minute)

    def change(self, per_minute: float) -> None:
        """Keep to another limit from the next start on."""
        self._interval_s = interval_s(per_minute)

    def earliest(self) -> float:
        """Return when the next one may start."""
        return self._last + self._interval_s

    def take(self, due: float) -> None:
        """Note a start that was due at ``due``; it may have come up to ``LATE_S`` later."""
        self._last = due


class Delay:
    """At least ``seconds`` between two starts."""

    def __init__(self, seconds: float) -> None:
        self._last = -math.inf
        self.change(seconds)

    def change(self, seconds: float) -> None:
        """Keep to another delay from the next start on."""
        self._seconds = seconds

    def earliest(self) -> float:
        """Return when the next one may start."""
        return self._last + self._seconds

    def take(self, at: float) -> None:
        """Note a start at ``at``."""
        self._last = at


class Tokens:
    """At most ``per_minute`` tokens in any 60 s, as evenly spread as their estimates allow.

    What was set aside in the last minute is kept exactly; it alone decides whether one more fits.
    The spread goes by what answers really took compared with their estimates: estimates hold the
    largest answer allowed, and spreading by them would leave most of the limit unused.
    """

    def __init__(self, per_minute: float) -> None:
        self._from = -math.inf
        self._ahead = 0.0  # tokens whose time has to pass from then on
        self._order: deque[tuple[float, int]] = deque()  # start, id
        self._taken: dict[int, int] = {}
        self._spread: dict[int, float] = {}
        self._sum = 0
        self._truth = 1.0  # real tokens for each estimated one, of late
        self.change(per_minute)

    def change(self, per_minute: float) -> None:
        """Keep to another limit from the next start on; what was taken still counts."""
        self._limit = per_minute

    def earliest(self, now: float, tokens: int) -> float:
        """Return when one with ``tokens`` may start.

        One that is larger than the limit waits for an empty window and goes alone.
        """
        self._forget(now)
        at = self._from + self._ahead * WINDOW_S / self._limit
        excess = self._sum + tokens - self._limit
        for start, key in self._order:
            if excess <= 0:
                break
            at = max(at, start + WINDOW_S)
            excess -= self._taken[key]
        return at

    def take(self, key: int, at: float, due: float, tokens: int) -> None:
        """Note a start of one with ``tokens`` at ``at``, which was due at ``due``."""
        self._order.append((at, key))
        self._taken[key] = tokens
        self._sum += tokens
        self._spread[key] = tokens * self._truth
        self._from, self._ahead = due, self._spread[key]

    def settle(self, key: int, actual: int) -> None:
        """Replace the estimate of ``key`` by ``actual``."""
        estimate = self._taken.get(key)
        if estimate is None:
            return
        self._taken[key] = actual
        self._sum += actual - estimate
        self._ahead += actual - self._spread[key]
        self._spread[key] = actual
        if actual > 0 and estimate > 0:
            self._truth += 0.1 * (min(max(actual / estimate, 0.01), 10.0) - self._truth)

    def used(self, now: float) -> int:
        """Return how many tokens the last minute holds."""
        self._forget(now)
        return self._sum

    def _forget(self, now: float) -> None:
        while self._order and self._order[0][0] + WINDOW_S <= now:
            key = self._order.popleft()[1]
            self._sum -= self._taken.pop(key)
            del self._spread[key]
