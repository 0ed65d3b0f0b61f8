"""What a process takes of the machine, as the kernel counts it."""

import os
from contextlib import suppress
from pathlib import Path

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


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


def _stat(pid: int) -> list[str]:
    # The name before it may hold anything, parentheses too.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _status_mb(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) / 1024
    raise RuntimeError(f"process {pid} has no {field}: it has ended")
