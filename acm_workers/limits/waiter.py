"""The threads of this process that stand in front of a provider whose limits lie in Redis."""

import copy
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator

from acm_workers.errors import Cancelled
from acm_workers.limits.interface import Permit, Reason, Stop
from acm_workers.limits.rates import LATE_S
from acm_workers.limits.wait_queue import says_stop

_LOOK_S = 0.9


class Waiter:
    """A thread that wants a turn; others hand it over.

    Attributes:
        reason: What it waits for, or waited for last.
        held: Whether it had to wait for anything.
        turn: What was handed over.
    """

    def __init__(self, provider: str, model: str, tokens: int, stop: Stop | None) -> None:
        self.model = model
        self.tokens = tokens
        self.since = time.monotonic()
        self.reason: Reason | None = None
        self.held = False
        self.turn: Permit | None = None
        self._provider = provider
        self._stop = stop
        self._start = 0.0
        self._error: Exception | None = None
        self._woken = threading.Event()

    def look(self) -> None:
        """Look whether the wait shall end.

        Raises:
            Cancelled: It shall.
        """
        if says_stop(self._stop):
            raise Cancelled(f"cancelled while waiting for {self._provider}")

    def wait(self) -> Permit:
        """Return what is handed over, as soon as it is."""
        while True:
            self._woken.wait(_LOOK_S)
            self.look()
            if self._error is not None:
                raise copy.copy(self._error)  # others raise the same one
            if self.turn is not None:
                return self.turn

    def sleep(self) -> bool:
        """Sleep until the turn begins; return whether that is over for too long already."""
        left_s = self._start - time.monotonic()
        if left_s > 0:
            time.sleep(left_s)
        return time.monotonic() - self._start > LATE_S

    def waited_s(self) -> float:
        """Return how long something held up the thread."""
        return time.monotonic() - self.since if self.held else 0.0

    def begin(self, turn: Permit, start: float) -> None:
        """Hand over a turn that begins at ``start`` by ``time.monotonic``."""
        self.turn = turn
        self._start = start
        self._woken.set()

    def stand_again(self) -> None:
        """Take the turn back."""
        self.turn = None
        self._woken.clear()

    def fail(self, error: Exception) -> None:
        """Let the wait end by ``error``."""
        self._error = error
        self._woken.set()


class Waiters(deque[Waiter]):
    """The line, first come, first served; not for several threads at once."""

    def foremost(self, most: int) -> Iterator[Waiter]:
        """Give who stands first, ``most`` for each model: one may be full, others not."""
        counted: Counter[str] = Counter()
        for one in self:
            counted[one.model] += 1
            if counted[one.model] <= most:
                yield one

    def fail(self, some: Iterable[Waiter], error: Exception) -> None:
        """Send some away by ``error``, as far as they still stand here."""
        for one in some:
            if one in self:
                self.remove(one)
                one.fail(error)
