"""Threads that take permits in processes of one deployment, and the messages that Redis gets."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import redis

from acm_workers.errors import ProviderPaused
from acm_workers.limits.redis import RedisLimiter
from tests.support import shared_limits
from tests.support.project import PATIENCE_S, wait_until
from tests.support.shared_limits import participant

Join = Callable[..., RedisLimiter]
"""Lets another process join a deployment, with the limits that are given by name."""

LEASE_S = PATIENCE_S
"""After which whatever a process no longer needs would be free at the latest."""


@contextmanager
def joining(url: str) -> Iterator[Join]:
    """Yield what lets another process join a deployment, which is a new one."""
    first = participant()
    made: list[RedisLimiter] = []

    def join(lease_s: float = LEASE_S, **limits: object) -> RedisLimiter:
        own = participant(first.prefix, lease_s=lease_s)
        made.append(shared_limits.limiter(url, own, **limits))
        return made[-1]

    try:
        yield join
    finally:
        for limiter in made:
            limiter.close()


def wait_for(true: Callable[[], bool]) -> None:
    """Return as soon as ``true`` is; fail after as long as a lease lasts."""
    wait_until(true, LEASE_S)


def messages(url: str) -> int:
    """Return how many scripts Redis has run."""
    with redis.Redis.from_url(url) as client:
        return sum(
            int(client.info("commandstats").get(f"cmdstat_{name}", {"calls": 0})["calls"])
            for name in ("eval", "evalsha")
        )


class Busy:
    """Threads that take one permit after the other until they are stopped."""

    def __init__(self, limiter: RedisLimiter, threads: int, model: str = "m") -> None:
        self.taken = 0
        self.under_way = self.most = 0
        self._limiter = limiter
        self._model = model
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._work) for _ in range(threads)]

    def __enter__(self) -> "Busy":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    @property
    def ended(self) -> bool:
        """Return whether all threads have ended by themselves."""
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                with self._limiter.acquire("alpha", self._model, 1):
                    self._count(1)
                    self._stop.wait(0.02)
                    self._count(-1)
            except ProviderPaused:
                return

    def _count(self, change: int) -> None:
        with self._lock:
            self.under_way += change
            self.most = max(self.most, self.under_way)
            if change > 0:
                self.taken += 1


class HeldPermits:
    """Permits that are held until ``end``."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self._ends: dict[str, threading.Event] = {}
        self._threads: list[threading.Thread] = []

    def start(self, limiter: RedisLimiter, name: str) -> None:
        self._ends[name] = threading.Event()
        thread = threading.Thread(target=self._work, args=(limiter, name))
        self._threads.append(thread)
        thread.start()

    def end(self, *names: str) -> None:
        for name in names:
            self._ends[name].set()

    def __enter__(self) -> "HeldPermits":
        return self

    def __exit__(self, *_: object) -> None:
        self.end(*self._ends)
        for thread in self._threads:
            thread.join()

    def _work(self, limiter: RedisLimiter, name: str) -> None:
        with limiter.acquire("alpha", "m", 1):
            self.begun.append(name)
            self._ends[name].wait()
