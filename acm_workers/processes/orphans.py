"""Finds processes that a dead worker left behind, by a mark in their environment.

A supervisor ends its child when its worker dies. Such processes remain only if the supervisor was
killed as well.
"""

import os
import secrets
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

VARIABLE = "ACM_CHILD"
"""Environment variable of supervisors and children: ``<pid>.<start time>.<random>`` of a worker."""

_PROC = Path("/proc")
_DEAD_WITHIN_S = 5.0
# For a moment within exec, a process shows neither its arguments nor its environment.
_EXEC_WITHIN_S = 0.5
_LOOK_EVERY_S = 0.01
# What counts of the time between two looks: this process may have been stopped itself.
_LOOK_COUNTS_S = 0.1
_ENDED = frozenset("ZX")
"""States of processes that nobody has waited for yet."""


def mark() -> str:
    """Return a new mark for one child of this process."""
    return f"{owner(os.getpid())}.{secrets.token_hex(8)}"


def kill_left_behind() -> int:
    """Kill children whose worker is dead, and return the number of killed processes."""
    return _kill(lambda found: not is_alive(found))


def kill_marked(wanted: str, group: int | None = None) -> int:
    """Kill every process with this mark, and return the number of killed processes.

    Args:
        group: A process group to kill as well, if it exists.
    """
    if group is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    return _kill(lambda found: found == wanted, group)


def _kill(is_wanted: Callable[[str], bool], dying: int | None = None) -> int:
    """Kill processes by their mark, including new descendants, and wait for their end.

    Args:
        dying: A process that was killed already, and whose end is awaited as well.
    """
    killed: set[int] = set()
    waited_s, before = 0.0, time.monotonic()
    while True:
        marks, is_starting = _marks()
        found = [pid for pid, mark in marks.items() if is_wanted(mark)]
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
            killed.add(pid)
        # A process that ends gives back its memory first, and with it the environment: its mark.
        awaited = killed if dying is None else {*killed, dying}
        is_ending = bool(found) or any(map(_is_running, awaited))
        limit_s = _DEAD_WITHIN_S if is_ending else _EXEC_WITHIN_S if is_starting else 0.0
        if waited_s >= limit_s:
            break
        time.sleep(_LOOK_EVERY_S)
        now = time.monotonic()
        waited_s, before = waited_s + min(now - before, _LOOK_COUNTS_S), now
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
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else ""


def _is_running(pid: int) -> bool:
    """Return whether a process exists and has not ended yet."""
    return not _ENDED.issuperset(_stat(pid)[:1])


def _stat(pid: int) -> list[str]:
    """Return the fields of a process in ``/proc``, from its state on; empty without a process."""
    try:
        content = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return []
    return content.rpartition(b")")[2].decode().split()


def is_alive(mark: str) -> bool:
    """Return whether the process named at the beginning of a mark is alive."""
    pid, _, rest = mark.partition(".")
    return not pid.isdigit() or owner(int(pid)) == f"{pid}.{rest.partition('.')[0]}"
