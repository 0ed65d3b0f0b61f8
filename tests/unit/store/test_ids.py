"""Ids of new rows are unique in all processes and sort by when they were made."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

from ulid import ULID

from acm_workers.store.ids import new_id


def test_threads_never_make_the_same_id() -> None:
    with ThreadPoolExecutor(8) as threads:
        made = [one.result() for one in [threads.submit(new_id) for _ in range(5000)]]

    assert len(set(made)) == 5000


def test_ids_sort_by_order_of_making_however_fast_they_are_made() -> None:
    made = [new_id() for _ in range(2000)]

    assert made == sorted(made)


def test_an_id_says_when_it_was_made() -> None:
    before = time.time_ns() // 1_000_000
    made = ULID.from_str(new_id())
    after = time.time_ns() // 1_000_000

    assert before <= made.milliseconds <= after


def test_a_process_that_was_forked_makes_ids_of_its_own() -> None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, new_id().encode())
        os._exit(0)
    ours = new_id()
    os.waitpid(child, 0)
    os.close(write)
    with os.fdopen(read) as told:
        theirs = told.read()

    assert ULID.from_str(theirs)
    assert theirs[10:] != ours[10:]
