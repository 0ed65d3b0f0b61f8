"""Execution of the runs that were requested over HTTP."""

import threading
import time

import structlog

from acm_api.executor import Execution
from acm_api.files import locks
from acm_workers import runtime
from acm_workers.engine import run_ownership
from acm_workers.errors import AcmError, BrokerFailed, StoreFailed
from acm_workers.settings import Settings
from acm_workers.store import events, runs
from acm_workers.store.connection.database import Database
from schemas.run import Run

log = structlog.get_logger()

_LOOK_S = 1.0
_PAUSE_AFTER_FAILURE_S = 5.0
_MOST_FAILURES = 3


class Dispatcher:
    """Executes requested runs one after another, or submits them to workers.

    The requested runs are in the store, so a restarted server continues them, and a lock in the
    store ensures that several servers execute no run twice.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._failures: dict[str, int] = {}
        self._thread = threading.Thread(target=self._work, name="acm-dispatcher", daemon=True)

    def start(self) -> None:
        """Start the thread; runs that were requested earlier are executed first."""
        self._thread.start()

    def wake(self) -> None:
        """Check for requested runs now."""
        self._wake.set()

    def stop(self) -> None:
        """Stop the active run after its calls in flight are saved, and start no other run."""
        self._stopping.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                worked = self._next()
            except (StoreFailed, BrokerFailed) as error:
                log.warning("runs cannot be started", why=str(error))
                worked = False
            if not worked:
                self._wake.wait(_LOOK_S)
                self._wake.clear()

    def _next(self) -> bool:
        """Execute a requested run, or submit it to workers; return whether there was one."""
        with self._database.read() as connection:
            waiting = runs.requested(connection)
        if self._settings.broker_url is not None:
            for run in waiting:
                run_ownership.hand_over(self._database, run, self._settings, runtime.making())
            return False
        free = [run for run in waiting if not locks.is_held(self._database, run.id)]
        if not free:
            return False
        self._execute(free[0])
        return True

    def _execute(self, run: Run) -> None:
        child = Execution(self._settings, run.id)
        while not child.ended:
            if self._stopping.is_set():
                child.stop()
                return
            self._wake.wait(0.2)  # a new request waits for its turn
            self._wake.clear()
        try:
            child.finish()
        except AcmError as error:
            self._failed(run, error)
        else:
            self._failures.pop(run.id, None)

    def _failed(self, run: Run, error: AcmError) -> None:
        """Schedule a retry of a run whose process failed, unless it failed too often."""
        log.error("a run could not be executed", run=run.id, kind=error.kind, why=str(error))
        self._failures[run.id] = self._failures.get(run.id, 0) + 1
        if self._failures[run.id] < _MOST_FAILURES:
            until = time.monotonic() + _PAUSE_AFTER_FAILURE_S
            while time.monotonic() < until and not self._stopping.is_set():
                self._wake.wait(0.2)
                self._wake.clear()
            return
        del self._failures[run.id]
        with self._database.write() as connection:
            runs.withdraw(connection, run.id)
            data = {"kind": error.kind, "message": str(error)}
            events.add(connection, run.id, "execution_failed", runtime.utc_now(), data=data)
