"""The heartbeat: a thread that renews the leases of a process and reads its active runs."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import structlog
from sqlalchemy import Connection

from acm_workers import runtime
from acm_workers.engine.leader import LeaseHealth
from acm_workers.errors import StoreFailed
from acm_workers.runtime import Runtime
from acm_workers.store import circuit_breakers, claims, units, workers
from acm_workers.store.runs import ActiveRun
from acm_workers.store.workers import Worker

log = structlog.get_logger()

_LOOK_EVERY_S = 0.5
_BEAT_EVERY_S = 5.0

FindRuns = Callable[[Connection], Sequence[ActiveRun]]
"""Reads the runs that a process works on from the store."""


class Heartbeat:
    """Renews leases, and checks for cancels and changed limits.

    Args:
        find_runs: Function that returns the runs of this process.
        leases: Receives each successful renewal.
        row: The row of this process in the store.
    """

    def __init__(
        self,
        live: Runtime,
        find_runs: FindRuns,
        leases: LeaseHealth | None = None,
        row: Worker | None = None,
    ) -> None:
        self._live = live
        self._find_runs = find_runs
        self._leases = leases
        self._row = row

    def serve(self, queues: tuple[str, ...], threads: int) -> None:
        """Set the queues to record with the next heartbeat."""
        if self._row is not None:
            self._row = self._row._replace(queues=queues, threads=threads)

    def run(self, stopped: threading.Event) -> None:
        """Read runs and renew leases until ``stopped``; calls in flight need their leases."""
        beat_at = -math.inf
        while not stopped.wait(_LOOK_EVERY_S):
            try:
                self.look()
                if time.monotonic() - beat_at >= _BEAT_EVERY_S:
                    self.beat()
                    beat_at = time.monotonic()
            except StoreFailed as error:
                self._live.give_up(error)
            except Exception:
                log.exception("heartbeat failed")

    def look(self) -> None:
        """Read the active runs, their paused judges and writers, and the time of a shared store."""
        with self._live.database.read() as connection:
            going = self._find_runs(connection)
            paused = circuit_breakers.open_in(connection, [run.id for run in going])
            if self._row is not None:
                asked_at = datetime.now(UTC)
                told = workers.server_time(connection)
                answered_at = datetime.now(UTC)
                runtime.set_clock(told - answered_at, told - asked_at)
        self._live.see(going)
        self._live.call_context.breakers.replace(paused)

    def beat(self) -> None:
        """Renew the leases of this process and its row."""
        with self._live.database.write() as connection:
            held, now = dict(self._live.held), runtime.utc_now()
            if self._row is not None:
                self._renew_row(connection, self._row, len(held), now)
                units.mark_received(connection, held, now)
            claims.renew(connection, self._live.owner, held, now)
        if self._leases is not None:
            self._leases.renewed(time.monotonic())

    def _renew_row(
        self, connection: Connection, row: Worker, in_flight: int, now: datetime
    ) -> None:
        owner, last_task_at = row.owner, self._live.last_task_at
        if workers.heartbeat(connection, owner, now, in_flight, last_task_at):
            workers.serves(connection, owner, row.queues, row.threads)
        else:  # this process has just started, or was taken for dead
            workers.register(connection, row._replace(seen_at=now, in_flight=in_flight))
