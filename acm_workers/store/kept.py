"""Connections to a server that stay at hand between single statements.

To take one out of SQLAlchemy's pool, and to put it back, costs as much as such a statement itself.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, Engine

_MOST = 6
"""Half of the pool: the rest is for transactions of several statements."""

_FRESH_S = 0.2
"""A connection that was used so lately is not asked whether it lives: to ask the system gives up
the interpreter's lock, for which dozens of threads wait."""


class Kept:
    """Up to six connections of a pool, each in nobody's hands or in those of one thread.

    Args:
        ended: Says of a driver's connection whether its server has ended it.
    """

    def __init__(self, engine: Engine, ended: Callable[[Any], bool]) -> None:
        self._engine = engine
        self._ended = ended
        self._idle: deque[tuple[Connection, float]] = deque()

    @contextmanager
    def one(self) -> Iterator[Connection]:
        """Lend a connection; it is kept unless something failed, or a transaction is open."""
        connection = self._taken()
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        if connection.in_transaction() or len(self._idle) >= _MOST:
            connection.close()
        else:
            self._idle.append((connection, time.monotonic()))

    def close(self) -> None:
        """Give back to the pool those that nobody uses."""
        with suppress(IndexError):
            while True:
                self._idle.pop()[0].close()

    def _taken(self) -> Connection:
        with suppress(IndexError):
            while True:
                connection, since = self._idle.pop()  # used last, so its statements are prepared
                fresh = time.monotonic() - since < _FRESH_S
                if fresh or not self._ended(connection.connection.dbapi_connection):
                    return connection
                connection.invalidate()
                connection.close()
        return self._engine.connect()
