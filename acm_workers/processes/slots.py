"""Limits on concurrent children of a kind in this process, and on their starts."""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from acm_workers.errors import Cancelled
from schemas.lanes import CHILD_KINDS

_TICK_S = 0.1
_MOST = 8
_FORGES = 16
"""Default slots for FilePromptForge, which mostly waits for answers."""

_USUAL_BYTES = 512 << 20
_SHARE = 3
_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def at_once(kind: str, limit: int | None = None) -> int:
    """Return the number of concurrent children of a kind in a process: the limit, if any."""
    return limit or (_FORGES if kind == "fpf" else suitable())


def suitable(memory_bytes: int | None = None) -> int:
    """Return the suitable number of concurrent children of a kind on this machine.

    A child usually takes 300 MB, and each kind may take a third of the machine's memory.

    Args:
        memory_bytes: Memory of the machine; looked up by default.
    """
    held = machine_memory_bytes() if memory_bytes is None else memory_bytes
    return max(1, min(_MOST, held // _SHARE // _USUAL_BYTES))


def machine_memory_bytes() -> int:
    """Return the memory of this machine, or of the container if it has less."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # no container, or one without a limit
        found = min(found, int(_CONTAINER.read_text()))
    return found


class SlotLimits(NamedTuple):
    """The maximum number of concurrent children of a kind, and the interval between two starts."""

    number: int
    delay_s: float


class Slots:
    """Slots for children; kinds that share a name share its slots."""

    def __init__(self, limits: Mapping[str, SlotLimits]) -> None:
        self._free = {kind: limit.number for kind, limit in limits.items()}
        self._delay_s = {kind: limit.delay_s for kind, limit in limits.items()}
        self._next_start = dict.fromkeys(limits, 0.0)
        self._changed = threading.Condition()

    @contextmanager
    def take(self, kind: str, cancelled: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Wait for a slot, and hold it until the end of the block.

        Raises:
            Cancelled: ``cancelled`` became true while waiting.
        """
        with self._changed:
            while (wait_s := self._wait_s(kind)) > 0:
                if cancelled():
                    raise Cancelled("cancelled while waiting for a slot")
                self._changed.wait(min(wait_s, _TICK_S))
            self._free[kind] -= 1
            self._next_start[kind] = time.monotonic() + self._delay_s[kind]
        try:
            yield
        finally:
            with self._changed:
                self._free[kind] += 1
                self._changed.notify_all()

    def _wait_s(self, kind: str) -> float:
        if self._free[kind] <= 0:
            return _TICK_S
        return self._next_start[kind] - time.monotonic()


def of_process(limit: int | None = None) -> Slots:
    """Return the slots for children of all runs in a process, with the limit of each kind."""
    return Slots({kind: SlotLimits(at_once(kind, limit), 0.0) for kind in CHILD_KINDS})
