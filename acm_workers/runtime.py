"""Builds all live objects of a process once: database, provider clients, limits."""

import os
import socket
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from ulid import ULID

from acm_workers.calls import recent_starts
from acm_workers.calls.budget import RunBudgets
from acm_workers.calls.context import CallContext, OpenBreakers, RefusedParameters, SharedAnswers
from acm_workers.errors import AcmError, Cancelled, ending
from acm_workers.gateway.server import Gateway
from acm_workers.limits.interface import Limiter
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.processes import orphans
from acm_workers.processes.folders import WorkFolders
from acm_workers.processes.slots import SlotLimits, Slots
from acm_workers.settings import Settings
from acm_workers.store import artifacts, documents, runs, schema, tenants
from acm_workers.store.connection.database import Database
from acm_workers.store.ids import new_id
from acm_workers.store.runs import ActiveRun
from schemas import lanes
from schemas.config.config import Config
from schemas.run import Run
from schemas.scope import LOCAL, Scope
from schemas.units import UnitKind

_MOST_CHILDREN = 1024
"""Default limit of children; higher than the number of threads, which then limit them."""

_CLOCKS_MAY_DIFFER = timedelta(seconds=1)


class Runtime:
    """The live objects of one process.

    Attributes:
        owner: Name of this process in claims and calls.
        stopping: Set when the process is about to end, so that no further work begins.
        failure: The error because of which the process stops, if any.
        held: The units that threads are working on.
        gateway: Server through which child processes reach models, started with the first child
            process.
        work_folders: Working folders of child processes.
        child_slots: Limits of a run on the number and start rate of child processes.
        all_child_slots: Limits of this process on the number of child processes of all runs.
        last_task_at: Time when the last task began.
    """

    def __init__(self, database: Database, limiter: Limiter, owner: str | None = None) -> None:
        self.database = database
        self.limiter = limiter
        self.owner = owner or new_owner()
        self.stopping = threading.Event()
        self.failure: AcmError | None = None
        self.held: dict[str, UnitKind] = {}
        self.last_task_at: datetime | None = None
        self._holding = threading.Lock()
        self.budgets = RunBudgets(database)
        self.call_context = CallContext(
            database=database,
            limiter=limiter,
            owner=self.owner,
            now=utc_now,
            check=self.check,
            is_cancelled=self.is_cancelled,
            put_back=self.put_back,
            budgets=self.budgets,
            refused=defaultdict(RefusedParameters),
            breakers=OpenBreakers(),
            shared=SharedAnswers(),
        )
        self.gateway = Gateway(self.call_context)
        self.work_folders = WorkFolders()
        self.all_child_slots = Slots(
            dict.fromkeys(lanes.CHILD_KINDS, SlotLimits(_MOST_CHILDREN, 0.0))
        )
        # What never changes while a run goes on is read once.
        self.run = lru_cache(maxsize=64)(self._run)
        self.child_slots = lru_cache(maxsize=64)(self._child_slots)
        self.source = lru_cache(maxsize=256)(self._source)
        self.text = lru_cache(maxsize=512)(self._text)
        self._cancelled: frozenset[str] = frozenset()
        self._paused: frozenset[str] = frozenset()

    def check(self, run_id: str) -> None:
        """Raise an error if no further work should begin for a run.

        Raises:
            Cancelled: The run was cancelled or paused, or this process is stopping.
        """
        if self.stopping.is_set():
            raise Cancelled("this process is stopping")
        if self.is_cancelled(run_id):
            raise Cancelled("the run was cancelled")
        if self.is_paused(run_id):
            raise Cancelled("the run is paused")

    def is_cancelled(self, run_id: str) -> bool:
        """Return whether a run was cancelled, as last read from the store."""
        return run_id in self._cancelled

    def is_paused(self, run_id: str) -> bool:
        """Return whether a run is paused, as last read from the store."""
        return run_id in self._paused

    def see(self, going: Sequence[ActiveRun]) -> None:
        """Update the cancelled and paused runs from the active runs."""
        self._cancelled = frozenset(run.id for run in going if run.cancel_requested)
        self._paused = frozenset(run.id for run in going if run.paused)

    def scope(self, run_id: str) -> Scope:
        """Return the tenant of a run."""
        return tenants.scope_of(self.database, run_id)

    def queues(self, run_id: str) -> list[str]:
        """Return the queues that units of a run can wait in, without the queues for polling."""
        scope = self.scope(run_id)
        return [lanes.queue(lane, scope) for lane in self.run(run_id).config.all_lanes]

    def remove_orphans(self) -> None:
        """End leftover child processes of dead processes, and remove their folders."""
        orphans.kill_left_behind()
        self.work_folders.remove_left_behind()

    def close(self) -> None:
        """Stop the gateway, after all child processes have ended."""
        self.gateway.close()
        self.work_folders.close()

    def give_up(self, failure: AcmError) -> None:
        """Stop this process, since results can no longer be saved."""
        self.failure = self.failure or failure
        self.stopping.set()

    def give_up_on(self, error: BaseException) -> None:
        """Stop this process after an unexpected error, by which a message or a step was lost."""
        self.give_up(ending(error))

    @contextmanager
    def holding(self, kind: UnitKind, unit_id: str) -> Iterator[bool]:
        """Reserve a unit for this thread; yield False if another thread of this process has it."""
        with self._holding:
            first = unit_id not in self.held
            if first:
                self.held[unit_id] = kind
        try:
            yield first
        finally:
            if first:
                del self.held[unit_id]

    def put_back(self, kind: UnitKind, unit_id: str) -> None:
        """Put back a unit whose message was received but whose work has not begun."""

    def _run(self, run_id: str) -> Run:
        with self.database.read() as connection:
            return runs.get(connection, run_id)

    def _child_slots(self, run_id: str) -> Slots:
        concurrency = self._run(run_id).config.concurrency
        return Slots(
            {
                name: SlotLimits(
                    limits.max_in_flight or _MOST_CHILDREN, limits.launch_delay_seconds
                )
                for name, limits in concurrency
            }
        )

    def _source(self, document_id: str) -> str:
        with self.database.autocommit() as connection:
            return documents.text(connection, document_id)

    def _text(self, artifact_id: str) -> str:
        with self.database.autocommit() as connection:
            text = artifacts.text(connection, artifact_id)
        if text is None:
            raise LookupError(f"artifact {artifact_id} has no text")
        return text


