"""Versions of submissions, the claims of workers on them, and the attempts to run them."""

import hashlib
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)

from acm_workers.errors import NotFound
from acm_workers.store.rows import fetch_all, fetch_first, select_as
from acm_workers.store.submission_tables import (
    ResourceSlotRow,
    SubmissionVersionRow,
    VersionRunRow,
)
from schemas.submissions import Isolation, Source, Version, VersionState

LEASE = timedelta(seconds=30)
"""Duration of a lease; workers renew it every five seconds."""

KILL_GRACE = timedelta(seconds=10)
"""Maximum time that the child of a dead worker lives after the end of its lease."""

HELD: tuple[VersionState, ...] = ("claimed", "running")
_OPEN: tuple[VersionState, ...] = ("queued", *HELD)
_ROW = SubmissionVersionRow


class VersionKey(NamedTuple):
    """The key of a version: the numbers of the submission and of the version."""

    submission_id: int
    version: int


class HeldVersion(NamedTuple):
    """A claim on a version, as read by the sweep.

    Attributes:
        process: Identity of the worker's process.
    """

    key: VersionKey
    epoch: int
    state: VersionState
    attempts: int
    lease_until: datetime
    owner: str
    host: str
    process: str | None


def add(  # noqa: PLR0913  what a row has
    connection: Connection,
    submission_id: int,
    task_key: str,
    content: str,
    now: datetime,
    *,
    source: Source = "author",
    round_: int = 1,
    number: int | None = None,
    **values: Any,
) -> int:
    """Insert a version of a submission; return the number of the version.

    The caller must hold the lock on the submission, unless the submission is new.

    Args:
        number: Number of the version; default: the next free number.
        values: Further columns, for a version that is imported.
    """
    version = number
    if version is None:
        query = select(func.max(_ROW.version)).where(_ROW.submission_id == submission_id)
        version = (connection.scalar(query) or 0) + 1
    row = {
        "submission_id": submission_id,
        "version": version,
        "task_key": task_key,
        "content": content,
        "content_digest": hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
        "source": source,
        "round": round_,
        "queued_at": now,
    }
    connection.execute(insert(_ROW).values(**row | values))
    return version


def get(connection: Connection, key: VersionKey) -> Version:
    """Return a version.

    Raises:
        NotFound: There is no such version.
    """
    found = fetch_first(connection, _query().where(_is(key)), Version)
    if found is None:
        raise NotFound(f"submission {key.submission_id} has no version {key.version}")
    return found


def of_submission(
    connection: Connection, submission_id: int, round_: int | None = None
) -> list[Version]:
    """Return the versions of a submission in order, or those of one round."""
    query = _query().where(_ROW.submission_id == submission_id)
    if round_ is not None:
        query = query.where(_ROW.round == round_)
    return fetch_all(connection, query.order_by(_ROW.version), Version)


def of_submissions(connection: Connection, ids: Collection[int]) -> dict[int, list[Version]]:
    """Return the versions of several submissions, by submission."""
    query = _query().where(_ROW.submission_id.in_(ids))
    found: dict[int, list[Version]] = {submission_id: [] for submission_id in ids}
    ordered = query.order_by(_ROW.submission_id, _ROW.version)
    for version in fetch_all(connection, ordered, Version):
        found[version.submission_id].append(version)
    return found


def scored(connection: Connection, task_key: str) -> list[Version]:
    """Return the versions of a task that have a score, by number."""
    query = _query().where(_ROW.task_key == task_key, _ROW.state == "scored")
    return fetch_all(connection, query.order_by(_ROW.submission_id, _ROW.version), Version)


def has_content(connection: Connection, submission_id: int, content: str) -> bool:
    """Return whether a version with identical code exists."""
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    query = select(_ROW.version).where(
        _ROW.submission_id == submission_id, _ROW.content_digest == digest
    )
    return connection.scalar(query.limit(1)) is not None


def mark_running(
    connection: Connection, key: VersionKey, epoch: int, now: datetime, isolation: Isolation | None
) -> bool:
    """Record that a claimed version is running; return whether the claim is still valid.

    Args:
        isolation: Sandbox of the version; None if the code is not executed.
    """
    begun = _changed(
        connection,
        update(_ROW)
        .where(_is(key), _ROW.epoch == epoch, _ROW.state.in_(HELD))
        .values(state="running", started_at=now, isolation=isolation),
    )
    if begun:
        connection.execute(_run(key, epoch).values(isolation=isolation))
    return begun


def follow_log(connection: Connection, key: VersionKey, epoch: int, log: str) -> None:
    """Store the output of a running version so far."""
    held = (_is(key), _ROW.epoch == epoch, _ROW.state.in_(HELD))
    connection.execute(update(_ROW).where(*held).values(log=log))


def end(
    connection: Connection,
    key: VersionKey,
    epoch: int,
    state: VersionState,
    now: datetime,
    *,
    exit_code: int | None = None,
    **values: Any,
) -> bool:
    """End a claimed version, and free its slots; return whether the claim was still valid.

    Call this only when no process of the version is alive.
    """
    ended = _changed(
        connection,
        update(_ROW)
        .where(_is(key), _ROW.epoch == epoch, _ROW.state.in_(HELD))
        .values(state=state, owner=None, lease_until=None, finished_at=now, **values),
    )
    _free(connection, key, epoch)
    log = {"log": values["log"]} if "log" in values else {}
    run = _run(key, epoch).where(VersionRunRow.ended_at.is_(None))
    connection.execute(run.values(outcome=state, ended_at=now, exit_code=exit_code, **log))
    return ended


