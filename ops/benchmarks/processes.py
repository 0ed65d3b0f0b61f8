"""What a process takes of the machine, as the kernel counts it, and where it runs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_PROCESSORS = sorted(os.sched_getaffinity(0))


def cpu_s(*pids: int) -> float:
    """Return the CPU time of processes so far, with that of their children that have ended."""
    return sum(sum(map(int, _stat(pid)[11:15])) for pid in pids) / _TICKS_A_SECOND


def family(pid: int) -> list[int]:
    """Return a process and its children that live."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def family_cpu_s(pid: int) -> float:
    """Return the CPU time of a process and its children, those that have ended included."""
    total = 0.0
    for one in family(pid):
        with suppress(OSError):  # it ended meanwhile, and is counted with its parent
            total += cpu_s(one)
    return total


def rss_mb(pid: int) -> float:
    """Return the memory that a process has now."""
    return _status_mb(pid, "VmRSS")


def peak_mb(pid: int) -> float:
    """Return the most memory that a process ever had."""
    return _status_mb(pid, "VmHWM")


def open_files(pid: int) -> int:
    """Return how many files and connections a process has open."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def yield_processors(*pids: int) -> None:
    """Let all threads of processes, and those that they start, run while nobody else does."""
    for pid in pids:
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.sched_setscheduler(int(thread), os.SCHED_IDLE, os.sched_param(0))


def keep_to_processor(place: int, *pids: int) -> None:
    """Let all threads of processes, and those that they start, run on one processor.

    So it is where each process has a machine of its own: none takes another one's processor, and
    its threads find their data in the caches of that processor.

    Args:
        place: Which of the processors; counted around.
    """
    processor = _PROCESSORS[place % len(_PROCESSORS)]
    for pid in pids:
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(thread), {processor})


@contextmanager
def kept_to_processor(place: int) -> Iterator[None]:
    """Let this process, and those that it starts, run on one processor until the block ends."""
    before = os.sched_getaffinity(0)
    keep_to_processor(place, os.getpid())
    try:
        yield
    finally:
        for thread in os.listdir("/proc/self/task"):
            os.sched_setaffinity(int(thread), before)


def _stat(pid: int) -> list[str]:
    # The name before it may hold anything, parentheses too.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _status_mb(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) / 1024
    raise RuntimeError(f"process {pid} has no {field}: it has ended")
