"""A thread that does its round whenever one is due, and sleeps in between."""

import math
import threading
import time
from collections.abc import Callable


class PeriodicThread:
    """Does rounds until it is closed; every method but ``close`` is called with ``changed`` held.

    Args:
        changed: Held while times are looked at.
        go: Does a round; must not raise.
        due: Returns when the next one is due at the latest, by ``time.monotonic``.
        left: Returns whether there is a round to do before the end.
    """

    def __init__(
        self,
        name: str,
        changed: threading.Condition,
        go: Callable[[], None],
        due: Callable[[], float],
        left: Callable[[], bool],
    ) -> None:
        self._name = name
        self._changed = changed
        self._go = go
        self._due = due
        self._left = left
        self._at = math.inf
        self._sleeps_until = -math.inf
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def closed(self) -> bool:
        """Return whether no more rounds are wanted."""
        return self._closed

    def within(self, seconds: float) -> None:
        """Have a round begin within so long."""
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        self._at = min(self._at, time.monotonic() + seconds)
        self.look()

    def look(self) -> None:
        """Look anew when the next round is due, for it may be sooner than was known."""
        if min(self._at, self._due()) < self._sleeps_until:
            self._sleeps_until = -math.inf
            self._changed.notify()

    def begun(self) -> None:
        """Note that what was wanted so far is part of the round that begins."""
        self._at = math.inf

    def close(self) -> None:
        """Do what is left, and end."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while self._wait():
            self._go()

    def _wait(self) -> bool:
        """Wait until a round is due; return False at the end."""
        with self._changed:
            while not self._closed:
                now, at = time.monotonic(), min(self._at, self._due())
                if at <= now:
                    return True
                self._sleeps_until = at
                self._changed.wait(min(at - now, threading.TIMEOUT_MAX))
            return self._left()