_ahead = [timedelta()]


def utc_now() -> datetime:
    """Return the time in UTC, from the store if several machines share it."""
    return datetime.now(UTC) + _ahead[0]


def set_clock(least: timedelta, most: timedelta) -> None:
    """Set the offset of the clock, which is between ``least`` and ``most``.

    The current offset is kept if it is within these bounds, since the offset of a slow clock is
    known only roughly. Small differences are ignored.
    """
    ahead = min(max(_ahead[0], least), most)
    _ahead[0] = ahead if abs(ahead) > _CLOCKS_MAY_DIFFER else timedelta()


def new_owner() -> str:
    """Return a globally unique name for this process."""
    return f"{socket.gethostname()}:{os.getpid()}:{ULID()}"


def making() -> RecordContext:
    """Return the clock and the ids for new records."""
    return RecordContext(utc_now(), new_id)


_current: list[Runtime] = []


def use(live: Runtime | None) -> None:
    """Set the runtime of this process's tasks; None removes it."""
    _current[:] = [] if live is None else [live]


def current() -> Runtime:
    """Return the runtime of this process's tasks."""
    if not _current:
        raise RuntimeError("no runtime: tasks run only in a worker or an embedded engine")
    return _current[0]


def open_store(settings: Settings) -> Database:
    """Open the store that the environment names, and ensure that its tables are up to date.

    Raises:
        RequestError: The tables have another version than this program.
        StoreFailed: The store cannot be reached.
    """
    schema.refuse_foreign(settings.store_url)
    database = Database(settings.store_url)
    schema.ensure(database)
    return database


def build(database: Database, config: Config, scope: Scope = LOCAL) -> Runtime:
    """Build the runtime of this process for a run of a tenant."""
    limiter = recent_starts.limiter(database, config.providers, utc_now(), scope)
    return Runtime(database, limiter)
