"""Limits in a real Redis, and whole processes that share them.

Run as a program it takes permits until its input ends, and prints when: see ``main``.
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

from acm_workers.limits.redis import RedisLimiter
from acm_workers.limits.redis_script import RedisScriptClient
from acm_workers.limits.redis_session import RECOVERY_S, DeploymentProcess
from tests.support import together
from tests.support.limiters import providers
from tests.support.project import PATIENCE_S

_numbers = itertools.count(1)


def participant(
    prefix: str | None = None, recovery_s: float = 0.0, **more: float
) -> DeploymentProcess:
    """Return a new process of a deployment, which is a new one unless it is named.

    Args:
        recovery_s: None, for a Redis that is known to be new.
    """
    owner = f"{os.getpid()}-{next(_numbers)}"
    return DeploymentProcess(prefix or f"test-{ULID()}", owner, recovery_s, **more)


def limiter(url: str, process: DeploymentProcess, **limits: Any) -> RedisLimiter:
    """Return the limiter of a process, with the limits that are given by name."""
    return RedisLimiter(providers(**limits), RedisScriptClient(url), process)


class Taken(NamedTuple):
    """A permit that was taken.

    Attributes:
        name: Qualified name of the provider.
        start_at: When it was to start, on the clock of Redis.
        began: When it did, on that of the machine.
    """

    start_at: float
    began: float
    ended: float
    owner: str
    name: str


class Fleet:
    """Processes that take permits, with many threads each."""

    def __init__(self, members: Sequence["subprocess.Popen[str]"]) -> None:
        self.members = members

    def stop(self) -> list[Taken]:
        """Let all end that live; return the permits that they took, by start."""
        living = [member for member in self.members if member.poll() is None]
        outputs = [member.communicate(timeout=PATIENCE_S)[0] for member in living]
        assert [member.returncode for member in living] == [0] * len(living)
        # Log messages come before the last line.
        taken = [Taken(*one) for output in outputs for one in json.loads(output.splitlines()[-1])]
        return sorted(taken)


@contextmanager
def fleet(
    url: str,
    prefix: str,
    *,
    members: int,
    threads: int,
    work_s: float,
    names: Sequence[str] = ("alpha",),
    **limits: Any,
) -> Iterator[Fleet]:
    """Start processes that hold each permit for ``work_s``.

    Args:
        names: Qualified names of the provider, which the processes use in turn.
        limits: Limits of the provider, and ``recovery_s`` of the processes.
    """
    given = {"url": url, "prefix": prefix, "threads": threads, "work_s": work_s, "limits": limits}
    given["recovery_s"] = limits.pop("recovery_s", RECOVERY_S)
    own = [{"names": names, "name": names[number % len(names)]} for number in range(members)]
    with ExitStack() as stack:
        started = [stack.enter_context(_member(given | one)) for one in own]
        try:
            together.begin(started)
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
    """Return how many permits were held at one time."""
    changes = sorted([(one.began, 1) for one in taken] + [(one.ended, -1) for one in taken])
    return max(itertools.accumulate(change for _, change in changes))


def main() -> None:
    """Take permits in threads from a line of standard input to its end; see ``fleet``.

    The argument is JSON.
    """
    given = json.loads(sys.argv[1])
    own = participant(given["prefix"], recovery_s=given["recovery_s"])
    name = given["name"]
    shared = RedisLimiter({}, RedisScriptClient(given["url"]), own)
    shared.configure(dict.fromkeys(given["names"], providers(**given["limits"])["alpha"]))
    taken, stop = list[Taken](), threading.Event()

    def work() -> None:
        while not stop.is_set():
            with shared.acquire(name, "m", 1) as permit:
                began = time.monotonic()
                time.sleep(given["work_s"])
                taken.append(Taken(permit.start_at, began, time.monotonic(), own.owner, name))

    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    threads = [threading.Thread(target=work) for _ in range(given["threads"])]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    stop.set()
    for thread in threads:
        thread.join()
    shared.close()
    sys.stdout.write(json.dumps(taken))


if __name__ == "__main__":
    main()
