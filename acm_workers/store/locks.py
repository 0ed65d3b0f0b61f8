"""Advisory locks on a Postgres server, for work that only one process of all machines may do."""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from acm_workers.store.connection.database import Database

log = structlog.get_logger()

_TRY_EVERY_S = 0.5
_EXECUTION = "the execution of runs"


@contextmanager
def run_lock(
    database: Database, run_id: str, waiting: Callable[[], None], *, executes: bool = False
) -> Iterator[None]:
    """Hold a run's lock on the server; the server releases it when this process dies.

    Args:
        waiting: Callback that is called once if another process holds the lock.
        executes: Whether this process executes the run: only one at a time executes runs of a
            store without a broker (decision 0110).
    """
    with database.autocommit() as connection:
        keys = [_key(run_id)]
        if executes:
            keys.append(_key(_of_deployment(connection, _EXECUTION)))
        waited = False
        held: list[dict[str, int]] = []
        try:
            for key in keys:
                while not connection.scalar(_TRY, key):
                    if not waited:
                        waiting()
                    waited = True
                    time.sleep(_TRY_EVERY_S)
                held.append(key)
            yield
        finally:
            for key in held:
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), key)


def is_run_locked(database: Database, run_id: str) -> bool:
    """Return whether a process holds a run's lock on the server."""
    with database.read() as connection:
        return _is_held(connection, _key(run_id))


def lock_transaction(connection: Connection, name: str) -> None:
    """Acquire a named lock for the rest of the transaction."""
    connection.execute(_WAIT, _key(_of_deployment(connection, name)))


class Leadership:
    """A lock that a single process holds until the process or its connection ends."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name
        self._known: dict[str, int] | None = None
        self._connection: Connection | None = None

    @property
    def held(self) -> bool:
        """Return whether this process believes that it holds the lock."""
        return self._connection is not None

    def is_taken(self) -> bool:
        """Return whether any process holds the lock.

        Raises:
            StoreFailed: The store is unavailable.
        """
        with self._database.autocommit() as connection:
            return _is_held(connection, self._key(connection))

    def is_ours(self) -> bool:
        """Try to become the leader if there is none; return whether this process is the leader."""
        try:
            return self._holds() if self.held else self._take()
        except SQLAlchemyError as error:
            log.warning("lead lost", name=self._name, error=str(error))
            self.leave()
            return False

    def leave(self) -> None:
        """Release the lock, so that another process becomes the leader."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()  # the lock ends with the connection
            connection.close()

    def _holds(self) -> bool:
        assert self._connection is not None  # noqa: S101  tells the type checker
        self._connection.execute(text("SELECT 1"))
        return True

    def _take(self) -> bool:
        connection = self._database.engine.connect()
        if not connection.scalar(_TRY, self._key(connection)):
            connection.close()
            return False
        self._connection = connection
        # Else the lock of a machine that lost its power would be held for hours.
        for setting, value in (("idle", 10), ("interval", 5), ("count", 3)):
            connection.execute(text(f"SET tcp_keepalives_{setting} = {value}"))
        return True

    def _key(self, connection: Connection) -> dict[str, int]:
        """Return the numeric key of the lock, cached because it is used every second."""
        if self._known is None:
            self._known = _key(_of_deployment(connection, self._name))
        return self._known


def _of_deployment(connection: Connection, name: str) -> str:
    # Deployments that share a server each have a schema of their own.
    return f"{name} of {connection.scalar(text('SELECT current_schema()'))}"


def _is_held(connection: Connection, key: dict[str, int]) -> bool:
    high, low = divmod(key["key"] % 2**64, 2**32)
    return bool(connection.scalar(_HELD, {"high": high, "low": low}))


def _key(name: str) -> dict[str, int]:
    return {"key": int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)}


_TRY = text("SELECT pg_try_advisory_lock(:key)")
_WAIT = text("SELECT pg_advisory_xact_lock(:key)")
_HELD = text(
    "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database"
    " WHERE datname = current_database() AND locktype = 'advisory' AND objsubid = 1"
    " AND classid::bigint = :high AND objid::bigint = :low AND granted)"
)
