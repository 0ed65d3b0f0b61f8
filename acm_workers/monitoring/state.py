"""The current state of all machines, for users and for monitoring."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection

from acm_workers import broker
from acm_workers.errors import AcmError
from acm_workers.limits import factory
from acm_workers.monitoring import worker_registry
from acm_workers.monitoring.worker_registry import RegisteredProcess, RegistryEntries
from acm_workers.settings import Settings
from acm_workers.store import runs, waits, workers
from acm_workers.store.connection.database import Database
from acm_workers.store.runs import ActiveRun
from acm_workers.store.waits import WaitingUnits
from acm_workers.store.workers import Worker
from schemas import lanes

_MOST_RUNS = 200
"""Maximum number of active runs in the state; the oldest are included."""


class SystemState(NamedTuple):
    """Processes, runs and queues of all machines at one time.

    Attributes:
        now: The store's time.
        processes: Living processes, and processes that died recently without removing themselves.
        registered: Processes that registered within the last hour.
        unreadable: Number of unreadable entries in Redis.
        runs: Ids of the runs that workers work on.
        waiting: Waits of units, by run.
        queues: Numbers of waiting messages by queue; None if the broker is unavailable or not
            configured.
        limits: State of the limits of each provider; see ``Limiter.state``.
        swept_at: Time of the last sweep; None if there was none.
        faults: Errors by server that could not be read.
    """

    now: datetime
    processes: tuple[Worker, ...]
    registered: tuple[RegisteredProcess, ...]
    unreadable: int
    runs: tuple[str, ...]
    waiting: Mapping[str, tuple[WaitingUnits, ...]]
    queues: Mapping[str, int] | None
    limits: Mapping[str, Mapping[str, Any]]
    swept_at: datetime | None
    faults: tuple[str, ...]

    def is_alive(self, process: Worker) -> bool:
        """Return whether a process has sent a heartbeat recently."""
        return self.now - process.seen_at <= workers.ALIVE

    @property
    def alive(self) -> list[Worker]:
        """Return the living processes."""
        return [process for process in self.processes if self.is_alive(process)]

    def servers(self, queue: str) -> int:
        """Return the number of living processes that serve a queue."""
        return sum(queue in process.queues for process in self.alive)


class SystemStateReader:
    """Reads the state of a store and its broker, with a cache of configs."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._needed: dict[ActiveRun, list[str]] = {}

    def look(self) -> SystemState:
        """Return the current state of all machines.

        Raises:
            StoreFailed: The store cannot be read; an unavailable broker is only listed in
                ``faults``.
        """
        with self._database.read() as connection:
            sqlite = self._database.is_sqlite
            now = datetime.now(UTC) if sqlite else workers.server_time(connection)
            going = runs.given_to_workers(connection)[:_MOST_RUNS]
            self._read_configs(connection, going)
            processes = tuple(workers.known(connection))
            waiting = {run.id: tuple(waits.of_run(connection, run.id)) for run in going}
            swept_at = workers.swept_at(connection)
        faults: list[str] = []
        queues, registry, limits = self._in_redis(processes, faults)
        return SystemState(
            now=now,
            processes=processes,
            registered=registry.processes,
            unreadable=registry.unreadable,
            runs=tuple(run.id for run in going),
            waiting={run_id: held for run_id, held in waiting.items() if held},
            queues=queues,
            limits=limits,
            swept_at=swept_at,
            faults=tuple(faults),
        )

    def _in_redis(
        self, processes: tuple[Worker, ...], faults: list[str]
    ) -> tuple[dict[str, int] | None, RegistryEntries, dict[str, dict[str, Any]]]:
        settings = self._settings
        if settings.broker_url is None:
            return None, RegistryEntries((), 0), {}
        try:
            queues = broker.backlog(settings, self._queues(processes))
            registry = worker_registry.every(settings)
            if registry.unreadable:
                faults.append(
                    f"{registry.unreadable} of the entries of worker processes in Redis cannot be"
                    " read; another version of ACM may use the same ACM_KEY_PREFIX"
                )
            prefix = settings.key_prefix.rstrip(":")
            return queues, registry, factory.states(settings.broker_url, prefix=prefix)
        except AcmError as error:
            faults.append(str(error))
            return None, RegistryEntries((), 0), {}

    def _queues(self, processes: tuple[Worker, ...]) -> list[str]:
        served = {queue for process in processes for queue in process.queues}
        needed = {queue for found in self._needed.values() for queue in found}
        return sorted({broker.CONTROL} | served | needed)

    def _read_configs(self, connection: Connection, going: list[ActiveRun]) -> None:
        known, self._needed = self._needed, {}
        for run in going:
            self._needed[run] = known.get(run) or _queues(connection, run.id)


def _queues(connection: Connection, run_id: str) -> list[str]:
    """Return the queues that units of a run can wait in, without the queues for polling."""
    scope = runs.tenant_of(connection, run_id)
    return [lanes.queue(lane, scope) for lane in runs.get(connection, run_id).config.all_lanes]
