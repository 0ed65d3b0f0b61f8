"""Measures response times of `acm api` during a large run with many followers."""

import tempfile
import time
from pathlib import Path

from acm_workers.store import schema
from acm_workers.store.connection.database import Database
from ops.benchmarks import api_server, planned, processes
from ops.benchmarks.api_server import Followers, Latency
from ops.benchmarks.table import Measured, Target
from tests.support import api_process
from tests.support.api_process import ApiProcess

_UNITS = 100_000
_FOLLOWERS = 50
_REQUESTS = 400
_SAMPLE_EVERY_S = 10.0
_WARM_S = 300.0
_GROWTH = 1.05
_OVER = 12
"""Number of memory samples for a median."""


def measure(minutes: float = 0, units: int = _UNITS, followers: int = _FOLLOWERS) -> Measured:
    """Measure routes of a run with ``units`` units while ``followers`` read its events.

    Args:
        minutes: Duration of the memory measurement afterwards.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        database = Database(f"sqlite:///{home / 'acm.db'}")
        schema.upgrade(database)
        config = planned.config({"alpha": {"base_url": "http://127.0.0.1:9/v1"}})
        run = planned.seed(database, config, planned.whole(units))
        database.close()
        with api_process.serving({"ACM_HOME": folder}) as server:
            following = Followers(server, run.id, followers)
            time.sleep(3)  # they have read the first progress
            measured = _routes(server, run.id, units, followers)
            if minutes:
                measured = _with_memory(measured, server, run.id, minutes)
            following.end()
    return measured


def _routes(server: ApiProcess, run_id: str, units: int, followers: int) -> Measured:
    rows, targets = [], []
    for name, path in api_server.paths(run_id).items():
        found = Latency.of([api_server.took_ms(server, path) for _ in range(_REQUESTS)])
        rows.append({"what": name, "units": units, "followers": followers, "p50 ms": found.p50,
                     "p99 ms": found.p99, "MB": processes.rss_mb(server.pid)})  # fmt: skip
        targets.append(found.target(name))
    return Measured("api", rows, targets)


def _with_memory(measured: Measured, server: ApiProcess, run_id: str, minutes: float) -> Measured:
    """Request each route every few seconds for a duration; add the memory before and after."""
    samples: list[float] = []
    until = time.monotonic() + 60 * minutes
    while time.monotonic() < until:
        for path in api_server.paths(run_id).values():
            api_server.took_ms(server, path)
        samples.append(processes.rss_mb(server.pid))
        time.sleep(_SAMPLE_EVERY_S)
    warm = min(round(_WARM_S / _SAMPLE_EVERY_S), len(samples) // 6)
    early = _median(samples[warm : warm + _OVER])
    late = _median(samples[-_OVER:])
    rows = [
        {**measured.rows[0], "what": f"memory {when}", "p50 ms": None, "p99 ms": None, "MB": mb}
        for when, mb in (("early", early), (f"after {minutes:g} min", late))
    ]
    target = Target("memory of the server, end / early", late / early, _GROWTH)
    return Measured("api", [*measured.rows, *rows], [*measured.targets, target])


def _median(samples: list[float]) -> float:
    return sorted(samples)[len(samples) // 2]
