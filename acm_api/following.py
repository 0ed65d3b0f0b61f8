"""Working on a run in this process, or letting workers do it, and watching it until it ends."""

import time
from collections.abc import Callable

from acm_api.files import export, locks
from acm_workers import logs, runtime
from acm_workers.engine import run_ownership
from acm_workers.errors import StoreFailed
from acm_workers.settings import Settings
from acm_workers.store import results
from acm_workers.store.connection.database import Database
from acm_workers.store.results import Progress
from schemas.run import Run

_LOOK_EVERY_S = 0.25
_COST = 20
_LONGEST_PAUSE_S = 30.0
_MISSING_EVERY_S = 2.0
_STORE_BACK_WITHIN_S = 600.0

Watcher = Callable[[Progress], None]


def work(
    database: Database, run: Run, settings: Settings, watch: Watcher, stopping: Callable[[], None]
) -> None:
    """Work on a run until it ends; an interrupt lets calls in flight end, then stops.

    Args:
        watch: Called with the progress a few times a second.
        stopping: Called when an interrupt has come and calls in flight are waited for.

    Raises:
        KeyboardInterrupt: The user wants to stop; what was answered is saved.
        StoreFailed: Results cannot be saved any more.
    """
    from acm_workers.engine import embedded  # slow to import, and most commands only look

    logs.to_file(settings.home / "acm.log", settings.log_level)
    live = runtime.build(database, run.config)
    one_processor = settings.one_processor
    engine = embedded.Engine(live, run.id, run.config.providers, one_processor=one_processor)
    engine.start()
    try:
        follow(database, run.id, watch, live.stopping.is_set)
    except KeyboardInterrupt:
        stopping()
        raise
    finally:
        engine.stop()
    if live.failure is not None:
        raise live.failure


def follow_workers(
    database: Database, run: Run, watch: Watcher, say: Callable[[str], None]
) -> None:
    """Watch workers on other machines until a run ends, whatever happens to the store meanwhile.

    Args:
        say: Called with a line for people when something is missing for the run to go on.

    Raises:
        StoreFailed: The store does not come back.
    """
    missing = _Missing(database, run, say)
    away_since: float | None = None
    while True:
        try:
            follow(database, run.id, watch, missing.look)
        except StoreFailed as error:
            now = time.monotonic()
            if away_since is None:
                say(f"{error}; the run goes on when it is back")
            away_since = away_since or now
            if now - away_since > _STORE_BACK_WITHIN_S:
                raise
            time.sleep(_MISSING_EVERY_S)
        else:
            return


class _Missing:
    """Looks now and then whether a run has the workers that it needs, and says it once."""

    def __init__(self, database: Database, run: Run, say: Callable[[str], None]) -> None:
        self._database = database
        self._run = run
        self._say = say
        self._said: list[str] = []
        self._next = time.monotonic() + _MISSING_EVERY_S

    def look(self) -> bool:
        """Look, if it is time to; return that the watch goes on."""
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + _MISSING_EVERY_S
        idle = run_ownership.idle_queues(self._database, self._run, runtime.utc_now())
        if idle and idle != self._said:
            self._say(f"{run_ownership.nobody_serves(idle)}; waiting")
        self._said = idle
        return False


def follow(
    database: Database, run_id: str, watch: Watcher, stopped: Callable[[], bool] = bool
) -> None:
    """Watch a run until it ends, or until ``stopped``."""
    while not stopped():
        began = time.monotonic()
        with database.read() as connection:
            progress = results.progress(connection, run_id)
        took_s = time.monotonic() - began
        watch(progress)
        if progress.state != "running":
            return
        time.sleep(pause_s(took_s))


def pause_s(took_s: float) -> float:
    """Return how long to look away after a look that took so long.

    Counting a huge run takes a while, and looking must not cost more than the work. What takes very
    long has waited for its store.
    """
    return min(max(_LOOK_EVERY_S, _COST * took_s), _LONGEST_PAUSE_S)


def await_files(database: Database, run_id: str) -> None:
    """Wait until who worked on a run has written its files, or does so no more.

    On a SQLite store the next process may have the lock by then, for another run.
    """
    while locks.is_held(database, run_id) and not export.is_complete(database, run_id):
        time.sleep(_LOOK_EVERY_S)
