"""The connection to SQLite or Postgres, and the three ways to use it: read, look and write."""

import select
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import structlog
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DataError,
    DisconnectionError,
    IntegrityError,
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from acm_workers.errors import RequestError, StoreFailed
from acm_workers.store.connection import driver_errors
from acm_workers.store.connection.kept import Kept

Result = TypeVar("Result")

log = structlog.get_logger()

_BUSY_TIMEOUT_S = 60.0
_TRY_EVERY_S = 0.01
_ONE_STATE = "BEGIN ISOLATION LEVEL REPEATABLE READ"
_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
# Faults of one statement: the store takes others.
_OURS = (DataError, IntegrityError, NotSupportedError, ProgrammingError)


class Database:
    """Opens transactions on one store.

    Writers of this process queue on a lock where the store is SQLite: it lets one write at a
    time, and its own way of waiting is to sleep and try again.

    Attributes:
        pauses_s: How long to wait between attempts to save what must not be lost.
    """

    def __init__(self, url: str) -> None:
        """Prepare for the store at ``url``; nothing connects yet.

        Raises:
            RequestError: It is not the URL of a SQLite or Postgres database.
            StoreFailed: The folder of a SQLite file cannot be made.
        """
        self.pauses_s: Sequence[float] = (0.2, 1.0, 3.0)
        self.url = _parsed(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writers = threading.Lock() if self.is_sqlite else nullcontext()
        self._run = _runner(is_sqlite=self.is_sqlite)
        self._engine = _sqlite(self.url) if self.is_sqlite else _server(self.url)
        self._kept = Kept(self._engine, _has_ended)
        self._failed = driver_errors.of_driver(self._engine.dialect)

    @property
    def engine(self) -> Engine:
        """Return the engine, for migrations."""
        return self._engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the store and writes nothing."""
        with self._translated(), self._engine.connect() as connection:
            # One state for all statements; SQLite knows nothing else.
            self._begin(connection, "BEGIN" if self.is_sqlite else _ONE_STATE)
            yield connection

    @contextmanager
    def look(self) -> Iterator[Connection]:
        """Open a connection for a single query; a server is asked once where ``read`` asks thrice.

        A second query might see another state of the store.
        """
        single = self._engine.connect if self.is_sqlite else self._kept.one
        with self._translated(), single() as connection:
            yield connection

    def ask(self, query: Callable[[Connection], Result]) -> Result:
        """Return what a single query finds; it is asked again if its connection was dead.

        Faster than ``look`` on a server, for what every call of a model asks.

        Raises:
            StoreFailed: The store is away.
        """
        if not self.is_sqlite:
            try:
                with self._translated(), self._kept.one(trusting=True) as connection:
                    return query(connection)
            except StoreFailed:
                pass
        with self.look() as connection:
            return query(connection)

    @contextmanager
    def write(self, *, alone: bool = False) -> Iterator[Connection]:
        """Open a transaction that is committed at the end, or rolled back by an error.

        Args:
            alone: What follows is one statement, at least on a server: to that, a statement is a
                transaction by itself.

        Raises:
            StoreFailed: The store does not take it.
        """
        if alone and not self.is_sqlite:
            with self.look() as connection:
                yield connection
            return
        with self._translated(), self._writers, self._engine.begin() as connection:
            # SQLite takes the lock at once, and no write fails half-way because another was faster.
            self._begin(connection, "BEGIN IMMEDIATE" if self.is_sqlite else "BEGIN")
            yield connection

    def insist(self, write: Callable[[Connection], Result], *, alone: bool = False) -> Result:
        """Do ``write`` in a transaction, and again while the store fails, for a while.

        It is done twice if the answer to the first commit got lost, and must not mind.

        Args:
            alone: See ``write``.

        Raises:
            StoreFailed: It does not take it, nor later.
        """
        for pause_s in self.pauses_s:
            try:
                with self.write(alone=alone) as connection:
                    return write(connection)
            except StoreFailed as error:
                log.warning("the store is away", error=str(error))
                time.sleep(pause_s)
        with self.write(alone=alone) as connection:
            return write(connection)

    def close(self) -> None:
        """Close every connection."""
        self._kept.close()
        self._engine.dispose()

    def _begin(self, connection: Connection, statement: str) -> None:
        """Begin a transaction: neither the driver nor SQLAlchemy does.

        A listener for that would have SQLAlchemy look for others at each statement.
        """
        try:
            self._run(connection.connection.dbapi_connection, statement)
        except self._failed as error:
            raise driver_errors.met(connection, statement, error) from error

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except _OURS as error:
            if not driver_errors.is_of_url(error):
                raise
            raise driver_errors.of(self.url, error) from error
        except (DatabaseError, InterfaceError) as error:
            raise driver_errors.of(self.url, error) from error
        except self._failed as error:  # of the driver, not met on SQLAlchemy's ways
            raise StoreFailed(
                f"the store {driver_errors.name(self.url)} failed: {error}"
            ) from error
        except NoConnectionFree as error:
            raise StoreFailed(
                f"the store {driver_errors.name(self.url)} has no connection free"
            ) from error


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
        return parsed.set(drivername=_DRIVERS[parsed.get_backend_name()])
    except (ArgumentError, ValueError) as error:
        message = "ACM_DATABASE_URL cannot be read: it is like postgresql://USER:PASSWORD@HOST/NAME"
        raise RequestError(message) from error
    except KeyError as error:
        raise RequestError(f"ACM_DATABASE_URL must be SQLite or Postgres, not {error}") from error


def _runner(*, is_sqlite: bool) -> Callable[[Any, str], object]:
    """Return what runs a command on a driver's connection."""
    if is_sqlite:
        return sqlite3.Connection.execute
    from acm_workers.store.connection import (
        libpq,  # psycopg is slow to import, and SQLite needs none
    )

    return libpq.run


def _server(url: URL) -> Engine:
    engine = create_engine(
        url,
        hide_parameters=True,  # texts do not belong into messages and logs
        isolation_level="AUTOCOMMIT",  # transactions are begun by ``Database``
        # Threads hold a connection for milliseconds; a server has a hundred for all processes.
        # Opening one takes longer than waiting for one, so there are none for a moment only.
        pool_size=12,
        max_overflow=0,
        pool_use_lifo=True,
        # Psycopg's own way to prepare statements forgets those of others at each rollback.
        connect_args={"prepare_threshold": None},
    )
    event.listen(engine, "checkout", _look_for_its_end)
    return engine


def _look_for_its_end(connection: Any, record: Any, _proxy: Any) -> None:
    """Refuse a connection that its server has ended; the pool then opens another one.

    A server that ends one says so: there is something to read where nothing was asked. To see
    that takes microseconds, where a ping takes as long as a query.
    """
    if "used" in record.info and _has_ended(connection):
        raise DisconnectionError("the server has ended this connection")
    record.info["used"] = True


def _has_ended(connection: Any) -> bool:
    if connection.closed:
        return True
    poll = select.poll()  # select itself knows no numbers above 1023
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _sqlite(url: URL) -> Engine:
    if url.database and url.database != ":memory:":
        folder = Path(url.database).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreFailed(f"the store's folder {folder} cannot be made: {error}") from error
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_size=256,
        max_overflow=0,
        # The connection used last has its statements prepared and its pages at hand.
        pool_use_lifo=True,
        connect_args={"timeout": _BUSY_TIMEOUT_S, "check_same_thread": False},
    )
    event.listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun by ``Database``
    _use_wal(connection)
    # Commits survive the death of the process; only a power cut may lose the last of them.
    connection.execute("PRAGMA synchronous=NORMAL")
    # Each checkpoint waits for the disk while it holds the lock; every 1,000 pages, as is usual,
    # made all threads wait a dozen times in 500 calls. The log grows to 64 MB instead of 4.
    connection.execute("PRAGMA wal_autocheckpoint=16000")
    connection.execute("PRAGMA foreign_keys=ON")


def _use_wal(connection: Any) -> None:
    """Switch to a write-ahead log, which lasts; where that is done already, nobody is waited for.

    SQLite does not wait by itself for who is switching the same new store, or writes to it.
    """
    until = time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            # Above the lowest byte stands which kind of busy it is.
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > until:
                raise
        else:
            return
        time.sleep(_TRY_EVERY_S)
