"""Noticing a process that lives and does nothing."""

from datetime import datetime

from acm_workers.store.workers import Worker

_START_S = 60.0
"""How long a process may take until it tells of itself for the first time."""

_GAP_S = 10.0
"""Who did not look for so long cannot say what happened meanwhile."""


class Watchdog:
    """Watches one process through what it tells the store.

    A worker whose connection to Redis broke in an unlucky moment lives on and takes nothing; one
    whose threads all hang tells nothing. Both are to be ended and started anew.

    Args:
        patience_s: How long it may do so; 0 for ever.
        now: Seconds of a clock that is never set.
    """

    def __init__(self, patience_s: float, now: float) -> None:
        self._patience_s = patience_s
        self._looked = now
        self._heard: tuple[datetime | None, float] = (None, now)
        self._worked: tuple[datetime | None, float] = (None, now)

    def look(self, now: float, row: Worker | None, waiting: int | None) -> str | None:
        """Return why the process is to be ended; None if all is well.

        Args:
            row: What it told of itself.
            waiting: Messages in its queues; None if nobody knows.
        """
        if now - self._looked > _GAP_S:
            self.look_away(now)
        self._looked = now
        seen_at = None if row is None else row.seen_at
        if seen_at != self._heard[0]:
            self._heard = (seen_at, now)
        if row is None or row.in_flight or not waiting or row.last_task_at != self._worked[0]:
            self._worked = (None if row is None else row.last_task_at, now)
        if not self._patience_s:
            return None
        silent_s, idle_s = self.silent_s(now), now - self._worked[1]
        if silent_s >= (max(_START_S, self._patience_s) if row is None else self._patience_s):
            return f"it told nothing for {silent_s:.0f} s"
        if idle_s >= self._patience_s:
            return f"{waiting} messages wait in its queues, and it began none for {idle_s:.0f} s"
        return None

    @property
    def heard(self) -> bool:
        """Return whether the process has told anything yet."""
        return self._heard[0] is not None

    def silent_s(self, now: float) -> float:
        """Return for how long the process has told nothing."""
        return now - self._heard[1]

    def look_away(self, now: float) -> None:
        """Begin to count anew: the store cannot tell."""
        self._heard = (self._heard[0], now)
        self._worked = (self._worked[0], now)
