"""Resource usage of processes as counted by the kernel, and their processor affinity."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_PROCESSORS = sorted(os.sched_getaffinity(0))


def cpu_s(*pids: int) -> float:
    """Return the CPU time of processes so far, including ended children."""
    return sum(sum(map(int, _stat(pid)[11:15])) for pid in pids) / _TICKS_A_SECOND


def family(pid: int) -> list[int]:
    """Return a process and its live children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def family_cpu_s(pid: int) -> float:
    """Return the CPU time of a process and its children, including ended ones."""
    total = 0.0
    for one in family(pid):
        with suppress(OSError):  # it ended meanwhile, and is counted with its parent
            total += cpu_s(one)
    return total


def rss_mb(pid: int) -> float:
    """Return the current memory of a process."""
    return _status_mb(pid, "VmRSS")


def peak_mb(pid: int) -> float:
    """Return the peak memory of a process."""
    return _status_mb(pid, "VmHWM")


def open_files(pid: int) -> int:
    """Return the number of open files and connections of a process."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def yield_processors(*pids: int) -> None:
    """Give all threads of processes, and those that they start, the lowest priority."""
    for pid in pids:
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.sched_setscheduler(int(thread), os.SCHED_IDLE, os.sched_param(0))


def keep_to_processor(place: int, *pids: int) -> None:
    """Pin all threads of processes, and those that they start, to one processor.

    This corresponds to a machine for each process: no process uses another one's processor, and its
    threads find their data in the caches of that processor.

    Args:
        place: Index of the processor, modulo their number.
    """
    processor = _PROCESSORS[place % len(_PROCESSORS)]
    for pid in pids:
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(thread), {processor})


@contextmanager
def kept_to_processor(place: int) -> Iterator[None]:
    """Pin this process, and those that it starts, to one processor until the end of the block."""
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
