"""A sliding minute."""

from collections import deque

SPAN_S = 60.0


class Window:
    """Amounts that came in during the last 60 s, and the most that ever did in any 60 s."""

    def __init__(self) -> None:
        self._entries: deque[tuple[float, int]] = deque()
        self.total = 0
        self.most = 0

    def add(self, now: float, amount: int = 1) -> None:
        """Count ``amount`` at ``now``."""
        self.forget(now)
        self._entries.append((now, amount))
        self.total += amount
        self.most = max(self.most, self.total)

    def forget(self, now: float) -> None:
        """Drop what came in 60 s before ``now`` or earlier."""
        while self._entries and self._entries[0][0] <= now - SPAN_S:
            self.total -= self._entries.popleft()[1]

    def wait_s(self, now: float, limit: int, amount: int) -> float:
        """Return how long until ``amount`` fits under ``limit``; a whole span if it never does."""
        self.forget(now)
        missing = self.total + amount - limit
        if missing <= 0:
            return 0.0
        for came, freed in self._entries:
            missing -= freed
            if missing <= 0:
                return came + SPAN_S - now
        return SPAN_S

    def reset_s(self, now: float) -> float:
        """Return how long until nothing is left in the window."""
        return self._entries[-1][0] + SPAN_S - now if self._entries else 0.0
