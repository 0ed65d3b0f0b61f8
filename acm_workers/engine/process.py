"""One worker process: its runtime, its row in the store, and its threads beside those of tasks."""

import importlib.metadata
import os
import socket
import threading
import time
from collections.abc import Callable

import structlog

from acm_workers import app, runtime
from acm_workers.engine import gc_tuning
from acm_workers.engine.coordinator import Coordinator
from acm_workers.engine.heartbeat import Heartbeat
from acm_workers.engine.leader_election import LeaderElection
from acm_workers.engine.lease_health import LeaseHealth
from acm_workers.engine.worker_runtime import WorkerRuntime
from acm_workers.errors import LimitsUnavailable
from acm_workers.limits import factory
from acm_workers.processor import Processor
from acm_workers.settings import Settings
from acm_workers.store import workers
from acm_workers.store.workers import Worker

log = structlog.get_logger()


class Process:
    """This process as a worker.

    Raises:
        RequestError: The store's tables are not those of this version.
        StoreFailed: The store cannot be reached.
    """

    def __init__(
        self, settings: Settings, name: str, queues: tuple[str, ...], threads: int
    ) -> None:
        database = runtime.open_store(settings)
        owner = runtime.new_owner()
        self._broker_url = settings.broker_url or ""
        self._prefix = settings.key_prefix.rstrip(":")
        limiter = factory.limiter({}, self._broker_url, prefix=self._prefix, owner=owner)
        self._live = WorkerRuntime(database, limiter, owner)
        now = runtime.utc_now()
        self._row = Worker(
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
        renewals = LeaseHealth(time.monotonic())
        controls = app.CONTROL in queues
        lead = LeaderElection(database, renewals, serves_control=controls, clock=time.monotonic)
        self._leading = Coordinator(self._live, settings, lead, renewals)
        self._heartbeat = Heartbeat(self._live, self._row, renewals)
        self._heartbeat.beat()
        self._processor = Processor(threads, wanted=settings.one_processor)
        self._processor.take()  # Celery begins its threads later, from this one
        self._stopped = threading.Event()
        self._threads: list[threading.Thread] = []
        runtime.use(self._live)

    def start(self) -> None:
        """Begin to tell that this process is alive, and to sweep while it leads."""
        self._run(self._heartbeat.run, "acm-heartbeat")
        self._run(self._leading.run, "acm-sweep")
        self._run(self._processor.run, "acm-processor")
        self._prepare_limits()
        gc_tuning.spare_the_collector()

    def begin_nothing_more(self) -> None:
        """Let what waits be given back; calls in flight end and are saved."""
        self._live.stopping.set()

    def stop(self) -> None:
        """End every thread, and be forgotten; nothing is in hand any more."""
        self._live.stopping.set()
        self._stopped.set()
        for thread in self._threads:
            thread.join()
        self._live.limiter.close()
        with self._live.database.write() as connection:
            workers.remove(connection, self._row.owner)
        self._live.database.close()

    def _prepare_limits(self) -> None:
        """Have limits that Redis knows nothing of recover while there is nothing to do yet."""
        names = {queue.partition(".")[2] for queue in self._row.queues} - {""}
        try:
            factory.prepare(self._broker_url, sorted(names), prefix=self._prefix)
        except LimitsUnavailable as error:  # threads that need a permit wait for it
            log.warning("limits out of reach", error=str(error))

    def _run(self, target: Callable[[threading.Event], None], name: str) -> None:
        thread = threading.Thread(target=target, args=(self._stopped,), name=name, daemon=True)
        thread.start()
        self._threads.append(thread)
