"""Ends this process with SIGKILL at one of the points where it touches something outside.

Points are before and after each statement that changes the store and each commit, each message to
the broker, each connection, request and answer of a provider, and each file that is put in its
place; and after each message and row that is read, which changes nothing. They are counted from the
start of the process, over all its threads.
"""

import functools
import importlib
import itertools
import os
import signal
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

_READS = ("BEGIN", "SELECT", "PRAGMA", "SHOW")

_SHORT: dict[str, dict[str, Any]] = {
    "acm_workers.store.claims": {"LEASE": timedelta(seconds=3)},
    "acm_workers.store.workers": {"ALIVE": timedelta(seconds=2)},
    "acm_workers.engine.heartbeat": {"_BEAT_EVERY_S": 0.5},
    "acm_workers.engine.coordinator": {"_SWEEP_EVERY_S": 0.5},
    "acm_workers.engine.sweep": {"_MISSED": timedelta(seconds=2)},
    "acm_workers.engine.leader": {
        "_RENEWED_EVERY_S": 1.5,
        "_RENEWED_AFTER_GAP_S": 1.2,
        "_PATIENCE_S": dict.fromkeys(itertools.product((True, False), repeat=2), 0.0),
        "_SETTLED": timedelta(seconds=2),
    },
    "acm_workers.engine.worker_service": {"_LOOK_EVERY_S": 0.5},
}
"""A tenth of the usual times, so that a dead worker's units are free after seconds."""


class Touch(NamedTuple):
    """What a process does with something outside of it.

    Attributes:
        reads: It changes nothing there, so before it and after it are one point.
    """

    what: str
    reads: bool = False


class CrashPoints:
    """Counts points, and ends the process at one of them.

    Args:
        number: Of the point, from 1; None counts without an end.
        note: A file that gets the name of the point before the end.
    """

    def __init__(self, number: int | None, note: Path) -> None:
        self._number = number
        self._note = note
        self._count = itertools.count(1)  # threads share it

    def around(self, owner: Any, name: str, describe: Callable[..., Touch | None]) -> None:
        """Have points around each call of a function of a class or module.

        Args:
            describe: Takes what the function takes; returns None for a call that touches nothing.
                So does a function that returns False: it found nothing to read.
        """
        function = getattr(owner, name)

        def touching(*args: Any, **kwargs: Any) -> Any:
            touch = describe(*args, **kwargs)
            if touch is not None and not touch.reads:
                self.passed(f"before {touch.what}")
            result = function(*args, **kwargs)
            if touch is not None and result is not False:
                self.passed(f"after {touch.what}")
            return result

        setattr(owner, name, touching)

    def passed(self, what: str) -> None:
        """Pass a point, or end."""
        if next(self._count) == self._number:
            self._note.write_text(what)
            os.kill(os.getpid(), signal.SIGKILL)


def kill_at(number: int | None, note: Path) -> None:
    """End this process at its point of that number; see ``CrashPoints``."""
    points = CrashPoints(number, note)
    _sqlite(points)
    _postgres(points)
    _broker(points)
    _provider(points)
    points.around(os, "replace", lambda *_: Touch("a file"))


def shorten_waits() -> None:
    """Have this process renew leases, sweep and take others for dead ten times as often."""
    for module, times in _SHORT.items():
        found = importlib.import_module(module)
        for name, value in times.items():
            if not hasattr(found, name):
                raise AttributeError(f"{module} has no {name}")
            setattr(found, name, value)
    from acm_workers.engine import sweep
    from acm_workers.engine.coordinator import Coordinator
    from acm_workers.limits.redis_session import Participant

    sweep.sweep.__defaults__ = (timedelta(seconds=0.5),)
    Coordinator.run.__defaults__ = (0.2,)
    Participant.__new__.__defaults__ = (0.4, 2.0, 60.0)


def shorten_and_kill_at(number: int | None, note: Path) -> None:
    """Do both."""
    shorten_waits()
    kill_at(number, note)


def _sqlite(points: CrashPoints) -> None:
    """Count the statements of SQLite, whose classes are not to be changed."""

    class Cursor(sqlite3.Cursor):
        pass

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Cursor) -> Any:
            return super().cursor(factory)

        def execute(self, *args: Any) -> Any:
            return self.cursor().execute(*args)

    _statements(points, Cursor, Connection)
    driver: Any = sqlite3.dbapi2
    driver.connect = functools.partial(driver.connect, factory=Connection)


def _postgres(points: CrashPoints) -> None:
    import psycopg

    _statements(points, psycopg.Cursor, psycopg.Connection)


def _statements(points: CrashPoints, cursor: type, connection: type) -> None:
    for name in ("execute", "executemany"):
        points.around(cursor, name, lambda _, statement, *args, **kwargs: _statement(statement))
    for name in ("commit", "rollback"):
        points.around(connection, name, lambda this, name=name: _end(this, name))


def _statement(statement: object) -> Touch:
    words = " ".join(str(statement).split())
    return Touch(f"the store: {words[:100]}", reads=words.startswith(_READS))


def _end(connection: Any, name: str) -> Touch | None:
    """Return nothing if no transaction is open: then nothing is sent, either."""
    if isinstance(connection, sqlite3.Connection):
        is_open = connection.in_transaction
    else:
        is_open = connection.info.transaction_status.name != "IDLE"
    return Touch(f"the store: {name}") if is_open else None


def _broker(points: CrashPoints) -> None:
    from kombu.transport import memory
    from redis._parsers.socket import SocketBuffer
    from redis.connection import AbstractConnection

    points.around(memory.Channel, "_put", lambda *_, **__: Touch("the broker: kept in memory"))
    points.around(
        AbstractConnection, "send_packed_command", lambda *_, **__: Touch("the broker: sent")
    )
    points.around(
        SocketBuffer,
        "_read_from_socket",
        lambda *_, **__: Touch("the broker: received", reads=True),
    )


def _provider(points: CrashPoints) -> None:
    from httpcore._backends.sync import SyncBackend, SyncStream

    points.around(SyncBackend, "connect_tcp", lambda *_, **__: Touch("the provider: connected"))
    for name, what in (("write", "sent"), ("read", "received")):
        points.around(SyncStream, name, lambda *_, what=what: Touch(f"the provider: {what}"))
