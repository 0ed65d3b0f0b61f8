"""When processes ended, recorded by a process of its own.

Its clock stands still while the recorder is stopped or gets no processor: what a test measures with
it is not the pause of a machine that does something else.
"""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_LOOK_MS = 10
_MOST_S = 0.1
"""Counted of the time between two looks, whatever has passed."""

_GIVE_UP_S = 60.0


def state(pid: int) -> str:
    """Return the letter for what a process does, as in ``ps``; "" if it does not exist."""
    try:
        content = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return content.rpartition(b")")[2].split()[0].decode()


def gone(pid: int) -> bool:
    """Return whether a process has ended; one that nobody has waited for counts as ended."""
    return state(pid) in ("", "Z", "X")


@contextmanager
def recorded(*pids: int) -> Iterator[Callable[[], list[float]]]:
    """Record the ends of processes that live.

    Yields:
        A function that waits for all ends, and returns them in seconds of the recorder's clock, in
        the order of ``pids``. One that nobody has waited for has ended as well; one that lives on
        for a minute counts as ended then.
    """
    command = [sys.executable, "-I", "-S", __file__, *map(str, pids)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", "one of them does not live any more"

        def ends_s() -> list[float]:
            assert process.stdout is not None
            found: list[float] = json.loads(process.stdout.readline())
            return found

        try:
            yield ends_s
        finally:
            process.kill()


def main() -> None:
    """Print ``ready``, then when each process has ended."""
    pids = [int(pid) for pid in sys.argv[1:]]
    alive = {os.pidfd_open(pid): pid for pid in pids}
    ends_s: dict[int, float] = {}
    poll = select.poll()
    for descriptor in alive:
        poll.register(descriptor, select.POLLIN)
    print("ready", flush=True)  # noqa: T201  what the test reads
    running_s, before = 0.0, time.monotonic()
    while alive and running_s < _GIVE_UP_S:
        ended = poll.poll(_LOOK_MS)
        now = time.monotonic()
        running_s += min(now - before, _MOST_S)
        before = now
        for descriptor, _ in ended:
            ends_s[alive.pop(descriptor)] = running_s
            poll.unregister(descriptor)
    print(json.dumps([ends_s.get(pid, running_s) for pid in pids]), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
