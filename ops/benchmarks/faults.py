"""Faults of processes and servers, and the time until work continues."""

import random
import socket
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import redis
from sqlalchemy import func, select

from acm_workers import runtime
from acm_workers.errors import StoreFailed
from acm_workers.store import workers
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import CallRow
from ops.benchmarks.cluster import Machines
from tests.support.cluster import Worker
from tests.support.proxy import Proxy

_KILL_EVERY_S = 5.0
_AWAY_S = 5.0
_LOOK_EVERY_S = 0.2
_GIVEN_UP_AFTER_S = 180.0
_WAITING = select(CallRow.owner).where(CallRow.state == "started")


class Fault(NamedTuple):
    """A fault.

    Attributes:
        recovered_s: Time until the answer to a call that started after the fault.
    """

    what: str
    at: datetime
    recovered_s: float


class KilledWorkers:
    """Workers that are killed from time to time and replaced.

    Args:
        kills: Maximum number of kills.
    """

    def __init__(
        self, machines: Machines, queues: list[tuple[str, ...]], threads: int, kills: int
    ) -> None:
        self.killed_at: list[datetime] = []
        self._kills = kills
        self._machines, self._threads = machines, threads
        self._lot = random.Random(0)  # noqa: S311  repeatable on purpose
        self._members = {number: (what, self._start(what)) for number, what in enumerate(queues)}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="crew")

    def begin(self) -> None:
        """Start to kill and replace workers."""
        self._thread.start()

    def stop(self) -> None:
        """Stop killing workers."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self) -> None:
        kill_at = time.monotonic() + _KILL_EVERY_S
        while not self._stopped.wait(_LOOK_EVERY_S):
            for number, (queues, worker) in self._members.items():
                if worker.process.poll() is not None:
                    self._members[number] = queues, self._start(queues)
            due = len(self.killed_at) < self._kills and time.monotonic() >= kill_at
            if due and (victims := self._victims()):
                kill_at = time.monotonic() + _KILL_EVERY_S
                self.killed_at.append(runtime.utc_now())
                self._lot.choice(victims).kill()

    def _victims(self) -> list[Worker]:
        """Return the workers to choose from: alternately those with calls in flight, and all.

        If only workers with calls in flight were killed, the last unit might never end, because
        every kill would hit its worker. No worker is killed before all have started.
        """
        host, members = socket.gethostname(), [worker for _, worker in self._members.values()]
        try:
            with self._machines.database.read() as connection:
                found = [
                    workers.of_process(connection, host, worker.process.pid) for worker in members
                ]
                waiting = set(connection.scalars(_WAITING))
        except StoreFailed:
            return []
        if None in found:
            return []
        if self.killed_at:
            return members
        joined = zip(members, found, strict=True)
        return [one for one, row in joined if row is not None and row.owner in waiting]

    def _start(self, queues: tuple[str, ...]) -> Worker:
        return self._machines.cluster.start(*queues, threads=self._threads)


def lose_redis(machines: Machines) -> None:
    """Kill Redis, which has no persistence, and restart it."""
    machines.redis.kill()
    time.sleep(1.0)
    machines.redis.start()


def flush_redis(machines: Machines) -> None:
    """Delete all data of Redis while processes are running."""
    with redis.Redis.from_url(machines.redis.url) as client:
        client.flushall()


def kill_postgres(machines: Machines) -> None:
    """Kill all processes of Postgres, and restart it."""
    machines.postgres.kill()
    machines.postgres.start()


def shut_provider(proxy: Proxy) -> None:
    """Break every connection to the provider, and refuse new ones for a while."""
    proxy.shut()
    time.sleep(_AWAY_S)
    proxy.open()


def suffer(what: str, happens: Callable[[], None], database: Database) -> Fault:
    """Inject a fault, and wait until work continues.

    Raises:
        RuntimeError: Work does not continue.
    """
    at = runtime.utc_now()
    happens()
    until = time.monotonic() + _GIVEN_UP_AFTER_S
    while (recovered_s := after(database, at)) is None:
        if time.monotonic() > until:
            raise RuntimeError(f"{what}: no work was done in {_GIVEN_UP_AFTER_S:g} s")
        time.sleep(_LOOK_EVERY_S)
    print(f"{what}: recovered after {recovered_s:.1f} s", file=sys.stderr)  # noqa: T201
    return Fault(what, at, recovered_s)


def after(database: Database, at: datetime) -> float | None:
    """Return the seconds from ``at`` until the answer to a call that started later."""
    query = select(func.min(CallRow.ended_at)).where(
        CallRow.state == "done", CallRow.cached.is_(False), CallRow.started_at > at
    )
    try:
        with database.read() as connection:
            ended_at = connection.scalar(query)
    except StoreFailed:
        return None
    return None if ended_at is None else (ended_at - at).total_seconds()
