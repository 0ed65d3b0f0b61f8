"""The lock that lets only one process at a time execute runs, and write the files of a run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from acm_workers.store import locks
from acm_workers.store.connection.database import Database


@contextmanager
def run_lock(
    database: Database, run_id: str, on_wait: Callable[[], None], *, executes: bool = False
) -> Iterator[None]:
    """Hold the lock of a run; in a SQLite store, one lock is shared by all runs.

    Args:
        on_wait: Callback that is called once if another process holds the lock.
        executes: Whether this process executes the run, which only one process of a store may do at
            a time.
    """
    if not database.is_sqlite:
        with locks.run_lock(database, run_id, on_wait, executes=executes):
            yield
        return
    lock = _lock(database)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        on_wait()
        lock.acquire(poll_interval=0.5)
    try:
        yield
    finally:
        lock.release()


def is_idle(database: Database) -> bool:
    """Return whether no process executes runs of a SQLite store; False for a server."""
    if not database.is_sqlite:
        return False
    lock = _lock(database)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    lock.release()
    return True


def is_held(database: Database, run_id: str) -> bool:
    """Return whether a process holds the lock of a run."""
    if database.is_sqlite:
        return not is_idle(database)
    return locks.is_run_locked(database, run_id)


def _lock(database: Database) -> FileLock:
    return FileLock(f"{database.url.database}.lock")
