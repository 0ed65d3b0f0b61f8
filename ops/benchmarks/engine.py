"""Runs the embedded engine on a separate store for benchmarks."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acm_workers import logs, runtime
from acm_workers.engine import embedded
from acm_workers.settings import Settings
from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from ops.benchmarks.raw import ClientUsage
from schemas.run import Run

_LOOK_EVERY_S = 0.25


@contextmanager
def store() -> Iterator[Database]:
    """Provide a temporary empty store."""
    with tempfile.TemporaryDirectory() as folder:
        logs.to_file(Path(folder) / "log", "warning")  # as acm run does
        database = runtime.open_store(Settings(home=Path(folder), database_url=None))
        yield database
        database.close()


def work(database: Database, run: Run) -> ClientUsage:
    """Execute a run until it ends; return the resources that this process used.

    The end is read from the store, at long intervals, because frequent queries would slow down the
    measured process.
    """
    live = runtime.build(database, run.config)
    engine = embedded.Engine(live, run.id, run.config.providers)
    begun_at, cpu_s = runtime.utc_now(), time.process_time()
    engine.start()
    while _is_running(database):
        time.sleep(_LOOK_EVERY_S)
    cpu_s = time.process_time() - cpu_s
    engine.stop()
    with database.read() as connection:
        ended_at = runs.get(connection, run.id).finished_at
    if ended_at is None:
        raise RuntimeError("the run has no end")
    return ClientUsage((ended_at - begun_at).total_seconds(), cpu_s)


def _is_running(database: Database) -> bool:
    with database.read() as connection:
        return bool(runs.running(connection))
