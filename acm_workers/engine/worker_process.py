"""A worker process for all runs: its runtime, its row in the store, and its threads."""

import importlib.metadata
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence

import structlog
from sqlalchemy import Connection

from acm_workers import runtime
from acm_workers.engine import host, sweep
from acm_workers.engine.coordinator import BacklogReader, Coordinator
from acm_workers.engine.heartbeat import Heartbeat
from acm_workers.engine.leader import LeaderElection, LeaseHealth
from acm_workers.engine.worker_runtime import WorkerRuntime
from acm_workers.errors import LimitsUnavailable
from acm_workers.limits import factory
from acm_workers.settings import Settings
from acm_workers.store import runs
from acm_workers.store.runs import ActiveRun
from acm_workers.store.workers import Worker
from schemas import lanes

log = structlog.get_logger()


class WorkerProcess:
    """The worker of this process, with heartbeat, coordinator and limits.

    Args:
        name: Display name; see ``Worker.name``.
        queues: Queues to serve at the start; see ``serve``.
        serves_control: Whether the process serves ``control``, now or later.

    Raises:
        RequestError: The store's tables have another version than this program.
        StoreFailed: The store cannot be reached.
    """

    def __init__(
        self,
        settings: Settings,
        name: str,
        queues: tuple[str, ...],
        threads: int,
        *,
        serves_control: bool,
    ) -> None:
        database = runtime.open_store(settings)
        owner = runtime.new_owner()
        self._broker_url = settings.broker_url or ""
        self._prefix = settings.key_prefix.rstrip(":")
        self._queues = queues
        self._prepared: set[str] = set()
        limiter = factory.limiter({}, self._broker_url, prefix=self._prefix, owner=owner)
        self.live = live = WorkerRuntime(database, limiter, owner)
        now = runtime.utc_now()
        row = Worker(
            owner=owner,
            host=socket.gethostname(),
            pid=os.getpid(),
            name=name,
            queues=queues,
            threads=threads,
            in_flight=0,
            started_at=now,
            seen_at=now,
            last_task_at=None,
            sweep_at=None,
            version=importlib.metadata.version("acm"),
        )
        leases = LeaseHealth(time.monotonic())
        leader = LeaderElection(
            database, owner, leases, serves_control=serves_control, clock=time.monotonic
        )
        backlog_reader = BacklogReader(settings, live.queues)
        self._coordinator = Coordinator(live, runs.given_to_workers, leader, backlog_reader)
        self._heartbeat = Heartbeat(live, _with_paused_runs, leases, row)
        self._heartbeat.beat()
        self._stopped = threading.Event()
        self._threads: list[threading.Thread] = []
        runtime.use(live)

    def start(self) -> None:
        """Start to renew leases, and to coordinate runs while this process is the leader."""
        self.live.remove_orphans()
        self._run(self._heartbeat.run, "acm-heartbeat")
        self._run(self._coordinator.run, "acm-coordinator")
        self._prepare_limits(self._queues)
        host.freeze_garbage()

    def serve(self, queues: Sequence[str], threads: int) -> None:
        """Set the queues that this process serves from now on."""
        if tuple(queues) != self._queues:
            self._prepare_limits(queues)
        self._queues = tuple(queues)
        self._heartbeat.serve(self._queues, threads)

    def begin_nothing_more(self) -> None:
        """Put waiting units back; calls in flight finish and are saved."""
        self.live.stopping.set()

    def stop(self) -> None:
        """End all threads, and remove this process from the store; no unit may be in progress."""
        self.live.stopping.set()
        self._stopped.set()
        for thread in self._threads:
            thread.join()
        self.live.close()
        self.live.limiter.close()
        # Calls of children that were ended may still be in flight, and nobody waits for them.
        sweep.release_owner(self.live.database, self.live.owner, runtime.making())
        self.live.database.close()

    def abandon(self) -> int:
        """Release all units of this ending process; return the number of uncertain calls."""
        self.live.stopping.set()
        self._stopped.set()
        return sweep.release_owner(self.live.database, self.live.owner, runtime.making())

    def _prepare_limits(self, queues: Sequence[str]) -> None:
        """Wait for limits that Redis has lost to recover, before this process starts work."""
        names = set(filter(None, map(lanes.provider_of, queues))) - self._prepared
        try:
            factory.prepare(self._broker_url, sorted(names), prefix=self._prefix)
            self._prepared |= names
        except LimitsUnavailable as error:  # calls wait for their permits
            log.warning("limits out of reach", error=str(error))

    def _run(self, target: Callable[[threading.Event], None], name: str) -> None:
        thread = threading.Thread(target=target, args=(self._stopped,), name=name, daemon=True)
        thread.start()
        self._threads.append(thread)


def _with_paused_runs(connection: Connection) -> list[ActiveRun]:
    return [*runs.given_to_workers(connection), *runs.paused_with_workers(connection)]
