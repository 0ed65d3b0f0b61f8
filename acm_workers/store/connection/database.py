"""Transactions on a SQLite or Postgres store."""

import os
import select
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
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
from sqlalchemy.exc import TimeoutError as PoolTimeout

from acm_workers.errors import RequestError, StoreFailed
from acm_workers.store.connection import driver_errors

Result = TypeVar("Result")

log = structlog.get_logger()

_BUSY_TIMEOUT_S = 60.0
_BUSY_POLL_S = 0.01
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ"
_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
# These concern one statement: the store itself is well.
_STATEMENT_ERRORS = (DataError, IntegrityError, NotSupportedError, ProgrammingError)


class Database:
    """Opens transactions on one store.

    SQLite allows one writer at a time and makes other writers sleep and poll. The writers of this
    process therefore queue on a lock and share one connection.

    Attributes:
        retry_delays_s: Seconds between the attempts of ``write_with_retries``.
    """

    def __init__(self, url: str) -> None:
        """Create the engine without connecting.

        Raises:
            RequestError: The URL is not that of a SQLite or Postgres database.
            StoreFailed: The folder of a SQLite file cannot be created.
        """
        self.retry_delays_s: Sequence[float] = (0.2, 1.0, 3.0)
        self.url = _parsed(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._write_lock = threading.Lock()
        self._writer: Connection | None = None
        self._file = _file(self.url) if self.is_sqlite else None
        self._identity: tuple[int, int] | None = None
        self._engine = _sqlite(self.url) if self.is_sqlite else _postgres(self.url)

    @property
    def engine(self) -> Engine:
        """Return SQLAlchemy's engine, whose connections are in autocommit mode."""
        return self._engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a read-only transaction on one snapshot of the store."""
        with self._translated_errors(), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN" if self.is_sqlite else _SNAPSHOT)
            yield connection
            connection.commit()  # psycopg forgets its prepared statements at a rollback

    @contextmanager
    def autocommit(self) -> Iterator[Connection]:
        """Open a connection in autocommit mode, which needs one round trip for a single query."""
        with self._translated_errors(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self, *, single_statement: bool = False) -> Iterator[Connection]:
        """Open a transaction that is committed at the end, and rolled back on an error.

        Args:
            single_statement: Whether the caller executes one statement. On Postgres it then runs in
                autocommit mode, which saves two round trips.

        Raises:
            StoreFailed: The store cannot be reached or fails.
        """
        if single_statement and not self.is_sqlite:
            with self.autocommit() as connection:
                yield connection
            return
        with self._translated_errors(), self._transaction() as connection:
            # A SQLite transaction that begins as a reader fails when another one writes first.
            self._begin(connection, "BEGIN IMMEDIATE" if self.is_sqlite else "BEGIN")
            yield connection

    def _transaction(self) -> AbstractContextManager[Connection]:
        return self._turn() if self.is_sqlite else self._engine.begin()

    @contextmanager
    def _turn(self) -> Iterator[Connection]:
        """Wait for this process's write connection, and use it for one transaction."""
        with self._write_lock:
            if self._writer is None:
                self._writer = self._engine.connect()
            writer = self._writer
            try:
                with writer.begin():
                    yield writer
            except BaseException:
                self._writer = None
                writer.close()
                raise

    @contextmanager
    def erase(self) -> Iterator[Connection]:
        """Open a transaction like ``write``, and remove deleted values from SQLite's log after it.

        A Postgres server removes deleted values in its vacuum.
        """
        with self.write() as connection:
            yield connection
        if self.is_sqlite:
            with self.autocommit() as connection:  # the log still has what was there before
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def write_with_retries(
        self, write: Callable[[Connection], Result], *, single_statement: bool = False
    ) -> Result:
        """Call ``write`` in a transaction, and retry for a few seconds while the store fails.

        ``write`` must be idempotent: it is called again if the answer to a commit was lost.

        Args:
            write: Function that executes the statements.
            single_statement: See ``write``.

        Raises:
            StoreFailed: The last attempt failed too.
        """
        for delay_s in self.retry_delays_s:
            try:
                with self.write(single_statement=single_statement) as connection:
                    return write(connection)
            except StoreFailed as error:
                log.warning("the store is unavailable", error=str(error))
                time.sleep(delay_s)
        with self.write(single_statement=single_statement) as connection:
            return write(connection)

    def close(self) -> None:
        """Close every connection."""
        with self._write_lock:
            if self._writer is not None:
                self._writer.close()
                self._writer = None
        self._engine.dispose()

    def _begin(self, connection: Connection, statement: str) -> None:
        """Begin a transaction through the driver, which is faster than through SQLAlchemy."""
        driver: Any = connection.connection.dbapi_connection
        dbapi: Any = connection.dialect.dbapi
        try:
            driver.execute(statement)
        except dbapi.Error as error:
            raise driver_errors.as_sqlalchemy(connection, statement, error) from error

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        self._require_same_file()
        try:
            yield
        except _STATEMENT_ERRORS as error:
            if not driver_errors.is_refusal(error):
                raise
            raise driver_errors.as_store_error(self.url, error) from error
        except (DatabaseError, InterfaceError) as error:
            raise driver_errors.as_store_error(self.url, error) from error
        except PoolTimeout as error:
            name = driver_errors.display(self.url)
            raise StoreFailed(f"the store {name} has no connection free") from error

    def _require_same_file(self) -> None:
        """Refuse a SQLite file that is not the one that was opened.

        SQLite continues writing to a deleted file, and all these writes are lost with the last
        connection.
        """
        if self._file is None:
            return
        try:
            found = os.stat(self._file)
            identity = (found.st_dev, found.st_ino)
        except OSError:
            identity = None
        if self._identity is None:
            self._identity = identity
        elif identity != self._identity:
            raise StoreFailed(
                f"the store {self._file} was removed or replaced while it was in use:"
                " put it back and start again"
            )


def _file(url: URL) -> str | None:
    return url.database if url.database not in (None, "", ":memory:") else None


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
        return parsed.set(drivername=_DRIVERS[parsed.get_backend_name()])
    except (ArgumentError, ValueError) as error:
        message = "ACM_DATABASE_URL cannot be read: it is like postgresql://USER:PASSWORD@HOST/NAME"
        raise RequestError(message) from error
    except KeyError as error:
        raise RequestError(f"ACM_DATABASE_URL must be SQLite or Postgres, not {error}") from error


def _postgres(url: URL) -> Engine:
    engine = create_engine(
        url,
        hide_parameters=True,  # texts do not belong in messages and logs
        isolation_level="AUTOCOMMIT",  # ``Database`` begins transactions
        # Threads hold a connection for milliseconds, and a server has a hundred for all processes.
        # To open another one takes longer than to wait for one, so the pool never overflows.
        pool_size=12,
        max_overflow=0,
        pool_use_lifo=True,
        # Psycopg prepares only what asks for it: the plans of other statements depend on values.
        connect_args={"prepare_threshold": sys.maxsize},
    )
    event.listen(engine, "connect", _prefer_indexes)
    event.listen(engine, "connect", _let_server_type_integers)
    event.listen(engine, "checkout", _refuse_if_ended)
    return engine


def _prefer_indexes(connection: Any, _record: Any) -> None:
    """Configure the planner to prefer reading in the order of an index, even for few rows.

    The default costs assume a rotating disk. With these, and before a table was analyzed, the
    planner read and sorted all calls of a run for each page of calls.
    """
    connection.execute("SET random_page_cost = 1.1")
    connection.commit()


def _let_server_type_integers(connection: Any, _record: Any) -> None:
    # Psycopg picks a type by the size of a number, and prepares a statement once for each type.
    from psycopg.adapt import Dumper

    class Integer(Dumper):
        def dump(self, obj: int) -> bytes:
            return str(obj).encode()

    connection.adapters.register_dumper(int, Integer)


def _refuse_if_ended(connection: Any, _record: Any, _proxy: Any) -> None:
    """Raise an error for a connection closed by its server, so that the pool replaces it.

    A server announces the end of a connection, so the socket is readable although no query was
    sent. This test takes microseconds, while ``pool_pre_ping`` takes a round trip.
    """
    if not connection.closed:
        poll = select.poll()  # ``select.select`` is limited to file numbers below 1024
        poll.register(connection.fileno(), select.POLLIN)
        if not poll.poll(0):
            return
    raise DisconnectionError("the server has ended this connection")


def _sqlite(url: URL) -> Engine:
    if url.database and url.database != ":memory:":
        folder = Path(url.database).parent
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreFailed(f"the store's folder {folder} cannot be made: {error}") from error
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_size=12,
        max_overflow=0,
        # The connection that was used last has its statements and pages in its caches.
        pool_use_lifo=True,
        connect_args={"timeout": _BUSY_TIMEOUT_S, "check_same_thread": False},
    )
    event.listen(engine, "do_connect", _create_private)
    event.listen(engine, "connect", _configure_sqlite)
    return engine


def _create_private(_dialect: Any, _record: Any, arguments: Any, _options: Any) -> None:
    """Create the file of the store with access for its owner only.

    SQLite's log gets the same mode as the file. The mode of an existing file is not changed.
    """
    path = Path(arguments[0])
    if path.name != ":memory:" and not path.exists() and path.parent.is_dir():
        with suppress(OSError):  # SQLite says what is wrong
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def _configure_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # ``Database`` begins transactions
    _use_wal(connection)
    # Commits survive the death of the process; only a power cut may lose the last of them.
    connection.execute("PRAGMA synchronous=NORMAL")
    # A checkpoint waits for the disk while it holds the write lock. At the default of 1,000 pages
    # all threads waited a dozen times in 500 calls; now the log grows to 64 MB instead of 4.
    connection.execute("PRAGMA wal_autocheckpoint=16000")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA secure_delete=ON")  # deleted texts are overwritten in the file


def _use_wal(connection: Any) -> None:
    """Switch the file to a write-ahead log, which is permanent.

    SQLite's busy timeout does not cover this statement while another process switches or writes.
    """
    deadline = time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            # The low byte is the primary result code.
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
        else:
            return
        time.sleep(_BUSY_POLL_S)
