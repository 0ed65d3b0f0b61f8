"""Submissions: inserting, finding and finishing."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, insert, select, update

from acm_workers.errors import Conflict, NotFound
from acm_workers.store import locks
from acm_workers.store.rows import fetch_all, fetch_first, select_as
from acm_workers.store.submission_tables import SubmissionRow
from schemas.scope import LOCAL, Scope
from schemas.submissions import AuthorLimits, Submission, SubmissionState


class NewSubmission(NamedTuple):
    """The data of a new submission.

    Attributes:
        imported_from: Name of the record of an older program, which is imported only once.
    """

    task_key: str
    author: str
    title: str = ""
    tags: tuple[str, ...] = ()
    abstract: str = ""
    tick: int | None = None
    no_debugger: bool = False
    imported_from: str | None = None


def add(
    connection: Connection,
    new: NewSubmission,
    now: datetime,
    limits: AuthorLimits | None = None,
    scope: Scope = LOCAL,
) -> int:
    """Insert a submission of a tenant; return its id.

    Args:
        limits: Limits of the author; not checked by default.

    Raises:
        Conflict: The author has too many open submissions, or submitted too recently.
    """
    if limits is not None and (limits.pending or limits.cooldown_s):
        if connection.dialect.name == "postgresql":
            locks.lock_transaction(connection, f"the submissions of {new.author}")
        _refuse_beyond(connection, new, limits, now, scope)
    own = {"tenant_id": scope.tenant_id, "created_at": now}
    values = {**new._asdict(), "tags": list(new.tags), **own}
    added: int = connection.scalars(
        insert(SubmissionRow).values(**values).returning(SubmissionRow.id)
    ).one()
    return added


def get(connection: Connection, submission_id: int, scope: Scope | None = None) -> Submission:
    """Return a submission.

    Args:
        scope: Only rows of this tenant; of all tenants for workers and local commands.

    Raises:
        NotFound: There is no submission with this number.
    """
    query = _query().where(SubmissionRow.id == submission_id)
    if scope is not None:
        query = query.where(SubmissionRow.tenant_id == scope.tenant_id)
    found = fetch_first(connection, query, Submission)
    if found is None:
        raise NotFound(
            f"there is no submission {submission_id}; `acm submissions list` shows those there are"
        )
    return found


def lock(connection: Connection, submission_id: int) -> Submission:
    """Return a submission, and lock its row until the transaction ends."""
    query = select(SubmissionRow.id).where(SubmissionRow.id == submission_id)
    connection.execute(query.with_for_update())
    return get(connection, submission_id)


def imported(connection: Connection, origin: str) -> int | None:
    """Return the number of the submission imported from a record; None if there is none."""
    query = select(SubmissionRow.id).where(SubmissionRow.imported_from == origin)
    return connection.scalar(query)


def imported_below(connection: Connection, begin: str) -> list[int]:
    """Return the submissions imported from records whose names have a prefix, in order."""
    row = SubmissionRow
    query = select(row.id.label("id")).where(row.imported_from.startswith(begin, autoescape=True))
    return list(connection.scalars(query.order_by(row.id)))


class SubmissionFilter(NamedTuple):
    """A filter of submissions."""

    task_key: str | None = None
    author: str | None = None
    state: SubmissionState | None = None
    ids: tuple[int, ...] = ()


def page(
    connection: Connection,
    wanted: SubmissionFilter,
    limit: int,
    before: int | None = None,
    scope: Scope | None = None,
) -> list[Submission]:
    """Return a page of submissions older than ``before``, newest first.

    Args:
        scope: See ``get``.
    """
    row = SubmissionRow
    query = _query().order_by(row.id.desc()).limit(limit)
    for column, value in (
        (row.task_key, wanted.task_key),
        (row.author, wanted.author),
        (row.state, wanted.state),
    ):
        if value is not None:
            query = query.where(column == value)
    if wanted.ids:
        query = query.where(row.id.in_(wanted.ids))
    if before is not None:
        query = query.where(row.id < before)
    if scope is not None:
        query = query.where(row.tenant_id == scope.tenant_id)
    return fetch_all(connection, query, Submission)


def in_state(connection: Connection, ids: Sequence[int], state: SubmissionState) -> set[int]:
    """Return the ids in ``ids`` whose submissions are in a state."""
    query = select(SubmissionRow.id).where(SubmissionRow.id.in_(ids), SubmissionRow.state == state)
    return set(connection.scalars(query))


def finish(connection: Connection, submission_id: int, version: int | None, now: datetime) -> None:
    """Record the end of a submission, and the version that its notice reports."""
    row = SubmissionRow
    connection.execute(
        update(row)
        .where(row.id == submission_id, row.state == "open")
        .values(state="finished", notified_version=version, finished_at=now)
    )


def close(
    connection: Connection, submission_id: int, state: SubmissionState, now: datetime
) -> None:
    """Cancel or void a submission."""
    row = SubmissionRow
    connection.execute(
        update(row).where(row.id == submission_id).values(state=state, finished_at=now)
    )


def reopen(connection: Connection, submission_id: int) -> int:
    """Start a new round of a submission from the original; return the number of the round."""
    row = SubmissionRow
    statement = (
        update(row)
        .where(row.id == submission_id)
        .values(state="open", round=row.round + 1, finished_at=None, notified_version=None)
        .returning(row.round)
    )
    found: int = connection.scalars(statement).one()
    return found


def open_count(connection: Connection, task_key: str | None = None) -> int:
    """Return the number of open submissions."""
    query = select(func.count()).select_from(SubmissionRow).where(SubmissionRow.state == "open")
    if task_key is not None:
        query = query.where(SubmissionRow.task_key == task_key)
    return connection.scalar(query) or 0


def _refuse_beyond(
    connection: Connection,
    new: NewSubmission,
    limits: AuthorLimits,
    now: datetime,
    scope: Scope,
) -> None:
    row = SubmissionRow
    own = (
        row.tenant_id == scope.tenant_id,
        row.author == new.author,
        row.task_key == new.task_key,
    )
    pending = connection.scalar(
        select(func.count()).select_from(row).where(*own, row.state == "open")
    )
    if limits.pending is not None and (pending or 0) >= limits.pending:
        raise Conflict(
            f"{new.author} has {pending} open submissions for {new.task_key},"
            f" and may have {limits.pending}: wait until one is finished, or cancel one",
            "author",
        )
    last: datetime | None = connection.scalar(
        select(row.created_at).where(*own).order_by(row.id.desc()).limit(1)
    )
    if last is not None and now < last + timedelta(seconds=limits.cooldown_s):
        left = (last + timedelta(seconds=limits.cooldown_s) - now).total_seconds()
        raise Conflict(
            f"{new.author} may submit for {new.task_key} again in {left:.0f} s", "author"
        )


def _query() -> Select[Any]:
    found: Select[Any] = select_as(SubmissionRow, Submission)
    return found