def queue_again(
    connection: Connection,
    key: VersionKey,
    epoch: int,
    now: datetime,
    *,
    outcome: str,
    keep_attempt: bool = True,
) -> bool:
    """Queue a version without a result again, and free its slots.

    Call this only when no process of the version is alive.

    Args:
        keep_attempt: Whether the attempt counts; false for a worker that stops.
    """
    attempts = _ROW.attempts if keep_attempt else _ROW.attempts - 1
    queued = _changed(
        connection,
        update(_ROW)
        .where(_is(key), _ROW.epoch == epoch, _ROW.state.in_(HELD))
        .values(state="queued", owner=None, lease_until=None, attempts=attempts),
    )
    _free(connection, key, epoch)
    run = _run(key, epoch).where(VersionRunRow.ended_at.is_(None))
    connection.execute(run.values(outcome=outcome, ended_at=now))
    return queued


def renew(
    connection: Connection, owner: str, held: Collection[VersionKey], now: datetime
) -> set[VersionKey]:
    """Renew the leases of a worker; return the keys of claims that are still valid."""
    if not held:
        return set()
    chosen = or_(*(_is(key) for key in sorted(held)))
    statement = (
        update(_ROW)
        .where(chosen, _ROW.owner == owner, _ROW.state.in_(HELD))
        .values(lease_until=now + LEASE)
        .returning(_ROW.submission_id, _ROW.version)
    )
    return {VersionKey(*row) for row in connection.execute(statement)}


def held(connection: Connection) -> list[HeldVersion]:
    """Return all claims, oldest lease first."""
    run = VersionRunRow
    same = and_(
        run.submission_id == _ROW.submission_id,
        run.version == _ROW.version,
        run.epoch == _ROW.epoch,
    )
    query = (
        select(
            _ROW.submission_id,
            _ROW.version,
            _ROW.epoch,
            _ROW.state,
            _ROW.attempts,
            _ROW.lease_until,
            _ROW.owner,
            run.host,
            run.process,
        )
        .join(run, same)
        .where(literal_state("claimed", "running"))
        .order_by(_ROW.lease_until, _ROW.submission_id, _ROW.version)
    )
    found = [row._asdict() for row in connection.execute(query)]
    return [
        HeldVersion(VersionKey(row.pop("submission_id"), row.pop("version")), **row)
        for row in found
    ]


def cancel_queued(connection: Connection, submission_id: int, now: datetime, error: str) -> None:
    """Cancel the queued versions of a submission."""
    connection.execute(
        update(_ROW)
        .where(_ROW.submission_id == submission_id, _ROW.state == "queued")
        .values(state="cancelled", cause="cancelled", error=error, finished_at=now)
    )


def restart(connection: Connection, key: VersionKey, round_: int, now: datetime) -> None:
    """Queue an ended version again for a new round, without its earlier results."""
    nothing: dict[str, Any] = {
        "score": None,
        "sort_key": None,
        "metrics": {},
        "message": "",
        "cause": None,
    }
    times = {"queued_at": now, "started_at": None, "finished_at": None}
    connection.execute(
        update(_ROW)
        .where(_is(key), _ROW.state.not_in(_OPEN))
        .values(state="queued", round=round_, attempts=0, error=None, log="", **nothing, **times)
    )


def carry_over(connection: Connection, key: VersionKey, round_: int) -> None:
    """Assign an unchanged version to a new round."""
    connection.execute(update(_ROW).where(_is(key)).values(round=round_))


def counts(connection: Connection) -> dict[str, dict[str, int]]:
    """Return the number of versions by task and state."""
    query = select(_ROW.task_key, _ROW.state, func.count()).group_by(_ROW.task_key, _ROW.state)
    found: dict[str, dict[str, int]] = {}
    for task_key, state, number in connection.execute(query):
        found.setdefault(task_key, {})[state] = number
    return found


def runs(connection: Connection, submission_id: int) -> list[dict[str, Any]]:
    """Return all attempts to run a submission's versions, in order."""
    run = VersionRunRow
    query = select(
        run.version,
        run.epoch,
        run.host,
        run.isolation,
        run.slots,
        run.outcome,
        run.exit_code,
        run.claimed_at,
        run.ended_at,
    ).where(run.submission_id == submission_id)
    ordered = query.order_by(run.version, run.epoch)
    return [dict(row._mapping) for row in connection.execute(ordered)]


def literal_state(*states: VersionState) -> ColumnElement[bool]:
    """Return the condition on the state as literal SQL, so that partial indexes are used."""
    names: list[ColumnElement[str]] = [literal_column(f"'{state}'") for state in states]
    if len(names) == 1:
        return _ROW.state == names[0]
    return _ROW.state.in_(names)


def _free(connection: Connection, key: VersionKey, epoch: int) -> None:
    """Free the slots of a claim, without slots of later claims."""
    slot = ResourceSlotRow
    connection.execute(
        update(slot)
        .where(
            slot.submission_id == key.submission_id,
            slot.version == key.version,
            slot.epoch == epoch,
        )
        .values(submission_id=None, version=None, epoch=None, held_since=None)
    )


def _is(key: VersionKey) -> ColumnElement[bool]:
    return and_(_ROW.submission_id == key.submission_id, _ROW.version == key.version)


def _run(key: VersionKey, epoch: int) -> Any:
    run = VersionRunRow
    return update(run).where(
        run.submission_id == key.submission_id, run.version == key.version, run.epoch == epoch
    )


def _changed(connection: Connection, statement: Any) -> bool:
    result: Any = connection.execute(statement)
    return bool(result.rowcount)


def _query() -> Select[Any]:
    found: Select[Any] = select_as(_ROW, Version)
    return found


def summary(versions: Sequence[Version]) -> Version:
    """Return the version to show in lists: the latest with a score, else the latest."""
    with_score = [one for one in versions if one.state == "scored"]
    return (with_score or list(versions))[-1]
