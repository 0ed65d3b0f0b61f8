"""Tables that ship with ACM."""

import contextlib
import threading

from acm_workers.providers.catalog import tables


def test_many_threads_that_ask_at_once_read_a_table_once() -> None:
    began, reads, another = threading.Barrier(8), list[int](), threading.Barrier(2)

    @tables.once
    def table() -> int:
        reads.append(1)
        with contextlib.suppress(threading.BrokenBarrierError):
            another.wait(timeout=0.05)  # as long as reading takes: time for a second reader
        return len(reads)

    def ask() -> None:
        began.wait()
        found.append(table())

    found = list[int]()
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (reads, found) == ([1], [1] * 8)
