"""Finds processes that a dead worker left behind, by a mark in their environment.

A supervisor ends its child when its worker dies. Such processes remain only if the supervisor was
killed as well.
"""

import os
import secrets
import signal
import time
from collections.abc import Callable
from pathlib import Path

VARIABLE = "ACM_CHILD"
"""Environment variable of supervisors and children: ``<pid>.<start time>.<random>`` of a worker."""

_PROC = Path("/proc")
_DEAD_WITHIN_S = 5.0
# For a moment within exec, a process shows neither its arguments nor its environment.
_EXEC_WITHIN_S = 0.5


def mark() -> str:
    """Return a new mark for one child of this process."""
    return f"{owner(os.getpid())}.{secrets.token_hex(8)}"


def kill_left_behind() -> int:
    """Kill children whose worker is dead, and return the number of killed processes."""
    return _kill(lambda found: not is_alive(found))


def kill_marked(wanted: str) -> int:
    """Kill every process with this mark, and return the number of killed processes."""
    return _kill(lambda found: found == wanted)


def kill_group(pid: int) -> None:
    """Kill a process group, if it exists."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _kill(is_wanted: Callable[[str], bool]) -> int:
    """Kill processes by their mark, including new descendants, and wait for their end."""
    killed: set[int] = set()
    begun_at = time.monotonic()
    while True:
        marks, is_starting = _marks()
        found = [pid for pid, mark in marks.items() if is_wanted(mark)]
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
            killed.add(pid)
        elapsed_s = time.monotonic() - begun_at
        limit_s = _DEAD_WITHIN_S if found else _EXEC_WITHIN_S if is_starting else 0.0
        if elapsed_s >= limit_s:
            break
        time.sleep(0.01)
    return len(killed)


def _marks() -> tuple[dict[int, str], bool]:
    """Return the marks of processes, and whether a process is within exec and shows none yet."""
    begin = VARIABLE.encode() + b"="
    found: dict[int, str] = {}
    is_starting = False
    for folder in _PROC.iterdir() if _PROC.is_dir() else ():
        if not folder.name.isdigit():
            continue
        try:
            environment = (folder / "environ").read_bytes()
            if not environment and not (folder / "cmdline").read_bytes():
                (folder / "exe").readlink()  # threads of the kernel and dead processes have none
                is_starting = True
        except OSError:  # another user's, or it has just ended
            continue
        for entry in environment.split(b"\0"):
            if entry.startswith(begin):
                found[int(folder.name)] = entry[len(begin) :].decode(errors="replace")
    return found, is_starting


def owner(pid: int) -> str:
    """Return number and start time of a process, which are unique on this machine."""
    return f"{pid}.{_start_time(pid)}"


def _start_time(pid: int) -> str:
    """Return the start time of a process in ticks since boot; "" if it does not exist."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def is_alive(mark: str) -> bool:
    """Return whether the process named at the beginning of a mark is alive."""
    pid, _, rest = mark.partition(".")
    return not pid.isdigit() or owner(int(pid)) == f"{pid}.{rest.partition('.')[0]}"
