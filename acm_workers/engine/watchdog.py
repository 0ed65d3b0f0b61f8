"""Detects a Worker that is alive and does nothing."""

_GAP_S = 10.0
"""A watchdog that did not look for so long does not know what happened meanwhile."""


class Watchdog:
    """Watches one Worker.

    A Worker whose connection to Redis broke at certain moments stays alive and receives no more
    tasks.

    Args:
        patience_s: How long that is tolerated; 0 forever.
        now: Monotonic seconds.
    """

    def __init__(self, patience_s: float, now: float) -> None:
        self._patience_s = patience_s
        self._looked = now
        self._received: tuple[int, float] = (0, now)

    def look(self, now: float, received: int, in_hand: int, waiting: int | None) -> str | None:
        """Return why the Worker must be ended; None if it works.

        Args:
            received: How many tasks it has received so far.
            in_hand: How many tasks it is working on.
            waiting: Messages in its queues; None if the broker is unavailable.
        """
        gap = now - self._looked > _GAP_S
        self._looked = now
        if gap or in_hand or not waiting or received != self._received[0]:
            self._received = (received, now)
        idle_s = now - self._received[1]
        if self._patience_s and idle_s >= self._patience_s:
            return f"{waiting} messages wait in its queues, and it began none for {idle_s:.0f} s"
        return None
