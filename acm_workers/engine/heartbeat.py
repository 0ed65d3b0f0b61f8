"""The thread that tells others this process is alive, and learns what they want."""

import math
import threading
import time
from datetime import UTC, datetime

import structlog
from sqlalchemy import Connection

from acm_workers import runtime
from acm_workers.engine.lease_health import LeaseHealth
from acm_workers.engine.worker_runtime import WorkerRuntime
from acm_workers.errors import StoreFailed
from acm_workers.store import claims, runs, units, workers
from acm_workers.store.workers import Worker

log = structlog.get_logger()

_LOOK_EVERY_S = 0.5
_BEAT_EVERY_S = 5.0


class Heartbeat:
    """Renews leases and the process's row; looks for cancels and for limits that changed."""

    def __init__(self, live: WorkerRuntime, row: Worker, renewals: LeaseHealth) -> None:
        self._live = live
        self._row = row
        self._renewals = renewals

    def run(self, stopped: threading.Event) -> None:
        """Go on until ``stopped``; calls in flight need their leases until the very end."""
        beat_at = -math.inf
        while not stopped.wait(_LOOK_EVERY_S):
            try:
                self.look()
                if time.monotonic() - beat_at >= _BEAT_EVERY_S:
                    self.beat()
                    beat_at = time.monotonic()
            except StoreFailed as error:
                log.warning("the store is away", error=str(error))
            except Exception:
                log.exception("heartbeat failed")

    def look(self) -> None:
        """Learn which runs there are, which were cancelled, and what time it is at the store."""
        with self._live.database.read() as connection:
            going = runs.given_to_workers(connection)
            asked_at = datetime.now(UTC)
            told = workers.server_time(connection)
            answered_at = datetime.now(UTC)
        runtime.set_clock(told - answered_at, told - asked_at)
        self._live.see(going)

    def beat(self) -> None:
        """Tell that this process is alive, and has in hand what it has in hand."""
        with self._live.database.write() as connection:
            self._tell(connection, runtime.utc_now())
        self._renewals.went_through(time.monotonic())

    def _tell(self, connection: Connection, now: datetime) -> None:
        live, held = self._live, dict(self._live.held)
        known = workers.heartbeat(connection, live.owner, now, len(held), live.last_task_at)
        if not known:  # we begin, or were taken for dead
            workers.register(connection, self._row._replace(seen_at=now, in_flight=len(held)))
        claims.renew(connection, live.owner, held, now)
        units.mark_received(connection, held, now)
