"""One process at a time works on a run and writes its files; others can see whether one does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from acm_workers.store import locks
from acm_workers.store.connection.database import Database


@contextmanager
def alone(database: Database, run_id: str, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock that one process at a time may have: on a SQLite store, or a server's run.

    Args:
        waiting: Called once if somebody else holds it.
    """
    if not database.is_sqlite:
        with locks.alone_on_server(database, run_id, waiting):
            yield
        return
    lock = _lock(database)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        waiting()
        lock.acquire(poll_interval=0.5)
    try:
        yield
    finally:
        lock.release()


def is_idle(database: Database) -> bool:
    """Return whether surely nobody works on a store now; of a server that is not known."""
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
    """Return whether a process has the lock: for a run, or on a SQLite store for any run."""
    if database.is_sqlite:
        return not is_idle(database)
    return locks.is_held_on_server(database, run_id)


def _lock(database: Database) -> FileLock:
    return FileLock(f"{database.url.database}.lock")
