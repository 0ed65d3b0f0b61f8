"""Executes a run in this process, or follows one that other processes execute, until it ends."""

import time
from collections.abc import Callable

from acm_api.files import export, locks
from acm_workers import logs, runtime
from acm_workers.engine import run_ownership
from acm_workers.errors import StoreFailed
from acm_workers.settings import Settings
from acm_workers.store import results, tenants
from acm_workers.store.connection.database import Database
from acm_workers.store.results import Progress
from schemas.run import Run

_POLL_INTERVAL_S = 0.25
_LONGEST_POLL_INTERVAL_S = 30.0
_POLL_COST_RATIO = 20
"""The pause between two polls is at least this many times as long as a poll."""

_WORKER_CHECK_INTERVAL_S = 2.0
_ABANDONED_CHECK_AFTER_S = 0.5
_STORE_OUTAGE_LIMIT_S = 600.0

ProgressCallback = Callable[[Progress], None]


def execute(
    database: Database,
    run: Run,
    settings: Settings,
    on_progress: ProgressCallback,
    on_interrupt: Callable[[], None],
) -> None:
    """Execute a run in this process until it ends.

    Args:
        on_progress: Callback that receives the progress a few times a second.
        on_interrupt: Callback for an interrupt, called before waiting for calls in flight. If
            another one arrives then, or later, nothing is awaited.

    Raises:
        KeyboardInterrupt: The user stopped it; all answers are saved.
        StoreFailed: Results can no longer be saved.
        OutOfResources: The system gives this process no more open files, threads or memory.
        InternalFault: An unexpected error occurred; the log has the details.
    """
    from acm_workers.engine import embedded  # slow to import, and most commands only look

    logs.to_file(logs.file(settings), settings.log_level)
    live = runtime.build(database, run.config, tenants.scope_of(database, run.id))
    engine = embedded.Engine(live, run.id, run.config.providers)
    waits = True
    try:
        engine.start()
        follow(database, run.id, on_progress, live.stopping.is_set)
    except KeyboardInterrupt:
        live.stopping.set()
        waits = False
        on_interrupt()
        waits = True
        raise
    except (OSError, RuntimeError, MemoryError) as error:
        live.give_up_on(error)
    finally:
        if waits:
            engine.stop()
    if live.failure is not None:
        raise live.failure


def follow(
    database: Database,
    run_id: str,
    on_progress: ProgressCallback,
    stopped: Callable[[], bool] = bool,
) -> None:
    """Follow a run until it ends, or until ``stopped`` returns True."""
    while not stopped():
        began = time.monotonic()
        with database.read() as connection:
            progress = results.progress(connection, run_id)
        took_s = time.monotonic() - began
        on_progress(progress)
        if progress.state != "running":
            return
        time.sleep(poll_interval_s(took_s))


def poll_interval_s(took_s: float) -> float:
    """Return the pause after a poll that took ``took_s``.

    Counting a huge run takes time, and polls must not cost more than the work itself. The pause is
    bounded, because a very long poll has waited for the store.
    """
    return min(max(_POLL_INTERVAL_S, _POLL_COST_RATIO * took_s), _LONGEST_POLL_INTERVAL_S)


def follow_workers(
    database: Database, run: Run, on_progress: ProgressCallback, say: Callable[[str], None]
) -> None:
    """Follow a run that workers execute until it ends; wait during outages of the store.

    Args:
        say: Callback for messages about waits for the store or for workers.

    Raises:
        StoreFailed: The store is unavailable for too long.
    """
    check = _WorkerCheck(database, run, say)
    outage_since: float | None = None
    while True:
        try:
            follow(database, run.id, on_progress, check)
        except StoreFailed as error:
            now = time.monotonic()
            if outage_since is None:
                say(f"{error}; the run continues when it is available again")
            outage_since = outage_since or now
            if now - outage_since > _STORE_OUTAGE_LIMIT_S:
                raise
            time.sleep(_WORKER_CHECK_INTERVAL_S)
        else:
            return


class AbandonedCheck:
    """Stops following a run whose process has died; this is known only with a SQLite store.

    Attributes:
        abandoned: Whether no process works on the store any more.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        # A run that has ended is read, and shown, before it is looked for who works on it.
        self._due_at = time.monotonic() + _ABANDONED_CHECK_AFTER_S
        self.abandoned = False

    def __call__(self) -> bool:
        """Return whether the run was abandoned at the last check."""
        if time.monotonic() >= self._due_at:
            self._due_at = time.monotonic() + _WORKER_CHECK_INTERVAL_S
            self.abandoned = locks.is_idle(self._database)
        return self.abandoned


class _WorkerCheck:
    """Reports queues of a run that no worker serves, once for each change."""

    def __init__(self, database: Database, run: Run, say: Callable[[str], None]) -> None:
        self._database = database
        self._run = run
        self._say = say
        self._reported: list[str] = []
        self._due_at = time.monotonic() + _WORKER_CHECK_INTERVAL_S

    def __call__(self) -> bool:
        """Check the queues periodically; return False, because following continues."""
        if time.monotonic() < self._due_at:
            return False
        self._due_at = time.monotonic() + _WORKER_CHECK_INTERVAL_S
        idle = run_ownership.idle_queues(self._database, self._run, runtime.utc_now())
        if idle and idle != self._reported:
            self._say(f"{run_ownership.nobody_serves(idle)}; waiting")
        self._reported = idle
        return False


def await_files(database: Database, run_id: str) -> None:
    """Wait until the process that executed a run has written its files, or has ended.

    On a SQLite store another process may hold the lock by then, for another run.
    """
    while locks.is_held(database, run_id) and not export.is_complete(database, run_id):
        time.sleep(_POLL_INTERVAL_S)
