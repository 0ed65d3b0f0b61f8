"""Machines that work together: workers as processes, on a real Redis and a real Postgres."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import make_url, text

from acm_workers.errors import StoreFailed
from acm_workers.store import schema, workers
from acm_workers.store.connection.database import Database
from tests.support import postgres, proxy
from tests.support.machines import Network
from tests.support.project import PATIENCE_S, Outcome, Project, wait_until

_CELERY = Path(sys.executable).with_name("celery")
_ROOT = Path(__file__).resolve().parents[2]
_ENDS_WITHIN_S = 30.0
_READY_WITHIN_S = 120.0


class Worker(NamedTuple):
    """A process of Celery that works for a cluster."""

    process: "subprocess.Popen[bytes]"
    log: Path

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """End it as an operator does; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


class Cluster:
    """A broker and a store, and the workers that were started on them.

    Args:
        folder: Where logs go.
    """

    def __init__(self, redis_url: str, database: Database, folder: Path, prefix: str) -> None:
        self.database = database
        self.env = {
            "ACM_BROKER_URL": redis_url,
            "ACM_DATABASE_URL": database.url.render_as_string(hide_password=False),
            "ACM_KEY_PREFIX": prefix,
        }
        self._folder = folder
        self._workers: list[Worker] = []

    def env_on(self, network: Network, stack: ExitStack) -> dict[str, str]:
        """Return the environment of a client or worker on another machine."""
        store = make_url(self.env["ACM_DATABASE_URL"])
        way = stack.enter_context(proxy.running(store.port or 5432, network.host))
        return {
            **self.env,
            "ACM_KEY_HOSTS": f"ALPHA_KEY={network.host}",
            "ACM_BROKER_URL": network.near(stack, self.env["ACM_BROKER_URL"]),
            "ACM_DATABASE_URL": store.set(host=network.host, port=way.port).render_as_string(
                hide_password=False
            ),
        }

    def start(self, *queues: str, threads: int = 8, level: str = "warning") -> Worker:
        """Start a worker that serves ``queues`` and logs from a level on; see ``ready``."""
        number = len(self._workers) + 1
        log = self._folder / f"worker{number}.log"
        command = [str(_CELERY), "-A", "acm_workers.app", "worker", "-P", "threads"]
        command += ["-c", str(threads), "-Q", ",".join(queues), "-n", f"w{number}@%h"]
        command += ["--without-gossip", "--without-mingle", "-l", level]
        usual = {name: value for name, value in os.environ.items() if not name.startswith("ACM_")}
        with log.open("wb") as out:
            process = subprocess.Popen(
                command, cwd=_ROOT, stdout=out, stderr=out, env={**usual, **self.env}
            )
        worker = Worker(process, log)
        self._workers.append(worker)
        return worker

    def ready(self, number: int, within_s: float = _READY_WITHIN_S) -> None:
        """Wait until ``number`` workers have joined."""
        wait_until(lambda: self._joined() >= number, within_s)

    def acm(self, project: Project, *args: str, deadline_s: float = 120.0) -> Outcome:
        """Run a command of a client of the cluster to its end."""
        return project.acm(*args, env=self.env, deadline_s=deadline_s)

    def stop(self) -> None:
        """Stop all workers that still work."""
        for worker in self._workers:
            if worker.process.poll() is None:
                worker.process.send_signal(signal.SIGTERM)
        for worker in self._workers:
            try:
                worker.process.wait(_ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                worker.kill()

    def logs(self) -> str:
        """Return what the workers logged, for a test that fails."""
        return "\n".join(worker.log.read_text() for worker in self._workers)

    def number(self, query: str, **values: Any) -> int:
        """Return the one number that the store says; 0 while it is unavailable."""
        try:
            with self.database.read() as connection:
                return int(connection.scalar(text(query), values) or 0)
        except StoreFailed:
            return 0

    def _joined(self) -> int:
        with self.database.read() as connection:
            return len(workers.known(connection))


@contextmanager
def on(redis_url: str, postgres_url: str, folder: Path, name: str) -> Iterator[Cluster]:
    """Give a cluster with an empty store and without workers; at its end they are stopped.

    Args:
        name: Its own on both servers.
    """
    with postgres.schema(postgres_url, name) as url:
        database = Database(url)
        schema.upgrade(database)
        cluster = Cluster(redis_url, database, folder, f"{name}:")
        try:
            yield cluster
        finally:
            cluster.stop()
            database.close()
