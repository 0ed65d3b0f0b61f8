"""A deployment on this machine: Redis, Postgres and workers for a benchmark."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from schemas.run import Run
from tests.support import cluster, postgres, redis_server
from tests.support.cluster import Cluster

_ROOT = Path(__file__).resolve().parents[2]
_LOOK_EVERY_S = 0.25


class Machines(NamedTuple):
    """Servers that the benchmark may kill, and their workers.

    Attributes:
        folder: Temporary folder, with the logs of the workers.
    """

    redis: redis_server.Server
    postgres: postgres.Server
    cluster: Cluster
    folder: Path

    @property
    def database(self) -> Database:
        """Return the store."""
        return self.cluster.database

    def hand_over(self, run: Run) -> datetime:
        """Submit a run to the workers; return the time of submission."""
        command = [sys.executable, "-m", "ops.benchmarks.handing", run.id]
        told = subprocess.run(  # noqa: S603  our own module
            command, cwd=_ROOT, env=self.env, check=True, stdout=subprocess.PIPE, text=True
        )
        return datetime.fromisoformat(told.stdout.strip())

    @property
    def env(self) -> dict[str, str]:
        """Return the environment of a client."""
        usual = {name: value for name, value in os.environ.items() if not name.startswith("ACM_")}
        return {**usual, **self.cluster.env}

    def ended(self, run: Run, within_s: float) -> datetime:
        """Wait until a run has ended; return the time of its end.

        Raises:
            RuntimeError: The run did not end in time.
        """
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            with self.database.read() as connection:
                found = runs.get(connection, run.id)
            if found.finished_at is not None:
                return found.finished_at
            time.sleep(_LOOK_EVERY_S)
        raise RuntimeError(f"the run has no end after {within_s:g} s\n{self.cluster.logs()}")


@contextmanager
def machines(*settings: str) -> Iterator[Machines]:
    """Provide servers and an empty store, without workers, until the end of the benchmark.

    Args:
        settings: Settings of Postgres.
    """
    with (
        tempfile.TemporaryDirectory(prefix="acm-bench-") as folder,
        redis_server.own() as redis,
        postgres.own(*settings) as server,
        cluster.on(redis.url, server.url, Path(folder), "acm_bench") as found,
    ):
        yield Machines(redis, server, found, Path(folder))
