"""The thread that looks at the store and the broker, so that nobody waits for them."""

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import NamedTuple

import structlog

from acm_workers import broker
from acm_workers.errors import AcmError, BrokerFailed, StoreFailed
from acm_workers.monitoring import worker_registry
from acm_workers.monitoring.worker_registry import Supervisor
from acm_workers.settings import Settings
from acm_workers.store import runs, workers
from acm_workers.store.connection.database import Database
from acm_workers.store.workers import Worker
from acm_workers.supervising.needs import Needs
from acm_workers.supervising.plan import Plan
from acm_workers.supervising.report import Report

log = structlog.get_logger()

_EVERY_S = 2.0


class View(NamedTuple):
    """What one look showed.

    Attributes:
        at: When that was, in seconds of a clock that is never set.
        plan: What this machine is to do; as of the last look that showed it.
        rows: What processes told of themselves, by owner; None if the store is away.
        names: Of processes that are alive, by owner.
        backlog: Messages waiting by queue; None if the broker is away.
        faults: What is wrong with the store or the broker.
    """

    at: float
    plan: Plan | None
    rows: Mapping[str, Worker] | None
    names: Mapping[str, str]
    backlog: Mapping[str, int] | None
    faults: tuple[str, ...]


class Lookout:
    """Looks every few seconds, and buries the dead.

    Args:
        report: Returns how this supervisor is, for others to see.
    """

    def __init__(
        self, database: Database, settings: Settings, needs: Needs, report: Callable[[], Report]
    ) -> None:
        self._database = database
        self._settings = settings
        self._needs = needs
        self._report = report
        self._host = socket.gethostname()
        self._dead: SimpleQueue[str] = SimpleQueue()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="acm-lookout", daemon=True)
        self._plan: Plan | None = None
        self.view: View | None = None

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def bury(self, owner: str) -> None:
        """Have what a dead process left behind go on elsewhere, at the next look."""
        self._dead.put(owner)

    def stop(self, deadline_s: float = 10.0) -> None:
        """Bury who died last, say goodbye, and end."""
        self._ended.set()
        self._thread.join(deadline_s)

    def _watch(self) -> None:
        while not self._ended.is_set():
            self.view = self._look()
            self._ended.wait(_EVERY_S)
        with suppress(StoreFailed):  # then their leases expire, and the sweep finds what they had
            self._bury_all()
        with suppress(BrokerFailed):
            worker_registry.leave(self._settings, self._host, os.getpid())

    def _look(self) -> View:
        faults: list[str] = []
        rows, backlog, living = None, None, []
        try:
            self._bury_all()
            with self._database.read() as connection:
                self._plan = self._needs.plan(connection, runs.given_to_workers(connection))
                rows = {row.owner: row for row in workers.known(connection)}
                living = workers.alive(connection, workers.server_time(connection))
        except AcmError as error:
            faults.append(str(error))
        except Exception:  # of ours, but blind this process would be of no use at all
            log.exception("look failed")
            faults.append("the store cannot be read, see the log")
        try:
            backlog = broker.backlog(self._settings, self._queues())
            worker_registry.tell(self._settings, self._self())
        except AcmError as error:
            faults.append(str(error))
        names = {row.owner: row.name for row in living}
        return View(time.monotonic(), self._plan, rows, names, backlog, tuple(faults))

    def _queues(self) -> list[str]:
        groups = self._plan.groups if self._plan is not None else ()
        return [queue for group in groups for queue in group.queues]

    def _self(self) -> Supervisor:
        report, now = self._report(), datetime.now(UTC)
        return Supervisor(
            self._host, os.getpid(), report.name, now, not report.reasons, report.reasons,
            report.lacking,
        )  # fmt: skip

    def _bury_all(self) -> None:
        with suppress(Empty):
            while True:
                owner = self._dead.get_nowait()
                try:
                    self._bury(owner)
                except StoreFailed:
                    self._dead.put(owner)
                    raise

    def _bury(self, owner: str) -> None:
        from acm_workers.engine import sweep  # Celery with it, which is needed only here
        from acm_workers.pipeline.snapshot import RecordContext
        from acm_workers.store.ids import new_id

        uncertain = sweep.bury(self._database, owner, RecordContext(datetime.now(UTC), new_id))
        log.info("what it left goes on elsewhere", owner=owner, uncertain_calls=uncertain)
