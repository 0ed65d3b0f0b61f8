"""Identities of processes, with which other processes of a machine can detect their death."""

import os
from functools import lru_cache
from pathlib import Path

from acm_workers.processes import orphans

_BOOT = Path("/proc/sys/kernel/random/boot_id")


@lru_cache(maxsize=1)
def own() -> str:
    """Return the identity of this process: machine since its start, number, and start time."""
    return f"{_machine()} {orphans.owner(os.getpid())}"


def is_dead(identity: str | None) -> bool:
    """Return whether a process is certainly dead; false for processes of other machines."""
    machine, _, process = (identity or "").partition(" ")
    if not process or machine != _machine():
        return False
    return not orphans.is_alive(process)


@lru_cache(maxsize=1)
def _machine() -> str:
    """Return a name of this machine and of its namespace of process numbers."""
    try:
        return f"{_BOOT.read_text().strip()}/{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:  # not Linux: then leases decide
        return f"unknown-{os.getpid()}"
