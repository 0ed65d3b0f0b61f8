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
"""A connection that was used so lately is trusted to live: to ask the system whether it does gives
up the interpreter's lock, for which dozens of threads wait."""


class Kept:
    """Up to six connections of a pool, each in nobody's hands or in those of one thread.

    Args:
        ended: Says of a driver's connection whether its server has ended it.
    """

    def __init__(self, engine: Engine, ended: Callable[[Any], bool]) -> None:
        self._engine = engine
        self._ended = ended
        self._idle: deque[tuple[Connection, float]] = deque()
        self._closed = False

    @contextmanager
    def one(self, *, trusting: bool = False) -> Iterator[Connection]:
        """Lend a connection; it is kept unless something failed, or a transaction is open.

        Args:
            trusting: What was used just now is not asked whether it lives; for who can ask again.
        """
        connection = self._taken(_FRESH_S if trusting else 0.0)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        if self._closed:
            connection.invalidate()  # its pool is no more, and would leave it open
        if self._closed or connection.in_transaction() or len(self._idle) >= _MOST:
            connection.close()
        else:
            self._idle.append((connection, time.monotonic()))

    def close(self) -> None:
        """Keep none any more; those that nobody uses go back to the pool."""
        self._closed = True
        with suppress(IndexError):
            while True:
                self._idle.pop()[0].close()

    def _taken(self, trusted_s: float) -> Connection:
        with suppress(IndexError):
            while True:
                connection, since = self._idle.pop()  # used last, so its statements are prepared
                trusted = time.monotonic() - since < trusted_s
                if trusted or not self._ended(connection.connection.dbapi_connection):
                    return connection
                connection.invalidate()
                connection.close()
        return self._engine.connect()
