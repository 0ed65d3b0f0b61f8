"""Threads that take turns anyway stay on one processor.

Python lets one thread of a process run at a time. Where there are several processors, each thread
whose answer has come wakes up on another one, finds the interpreter's lock taken, and sleeps again.
With dozens of threads that is half of all switches, and a tenth of the CPU of a call.
"""

import os
import random
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import structlog

log = structlog.get_logger()

_MANY = 16
"""Fewer threads hardly meet."""

_LOOK_EVERY_S = 5.0
_MARGIN = 0.2
"""How much less of its time another processor must be busy to be worth the move."""

_DARING = 0.5
"""How likely a move is that is worth it."""

_FAST = 0.85
"""Share of the highest clock rate that a processor must have: some machines have slow ones too."""

_RATE = "/sys/devices/system/cpu/cpu{}/cpufreq/cpuinfo_max_freq"

Times = Mapping[int, tuple[float, float]]
"""By number of processor: how long it was busy, and how long in all, in one unit."""


class Processor:
    """The processor on which some threads of this process stay; none where that is of no use.

    Args:
        threads: How many there will be.
        wanted: Whether they are to stay on one at all.
        times: Tells of all processors of this machine.

    Attributes:
        number: Which one it is; None if threads go wherever the system puts them.
    """

    def __init__(
        self, threads: int, *, wanted: bool = True, times: Callable[[], Times] | None = None
    ) -> None:
        self.number: int | None = None
        self._times = told_by_system if times is None else times
        self._choice = _usable() if wanted and threads >= _MANY else frozenset()
        if len(self._choice) < 2:
            return
        self._before = self._look()
        if self._choice <= self._before.of_all.keys():  # else a container counts in its own way
            here = _here()
            self.number = here if here in self._choice else min(self._choice)

    def take(self) -> None:
        """Keep the calling thread, and all that it begins from now on, on this processor."""
        taken: int | None = None
        while (number := self.number) is not None and number != taken:  # it may move meanwhile
            taken = number
            with suppress(OSError):  # it was taken from us just now
                os.sched_setaffinity(0, {number})

    def run(self, stopped: threading.Event) -> None:
        """Move where it is quieter, until ``stopped``."""
        while self.number is not None and not stopped.wait(_LOOK_EVERY_S):
            # Others who see the same at the same time must not all come along.
            if (found := self.quieter()) is not None and random.random() < _DARING:  # noqa: S311
                self.move(found)

    def quieter(self) -> int | None:
        """Return the processor that was much less busy than this one since the last look."""
        if self.number is None:
            return None
        before, self._before = self._before, self._look()
        return quieter(before, self._before, self.number)

    def move(self, number: int) -> None:
        """Take all threads that are on this processor to another one, if they may go there."""
        if not _may_use(number):
            self._choice -= {number}
            return
        before, self.number = self.number, number
        while _moved(before, number):  # some that were begun meanwhile came after those that did so
            pass
        log.info("moved to another processor", number=number, before=before)

    def _look(self) -> "Look":
        told = self._times()
        of_all = {number: told[number] for number in self._choice & told.keys()}
        return Look(of_all, time.process_time(), time.monotonic())


class Look(NamedTuple):
    """What was done until ``at_s``, by some clock in seconds.

    Attributes:
        of_all: By each processor.
        own_s: By this process, in seconds of CPU.
    """

    of_all: Times
    own_s: float
    at_s: float


def quieter(before: Look, now: Look, here: int) -> int | None:
    """Return the processor to go to from ``here``; None to stay."""
    busy: dict[int, float] = {}
    for number in before.of_all.keys() & now.of_all.keys():
        (was_busy, was), (is_busy, is_) = before.of_all[number], now.of_all[number]
        if is_ > was:
            busy[number] = (is_busy - was_busy) / (is_ - was)
    passed_s = now.at_s - before.at_s
    if here not in busy or passed_s <= 0:
        return None
    others = busy[here] - (now.own_s - before.own_s) / passed_s
    best = min(busy, key=lambda number: busy[number])
    return best if busy[best] + _MARGIN < others else None


def _may_use(number: int) -> bool:
    """Return whether the system lets us; what it allowed at the start it may have taken away."""
    now = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {number})
    except OSError:
        return False
    os.sched_setaffinity(0, now)
    return True


def _moved(before: int | None, number: int) -> bool:
    """Move all threads from one processor to another; return whether there were any."""
    moved = False
    for thread in map(int, os.listdir("/proc/self/task")):
        with suppress(OSError):  # it has ended
            if os.sched_getaffinity(thread) == {before}:
                os.sched_setaffinity(thread, {number})
                moved = True
    return moved


def _usable() -> frozenset[int]:
    """Return the processors that this process may use, without slow ones among fast ones."""
    takes_turns = getattr(sys, "_is_gil_enabled", lambda: True)()
    if not takes_turns or not hasattr(os, "sched_setaffinity"):
        return frozenset()
    allowed = os.sched_getaffinity(0)
    try:
        return fast({number: int(Path(_RATE.format(number)).read_text()) for number in allowed})
    except (OSError, ValueError):
        return frozenset(allowed)


def fast(rates: Mapping[int, int]) -> frozenset[int]:
    """Return the processors whose highest clock rate is about as high as that of any."""
    least = _FAST * max(rates.values())
    return frozenset(number for number, rate in rates.items() if rate >= least)


def told_by_system() -> Times:
    """Return what Linux tells of all processors; nothing where it tells nothing."""
    found: dict[int, tuple[float, float]] = {}
    with suppress(OSError, ValueError):
        for line in Path("/proc/stat").read_text().splitlines():
            name, *counts = line.split()
            if name.startswith("cpu") and name != "cpu":
                user, nice, system, idle, waiting, *rest = (float(count) for count in counts[:8])
                busy = user + nice + system + sum(rest)
                found[int(name[3:])] = busy, busy + idle + waiting
    return found


def _here() -> int | None:
    """Return on which processor the calling thread is."""
    try:
        said = Path("/proc/thread-self/stat").read_text()
        return int(said.rpartition(")")[2].split()[36])
    except (OSError, ValueError, IndexError):
        return None
