"""Many threads that ask providers stay on one processor; what else a process does goes anywhere."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from acm_workers.store.connection.database import Database
from tests.support import cluster, redis_server, simulator
from tests.support.cluster import Cluster
from tests.support.engines import config, finished, submitted, working

_THREADS = 16


@pytest.fixture(scope="module")
def anywhere() -> set[int]:
    """Return all processors that there are for us."""
    found = os.sched_getaffinity(0)
    assert len(found) >= 2, "these tests need two processors"
    return found


@pytest.fixture
def machines(tmp_path: Path, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    with redis_server.running() as redis, cluster.on(redis, postgres, tmp_path, "acm_one") as found:
        yield found


def bound() -> list[set[int]]:
    """Return the processors of those threads of this process that are not free to go anywhere."""
    free, found = os.sched_getaffinity(0), []
    for thread in os.listdir("/proc/self/task"):
        with suppress(ProcessLookupError):  # it has ended
            found.append(os.sched_getaffinity(int(thread)))
    return [one for one in found if one != free]


def test_threads_of_the_embedded_engine_ask_from_one_processor(
    database: Database, anywhere: set[int]
) -> None:
    with simulator.running(latency_s=0.05) as provider:
        alpha = {"base_url": provider.url, "max_in_flight": _THREADS}
        given = config(provider.url, providers={"alpha": {"dialect": "openai_chat", **alpha}})
        run_id = submitted(database, given, 4)
        with working(database, run_id):
            assert finished(database, run_id).state == "done"
            found = bound()

    assert len(found) > 1
    assert [len(one) for one in found] == [1] * len(found)
    assert len(set.union(*found)) == 1
    assert os.sched_getaffinity(0) == anywhere
    assert bound() == []


def test_a_worker_with_many_threads_stays_on_one_processor_and_others_do_not(
    machines: Cluster, anywhere: set[int]
) -> None:
    many = machines.start("judge.alpha", threads=_THREADS)
    few = machines.start("control", threads=4)
    machines.ready(2)

    assert len(os.sched_getaffinity(many.process.pid)) == 1
    assert os.sched_getaffinity(few.process.pid) == anywhere


def test_a_worker_stays_nowhere_if_that_is_switched_off(
    machines: Cluster, anywhere: set[int]
) -> None:
    machines.env["ACM_ONE_PROCESSOR"] = "no"
    worker = machines.start("judge.alpha", threads=_THREADS)
    machines.ready(1)

    assert os.sched_getaffinity(worker.process.pid) == anywhere
