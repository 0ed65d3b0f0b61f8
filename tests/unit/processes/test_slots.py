"""Slots: how many children run at once, and how fast they start."""

import threading
import time

import pytest

from acm_workers.errors import Cancelled
from acm_workers.processes import slots as slot_counts
from acm_workers.processes.slots import SlotLimits, Slots


def test_no_more_children_of_a_kind_run_than_it_has_slots() -> None:
    slots = Slots({"gptr": SlotLimits(1, 0.0)})
    entered = threading.Event()

    def second() -> None:
        with slots.take("gptr"):
            entered.set()

    other = threading.Thread(target=second)
    with slots.take("gptr"):
        other.start()
        assert not entered.wait(0.05)
    other.join(60)

    assert entered.is_set()


def test_two_children_of_a_kind_start_one_after_the_other() -> None:
    slots = Slots({"gptr": SlotLimits(2, 0.1)})

    before = time.monotonic()
    with slots.take("gptr"), slots.take("gptr"):
        second = time.monotonic()

    assert second - before >= 0.1


def test_who_waits_for_a_slot_can_be_cancelled() -> None:
    slots = Slots({"dr": SlotLimits(1, 1.0)})

    with slots.take("dr"), pytest.raises(Cancelled), slots.take("dr", lambda: True):
        pass


@pytest.mark.parametrize(
    ("gigabytes", "number"), [(0.5, 1), (2, 1), (4, 2), (8, 5), (24, 8), (512, 8)]
)
def test_small_machines_run_fewer_children_of_a_kind(gigabytes: float, number: int) -> None:
    assert slot_counts.suitable(int(gigabytes * 2**30)) == number


def test_the_memory_of_this_machine_is_known() -> None:
    assert slot_counts.machine_memory_bytes() > 2**28
