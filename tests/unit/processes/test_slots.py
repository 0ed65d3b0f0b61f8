"""Slots: how many children run at once, and how fast they start."""

import threading
import time

import pytest

from acm_workers.errors import Cancelled
from acm_workers.processes.slots import Slots


def test_no_more_children_of_a_kind_run_than_it_has_slots() -> None:
    slots = Slots({"gptr": 1}, stagger_s=0.0)
    entered = threading.Event()

    def second() -> None:
        with slots.take("gptr"):
            entered.set()

    other = threading.Thread(target=second)
    with slots.take("gptr"):
        other.start()
        assert not entered.wait(0.05)
    other.join(10)

    assert entered.is_set()


def test_two_children_of_a_kind_start_one_after_the_other() -> None:
    slots = Slots({"gptr": 2}, stagger_s=0.1)

    with slots.take("gptr"):
        first = time.monotonic()
        with slots.take("gptr"):
            second = time.monotonic()

    assert second - first >= 0.09


def test_who_waits_for_a_slot_can_be_cancelled() -> None:
    slots = Slots({"dr": 1})

    with slots.take("dr"), pytest.raises(Cancelled), slots.take("dr", lambda: True):
        pass
