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
    give_up_at = time.monotonic() + _DEAD_WITHIN_S
    while found := [pid for pid, mark in _marked() if is_wanted(mark)]:
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
            killed.add(pid)
        if time.monotonic() > give_up_at:
            break
        time.sleep(0.01)
    return len(killed)


def _marked() -> list[tuple[int, str]]:
    begin = VARIABLE.encode() + b"="
    found = []
    for folder in _PROC.iterdir() if _PROC.is_dir() else ():
        if not folder.name.isdigit():
            continue
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:  # another user's, or it has just ended
            continue
        for entry in environment.split(b"\0"):
            if entry.startswith(begin):
                found.append((int(folder.name), entry[len(begin) :].decode(errors="replace")))
    return found


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
