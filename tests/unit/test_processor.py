"""Threads that ask providers stay on one processor, the one on which the least else goes on."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from acm_workers import processor
from acm_workers.errors import RequestError
from acm_workers.processor import Look, Processor
from acm_workers.settings import Settings


@pytest.fixture
def apart() -> Iterator[Callable[[Callable[[], Any]], Any]]:
    """Yield what runs something in a thread of its own, the same one each time."""
    with ThreadPoolExecutor(1) as thread:
        yield lambda work: thread.submit(work).result()


def where() -> set[int]:
    """Return the processors that the calling thread may be on."""
    return os.sched_getaffinity(0)


def where_a_new_thread_is() -> set[int]:
    found: list[set[int]] = []
    thread = threading.Thread(target=lambda: found.append(where()))
    thread.start()
    thread.join()
    return found[0]


def started(target: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=target)
    thread.start()
    return thread


def where_all_are() -> list[frozenset[int]]:
    """Return the processors of each thread of this process."""
    found = []
    for thread in os.listdir("/proc/self/task"):
        with suppress(ProcessLookupError):  # it has ended
            found.append(frozenset(os.sched_getaffinity(int(thread))))
    return found


def two_at_least() -> set[int]:
    allowed = where()
    assert len(allowed) >= 2, "this test needs two processors"
    return allowed


def looks(busy: dict[int, float], own: float) -> tuple[Look, Look]:
    """Return two looks, ten seconds apart, between which processors were so busy."""
    before = Look(dict.fromkeys(busy, (0.0, 0.0)), 0.0, 0.0)
    of_all = {number: (1000 * share, 1000.0) for number, share in busy.items()}
    return before, Look(of_all, 10 * own, 10.0)


def test_a_thread_and_those_it_begins_stay_on_one_processor_and_others_do_not(
    apart: Callable[[Callable[[], Any]], Any],
) -> None:
    allowed = two_at_least()
    one = Processor(16)

    apart(one.take)

    assert one.number in allowed
    assert apart(where) == apart(where_a_new_thread_is) == {one.number}
    assert where() == where_a_new_thread_is() == allowed


def test_threads_that_stay_on_it_move_with_it(apart: Callable[[Callable[[], Any]], Any]) -> None:
    allowed = two_at_least()
    one = Processor(16)
    apart(one.take)
    other = min(allowed - {one.number})

    one.move(other)

    assert one.number == other
    assert apart(where) == {other}
    assert where() == allowed


def test_where_the_system_does_not_let_it_go_it_does_not_go(
    apart: Callable[[Callable[[], Any]], Any],
) -> None:
    allowed = two_at_least()
    one = Processor(16)
    apart(one.take)
    before, other = one.number, min(allowed - {one.number})

    one.move(4095)

    assert one.number == before
    assert apart(where) == {before}
    one.move(other)
    assert apart(where) == {other}
    assert where() == allowed


def test_threads_that_are_begun_during_a_move_move_as_well(
    apart: Callable[[Callable[[], Any]], Any],
) -> None:
    allowed = sorted(two_at_least())
    one = Processor(16)
    apart(one.take)
    stop, left = threading.Event(), threading.Event()

    def begin_others() -> None:
        while not stop.is_set():
            waiting = [threading.Thread(target=left.wait) for _ in range(20)]
            for thread in waiting:
                thread.start()
            left.set()
            for thread in waiting:
                thread.join()
            left.clear()

    beginning = apart(lambda: started(begin_others))
    try:
        for _ in range(100):
            number = next(one_ for one_ in allowed if one_ != one.number)
            one.move(number)
            assert {frozenset({number}), frozenset(allowed)} >= set(where_all_are())
    finally:
        stop.set()
        beginning.join()


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(lambda: Processor(15), id="few threads"),
        pytest.param(lambda: Processor(64, wanted=False), id="not wanted"),
        pytest.param(lambda: Processor(64, times=dict), id="processors counted in another way"),
    ],
)
def test_elsewhere_threads_go_where_the_system_puts_them(
    one: Callable[[], Processor], apart: Callable[[Callable[[], Any]], Any]
) -> None:
    made, allowed = one(), where()

    apart(made.take)

    assert made.number is None
    assert made.quieter() is None
    assert apart(where) == allowed


@pytest.mark.parametrize(
    ("busy", "own", "found"),
    [
        ({0: 0.9, 1: 0.1}, 0.1, 1),
        ({0: 0.9, 1: 0.1}, 0.8, None),  # it is us
        ({0: 0.5, 1: 0.2}, 0.1, None),  # not worth it
        ({0: 0.9, 1: 0.5, 2: 0.3}, 0.1, 2),
        ({0: 0.2, 1: 0.9}, 0.1, None),
        ({1: 0.0}, 0.0, None),  # ours is gone
    ],
)
def test_it_moves_where_much_less_else_goes_on(
    busy: dict[int, float], own: float, found: int | None
) -> None:
    assert processor.quieter(*looks(busy, own), here=0) == found


def test_what_has_not_passed_yet_tells_nothing() -> None:
    before, _ = looks({0: 0.9, 1: 0.1}, 0.1)

    assert processor.quieter(before, before, here=0) is None


def test_slow_processors_among_fast_ones_are_not_chosen() -> None:
    assert processor.fast({0: 5_100_000, 1: 5_000_000, 2: 3_900_000}) == {0, 1}


def test_the_system_tells_what_all_processors_did() -> None:
    told = processor.told_by_system()

    assert where() <= told.keys()
    assert all(0 < busy < whole for busy, whole in told.values())


def test_a_switch_that_says_neither_yes_nor_no_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACM_ONE_PROCESSOR", "perhaps")

    with pytest.raises(RequestError, match="ACM_ONE_PROCESSOR must be yes or no, not perhaps"):
        Settings()
