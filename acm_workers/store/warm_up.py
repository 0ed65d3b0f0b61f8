"""Statements of every call, made ready before many threads need them at once.

SQLAlchemy compiles a statement when it is first executed, in each thread that comes before one of
them has ended: 64 threads that began together did that 64 times.
"""

from contextlib import suppress
from datetime import datetime

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from acm_workers.store import artifacts, calls, claims, comparisons, evaluations
from acm_workers.store.connection.database import Database
from acm_workers.store.ids import new_id
from acm_workers.store.rows import UNIT_ROWS
from schemas.calls import Call

_NOBODY = "rehearsal"


class _UndoneError(Exception):
    pass


def rehearse(database: Database, run_id: str, now: datetime) -> None:
    """Execute the statements of a call in a transaction that is taken back.

    The store itself refuses the last one, for there is no such document.
    """
    with suppress(_UndoneError, IntegrityError), database.write() as connection:
        _execute(connection, run_id, now)
        raise _UndoneError


def _execute(connection: Connection, run_id: str, now: datetime) -> None:
    for get in (artifacts.get, evaluations.get, comparisons.get):
        get(connection, _NOBODY)
    for kind in UNIT_ROWS:
        claims.take(connection, kind, _NOBODY, _NOBODY, now)
    calls.answered(connection, _NOBODY, 1)
    call = _call(run_id, now)
    calls.end(connection, [call])
    calls.start(connection, call)


def _call(run_id: str, now: datetime) -> Call:
    return Call(
        id=new_id(), run_id=run_id, document_id=_NOBODY, unit_id=_NOBODY, unit_kind=_NOBODY,
        stage="main", attempt=1, provider=_NOBODY, model=_NOBODY, digest=_NOBODY, iteration=1,
        state="started", started_at=now, owner=_NOBODY,
    )  # fmt: skip
