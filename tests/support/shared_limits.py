"""Limits in a real Redis, and whole processes that take turns by them.

Run as a program it takes turns until its input ends, and says when: see ``main``.
"""

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from ulid import ULID

from acm_workers.limits.redis_session import Place
from acm_workers.limits.shared import RedisLimiter
from tests.support.limiters import providers

_numbers = itertools.count(1)


def place(prefix: str | None = None, careful_s: float = 0.0, **more: float) -> Place:
    """Return a deployment, of its own unless named, and a new member of it.

    Args:
        careful_s: Nothing, for a Redis that is known to be new.
    """
    owner = f"{os.getpid()}-{next(_numbers)}"
    return Place(prefix or f"test-{ULID()}", owner, careful_s, **more)


class Taken(NamedTuple):
    """A turn that was taken.

    Attributes:
        start_at: When it was to start, on the clock of Redis.
        began: When it did, on that of the machine.
    """

    start_at: float
    began: float
    ended: float
    owner: str


class Fleet:
    """Processes that take turns with alpha, with many threads each."""

    def __init__(self, members: Sequence["subprocess.Popen[str]"]) -> None:
        self.members = members

    def stop(self) -> list[Taken]:
        """Let all end that live; return the turns that they took, by start."""
        living = [member for member in self.members if member.poll() is None]
        outputs = [member.communicate(timeout=60)[0] for member in living]
        assert [member.returncode for member in living] == [0] * len(living)
        # Above the last line stand log messages.
        taken = [Taken(*one) for output in outputs for one in json.loads(output.splitlines()[-1])]
        return sorted(taken)


@contextmanager
def fleet(
    url: str, prefix: str, *, members: int, threads: int, work_s: float, **limits: Any
) -> Iterator[Fleet]:
    """Start processes that take turns, each of which takes ``work_s``."""
    given = {"url": url, "prefix": prefix, "threads": threads, "work_s": work_s, "limits": limits}
    with ExitStack() as stack:
        started = [stack.enter_context(_member(given)) for _ in range(members)]
        try:
            yield Fleet(started)
        finally:
            for member in started:
                member.kill()


def _member(given: dict[str, Any]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.shared_limits", json.dumps(given)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def most_at_once(taken: Sequence[Taken]) -> int:
    """Return how many turns were under way at one time."""
    changes = sorted([(one.began, 1) for one in taken] + [(one.ended, -1) for one in taken])
    return max(itertools.accumulate(change for _, change in changes))


def main() -> None:
    """Take turns in threads until standard input ends; the argument is JSON: see ``fleet``."""
    given = json.loads(sys.argv[1])
    own = place(given["prefix"], careful_s=Place("", "").careful_s)
    limiter = RedisLimiter(providers(**given["limits"]), given["url"], own)
    taken, stop = list[Taken](), threading.Event()

    def work() -> None:
        while not stop.is_set():
            with limiter.acquire("alpha", "m", 1) as turn:
                began = time.monotonic()
                time.sleep(given["work_s"])
                taken.append(Taken(turn.start_at, began, time.monotonic(), own.owner))

    threads = [threading.Thread(target=work) for _ in range(given["threads"])]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    stop.set()
    for thread in threads:
        thread.join()
    limiter.close()
    sys.stdout.write(json.dumps(taken))


if __name__ == "__main__":
    main()
