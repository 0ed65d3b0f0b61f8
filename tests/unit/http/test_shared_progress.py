"""The progress of a run is counted once for all, and nobody waits for a long count twice."""

import threading
from typing import Any

import pytest

from acm_api.http.service import SharedProgress
from acm_workers.store.calls import CallTotals
from acm_workers.store.results import Progress
from acm_workers.store.runs import RunStanding

_IN_TIME_S = 30.0
_NO_CALLS = CallTotals(0, 0, 0, 0, 0, 0.0, 0, 0.0)


class Counter:
    """Counts how often it counted; a count takes ``took_s`` by its own clock.

    Attributes:
        go_on: A count waits for it.
        ended: Released at the end of each count.
        standing: Of the run in the store.
    """

    def __init__(self, took_s: float) -> None:
        self.now = 0.0
        self.counts = 0
        self.go_on = threading.Event()
        self.go_on.set()
        self.ended = threading.Semaphore(0)
        self.standing = RunStanding("running", None, 0, cancel_requested=False, settled=False)
        self._took_s = took_s

    def clock(self) -> float:
        return self.now

    def shared(self) -> SharedProgress:
        return SharedProgress(self, lambda _run_id: self.standing, self.clock)

    def __call__(self, run_id: str) -> Progress:
        assert self.go_on.wait(_IN_TIME_S)
        self.counts += 1
        self.now += self._took_s
        self.ended.release()
        return Progress(self.standing.state, {}, {"compare": self.counts}, _NO_CALLS, [], None)


def counted(shared: SharedProgress) -> int:
    return shared.of("R").stages["compare"]


def test_a_small_run_is_counted_again_after_half_a_second() -> None:
    counter = Counter(took_s=0.001)
    shared = counter.shared()

    first, second = counted(shared), counted(shared)
    counter.now += 0.6

    assert (first, second, counted(shared)) == (1, 1, 2)


def test_nobody_waits_while_a_huge_run_is_counted_again() -> None:
    counter = Counter(took_s=1.0)
    shared = counter.shared()
    assert counted(shared) == 1
    assert counter.ended.acquire(timeout=_IN_TIME_S)
    counter.go_on.clear()

    counter.now += 19
    assert counted(shared) == 1  # a count of one second is repeated after twenty
    counter.now += 2
    meanwhile = [counted(shared), counted(shared)]
    counter.go_on.set()
    assert counter.ended.acquire(timeout=_IN_TIME_S)

    assert meanwhile == [1, 1]
    assert counter.counts == 2


@pytest.mark.parametrize(
    "change",
    [
        {"state": "cancelled"},
        {"state": "paused", "reason": "asked"},
        {"cancel_requested": True},
        {"settled": True},
        {"revision": 1},
    ],
    ids=str,
)
def test_a_huge_run_that_anybody_changed_is_counted_at_once(change: dict[str, Any]) -> None:
    counter = Counter(took_s=1.0)
    shared = counter.shared()
    counted(shared)

    counter.standing = counter.standing._replace(**change)
    changed = shared.of("R")

    assert (changed.state, changed.stages["compare"]) == (counter.standing.state, 2)
    assert counted(shared) == 2


def test_a_count_of_long_ago_is_not_shown() -> None:
    counter = Counter(took_s=1.0)
    shared = counter.shared()
    counted(shared)

    counter.now += 61

    assert counted(shared) == 2
