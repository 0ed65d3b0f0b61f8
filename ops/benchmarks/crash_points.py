"""Ends this process with SIGKILL after one of its external changes.

A dead process has the same effect at every moment between two external changes. It is therefore
killed once after each change, and once before the first one. Changes are:

- a commit of a transaction or statement that modified the store. Reads, rollbacks and open
  transactions have no effect, as the database guarantees;
- messages or data that modify Redis, or a message received from one of its queues (a broker in
  memory dies with its process);
- a request to a provider, whose answer may or may not be in transit; and the receipt of its answer,
  which is then paid;
- a file that was written under a temporary name, or renamed; a created folder.

They are counted from the start of the process, over all its threads.
"""

import functools
import importlib
import itertools
import os
import re
import signal
import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

_STORE_READS = ("BEGIN", "SELECT", "PRAGMA", "SHOW", "COMMIT", "ROLLBACK")
_WRITES = ("INSERT", "UPDATE", "DELETE")

# BRPOP changes Redis when it finds a message, which is then received.
_REDIS_READS = re.compile(
    "AUTH|BRPOP|CLIENT|COMMAND|CONFIG|EXEC|EXISTS|H?GET|HELLO|HEXISTS|HGETALL|HKEYS|HLEN|HMGET|INFO"
    "|KEYS|LINDEX|LLEN|LRANGE|MGET|MULTI|PING|P?SUBSCRIBE|P?UNSUBSCRIBE|P?TTL|SCAN|SCARD|SELECT"
    "|SISMEMBER|SMEMBERS|STRLEN|TIME|TYPE|UNWATCH|WATCH|ZCARD|ZCOUNT|ZRANGE|ZRANGEBYSCORE|ZSCORE"
)

