"""Statements on Postgres without cursors: by what lies under them in psycopg.

A cursor finds out anew each time what a statement is and what its values are; for a statement of
one row that takes as long as to send it and to read the answer.

The main thread waits as psycopg does, and Ctrl-C ends that. Others get no signals: they wait in
libpq itself, which gives up the interpreter's lock once a statement, and wins it back once.
"""

import itertools
import threading
from collections.abc import Sequence
from typing import Any

from psycopg import Connection, abc, adapt, errors, generators
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

_GOOD = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)
_numbers = itertools.count(1)


class Statement:
    """A statement that each connection prepares when it first needs it.

    Args:
        text: Its parameters are ``$1``, ``$2``, ...; Postgres finds out their types.
        parameters: How many there are.
    """

    def __init__(self, text: str, parameters: int) -> None:
        self._text = text.encode()
        self._name = f"acm_{next(_numbers)}".encode()
        self._formats = [adapt.PyFormat.TEXT] * parameters

    def execute(
        self, connection: Connection[Any], known: dict[Any, Any], values: Sequence[Any]
    ) -> PGresult:
        """Return the answer.

        Args:
            known: What lasts as long as ``connection``; says whether it has prepared the statement.

        Raises:
            psycopg.Error: Postgres does not take it, or is away.
        """
        server = connection.pgconn
        given: abc.Transformer | None = known.get(self)
        if given is None:
            self._prepare(connection)
            given = known[self] = adapt.Transformer(connection)
        ready: Any = given.dump_sequence(values, self._formats)  # None is NULL
        if _gets_signals():
            server.send_query_prepared(self._name, ready)
            return _awaited(connection)
        return _good(server.exec_prepared(self._name, ready))

    def row(self, known: dict[Any, Any], answer: PGresult) -> tuple[Any, ...] | None:
        """Return the first row of an answer, if there is one."""
        if answer.ntuples == 0:
            return None
        given: abc.Transformer = known[self]
        given.set_pgresult(answer)
        found: tuple[Any, ...] = given.load_row(0, tuple)
        return found

    def _prepare(self, connection: Connection[Any]) -> None:
        if _gets_signals():
            connection.pgconn.send_prepare(self._name, self._text)
            _awaited(connection)
        else:
            _good(connection.pgconn.prepare(self._name, self._text))


def run(connection: Connection[Any], command: str) -> None:
    """Run a command without parameters, past psycopg's own idea of when transactions begin.

    Raises:
        psycopg.Error: Postgres does not take it, or is away.
    """
    if _gets_signals():
        connection.pgconn.send_query(command.encode())
        _awaited(connection)
    else:
        _good(connection.pgconn.exec_(command.encode()))


def _gets_signals() -> bool:
    return threading.current_thread() is threading.main_thread()


def _awaited(connection: Connection[Any]) -> PGresult:
    return _good(connection.wait(generators.execute(connection.pgconn))[0])


def _good(answer: PGresult) -> PGresult:
    if answer.status not in _GOOD:
        raise errors.error_from_result(answer)
    return answer
