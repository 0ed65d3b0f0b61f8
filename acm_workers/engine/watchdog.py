"""Detection of a Worker that is alive but receives no tasks."""

_GAP_S = 10.0
"""Time between two checks after which the watchdog starts again: it cannot know what happened."""


class Watchdog:
    """Watches one Worker.

    A Worker whose connection to Redis broke at certain moments stays alive and receives no more
    tasks.

    Args:
        patience_s: Seconds for which this state is tolerated; 0 for no limit.
        now: Current time in monotonic seconds.
    """

    def __init__(self, patience_s: float, now: float) -> None:
        self._patience_s = patience_s
        self._looked = now
        self._received: tuple[int, float] = (0, now)

    def look(self, now: float, received: int, in_hand: int, waiting: int | None) -> str | None:
        """Return why the Worker must be ended; None if the Worker is working.

        Args:
            received: Number of tasks that the Worker has received so far.
            in_hand: Number of tasks in progress.
            waiting: Number of messages in the Worker's queues; None if the broker is unavailable.
        """
        gap = now - self._looked > _GAP_S
        self._looked = now
        if gap or in_hand or not waiting or received != self._received[0]:
            self._received = (received, now)
        idle_s = now - self._received[1]
        if self._patience_s and idle_s >= self._patience_s:
            return f"{waiting} messages wait in its queues, and it began none for {idle_s:.0f} s"
        return None