_SHORT: dict[str, dict[str, Any]] = {
    "acm_workers.store.claims": {"LEASE": timedelta(seconds=3)},
    "acm_workers.store.batches": {"LEASE": timedelta(seconds=3)},
    "acm_workers.engine.batching": {"_AGAIN": timedelta(seconds=2)},
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
"""A tenth of the usual times, so that the units of a dead worker are freed after seconds."""


class CrashPoints:
    """Counts points, and ends the process at one of them.

    Args:
        number: Number of the point, from 1; None counts without an end.
        note: A file to which the name of the point is written before the end.
    """

    def __init__(self, number: int | None, note: Path) -> None:
        self._number = number
        self._note = note
        self._count = itertools.count(1)  # threads share it

    def before(self, owner: Any, name: str, what: Callable[..., str | None]) -> None:
        """Add a point before each call of a function of a class or module.

        Args:
            what: Function with the same parameters that returns the name of the point; None for no
                point.
        """
        function = getattr(owner, name)

        def passing(*args: Any, **kwargs: Any) -> Any:
            self._passed(what(*args, **kwargs))
            return function(*args, **kwargs)

        setattr(owner, name, passing)

    def after(self, owner: Any, name: str, what: Callable[..., str | None]) -> None:
        """Add a point after each call; see ``before``."""
        function = getattr(owner, name)

        def passing(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            self._passed(what(*args, **kwargs))
            return result

        setattr(owner, name, passing)

    def passed(self, what: str) -> None:
        """Count a point; end the process if it is the selected one."""
        if next(self._count) == self._number:
            self._note.write_text(what)
            os.kill(os.getpid(), signal.SIGKILL)

    def _passed(self, what: str | None) -> None:
        if what is not None:
            self.passed(what)


def kill_at(number: int | None, note: Path) -> None:
    """End this process at the point with this number; see ``CrashPoints``."""
    points = CrashPoints(number, note)
    points.passed("start: nothing was changed")
    _sqlite(points)
    _postgres(points)
    _redis(points)
    _provider(points)
    points.before(os, "replace", lambda *_: "file: written beside its place")
    points.after(os, "replace", lambda *_: "file: put in its place")
    points.after(os, "mkdir", lambda *_, **__: "file: a folder was made")


def shorten_waits() -> None:
    """Make this process renew leases, sweep and detect dead processes ten times as often."""
    for module, times in _SHORT.items():
        found = importlib.import_module(module)
        for name, value in times.items():
            if not hasattr(found, name):
                raise AttributeError(f"{module} has no {name}")
            setattr(found, name, value)
    from acm_workers.engine import sweep
    from acm_workers.engine.coordinator import Coordinator
    from acm_workers.limits.redis_session import DeploymentProcess

    sweep.sweep.__defaults__ = (timedelta(seconds=0.5),)
    Coordinator.run.__defaults__ = (0.2,)
    DeploymentProcess.__new__.__defaults__ = (0.4, 2.0, 60.0)


def shorten_and_kill_at(number: int | None, note: Path) -> None:
    """Do both."""
    shorten_waits()
    kill_at(number, note)


def _sqlite(points: CrashPoints) -> None:
    """Count the changes of SQLite, whose classes cannot be patched."""

    class Cursor(sqlite3.Cursor):
        pass

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Cursor) -> Any:
            return super().cursor(factory)

        def execute(self, *args: Any) -> Any:
            return self.cursor().execute(*args)

    around_store(points, Cursor, Connection)
    driver: Any = sqlite3.dbapi2
    driver.connect = functools.partial(driver.connect, factory=Connection)


def _postgres(points: CrashPoints) -> None:
    import psycopg

    around_store(points, psycopg.Cursor, psycopg.Connection)


def around_store(points: CrashPoints, cursor: type, connection: type) -> None:
    """Add a point after each change of a store, in the classes of its driver."""
    for name in ("execute", "executemany"):
        points.after(cursor, name, _executed)
    points.after(connection, "commit", _settled)
    points.before(connection, "rollback", _forgotten)


def _executed(cursor: Any, statement: object, *_: Any, **__: Any) -> str | None:
    """Record that a statement changed rows, until its transaction ends."""
    words = " ".join(str(statement).split()).upper()
    reads = words.startswith(_STORE_READS)
    if words.startswith("WITH"):
        reads = not any(word in words for word in _WRITES)
    # SQLite counts rows of RETURNING later, so that 0 is not known to be none.
    if not reads and (cursor.rowcount != 0 or "RETURNING" in words):
        cursor.connection.changed = words
    return _settled(cursor.connection)


def _settled(connection: Any) -> str | None:
    changed = getattr(connection, "changed", None)
    if changed is None or _in_transaction(connection):
        return None
    connection.changed = None
    return f"store: {changed[:100]}"


def _forgotten(connection: Any) -> None:
    connection.changed = None


def _in_transaction(connection: Any) -> bool:
    if isinstance(connection, sqlite3.Connection):
        return connection.in_transaction
    return bool(connection.info.transaction_status.name != "IDLE")


def _redis(points: CrashPoints) -> None:
    from kombu.transport import redis
    from redis.connection import AbstractConnection

    points.after(AbstractConnection, "send_packed_command", _sent)
    points.before(redis.Transport, "_deliver", lambda *_: "redis: a message was received")


def _sent(_connection: Any, packed: Any, *_: Any, **__: Any) -> str | None:
    parts = [packed] if isinstance(packed, (str, bytes)) else packed
    sent = b"".join(part.encode() if isinstance(part, str) else bytes(part) for part in parts)
    changes = [name for name in commands(sent) if not _REDIS_READS.fullmatch(name.upper())]
    return f"redis: {' '.join(changes)[:100]}" if changes else None


def commands(sent: bytes) -> Iterator[str]:
    """Yield the names of the commands in data for Redis."""
    at = 0
    while at < len(sent):
        end = sent.index(b"\r\n", at)
        values, at = int(sent[at + 1 : end]), end + 2
        for place in range(values):
            end = sent.index(b"\r\n", at)
            begin = end + 2
            at = begin + int(sent[at + 1 : end]) + 2
            if place == 0:
                yield sent[begin : at - 2].decode()


def _provider(points: CrashPoints) -> None:
    from httpcore._sync.http11 import HTTP11Connection

    for name, what in (("_send_request_body", "sent"), ("_response_closed", "received")):
        points.after(HTTP11Connection, name, lambda *_, what=what, **__: f"provider: {what}")
