"""Measures the time and the resources for planning a huge run and filling its queue.

The store contains documents with written candidates. A client submits them to workers. The worker
for control plans all comparisons and sends messages until the queue is full; no worker consumes
them.
"""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import redis

from acm_workers import broker
from acm_workers.engine import publish
from acm_workers.settings import Settings
from acm_workers.store import results
from acm_workers.store.connection.database import Database
from ops.benchmarks import cluster, planned, processes
from ops.benchmarks.cluster import Machines
from ops.benchmarks.table import Measured, Target
from schemas import lanes
from schemas.config.config import Config
from schemas.run import Run
from tests.support.project import Command, Project

COMPARISONS = 100_000
_CANDIDATES = 23
_JUDGES = 2
_A_DOCUMENT = _JUDGES * _CANDIDATES * (_CANDIDATES - 1)
"""Each judge compares each pair in both orders."""
_GIVEN_UP_AFTER_S = 600.0
_LOOKS = 20
_LOOK_EVERY_S = 0.1


def measure(comparisons: int) -> Measured:
    """Plan and enqueue at least ``comparisons`` comparisons in one run."""
    number = -(-comparisons // _A_DOCUMENT)
    expected = number * _A_DOCUMENT
    with cluster.machines() as machines, tempfile.TemporaryDirectory() as folder:
        run = planned.written(machines.database, _config(), number, _CANDIDATES)
        worker = machines.cluster.start("control", threads=4)
        machines.cluster.ready(1)
        client = Project(Path(folder), {}, {})
        began = time.monotonic()
        with client.started("resume", run.id, "--json", env=machines.cluster.env) as command:
            _await(machines, expected, command)
            enqueued_s = time.monotonic() - began
            status_ms = _status_ms(machines.database, run)
            client_mb = processes.peak_mb(command.pid)
        row: dict[str, Any] = {
            "documents": number, "comparisons": expected, "enqueued_s": enqueued_s,
            "client MB": client_mb, "control MB": processes.peak_mb(worker.process.pid),
            "control CPU s": processes.cpu_s(worker.process.pid),
            "status_ms": status_ms, "Redis MB": _redis_mb(machines),
        }  # fmt: skip
    return Measured(
        "fanout",
        [row],
        [
            Target("enqueued in s", enqueued_s, 60),
            Target("client MB", client_mb, 200),
            Target("status in ms", status_ms, 50),
            Target("Redis MB", row["Redis MB"], 200),
        ],
    )


def _config() -> Config:
    # Nobody is ever asked.
    return planned.config({"alpha": {"base_url": "http://127.0.0.1:1/v1"}}, judges=[], pairwise={
        "strategy": "round_robin", "position_swap": "both",
        "judges": [{"name": f"j{number}", "provider": "alpha", "model": f"sim-{number}"}
                   for number in range(_JUDGES)],
    })  # fmt: skip


def _await(machines: Machines, expected: int, client: Command) -> None:
    """Wait until all comparisons are planned and the queue is full."""
    env = machines.cluster.env
    settings = Settings(
        broker_url=env["ACM_BROKER_URL"], key_prefix=env["ACM_KEY_PREFIX"], home=machines.folder
    )
    queue, until = lanes.judge("alpha"), time.monotonic() + _GIVEN_UP_AFTER_S
    planned_there = "select count(*) from pairwise_comparisons"
    while (
        broker.backlog(settings, [queue])[queue] < min(expected, publish.ENOUGH)
        or machines.cluster.number(planned_there) < expected
    ):
        if client.ended or time.monotonic() > until:
            raise RuntimeError(
                f"{expected} comparisons are not planned; the client says: {client.told()}"
            )
        time.sleep(_LOOK_EVERY_S)


def _status_ms(database: Database, run: Run) -> float:
    """Return the median duration of reading a run's progress."""
    times = []
    for _ in range(_LOOKS):
        began = time.perf_counter()
        with database.read() as connection:
            results.progress(connection, run.id)
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def _redis_mb(machines: Machines) -> float:
    with redis.Redis.from_url(machines.redis.url) as client:
        about: Any = client.info("memory")
    return float(about["used_memory"]) / 1e6
