"""Runs: inserting, finding, changing and ending."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Update, exists, select, update

from acm_workers.errors import NotFound
from acm_workers.store import tenants
from acm_workers.store.rows import fetch_all, fetch_first, insert_once, select_as
from acm_workers.store.tables import CircuitBreakerRow, RunRow
from schemas.config.config import Config
from schemas.run import Run
from schemas.scope import LOCAL, Scope
from schemas.units import RunState


def add(connection: Connection, run: Run, scope: Scope = LOCAL) -> None:
    """Insert a new run of a tenant."""
    values = run.model_dump(exclude={"config"})
    config = run.config.model_dump(mode="json", by_alias=True)
    insert_once(connection, RunRow, [{**values, "config": config, "tenant_id": scope.tenant_id}])


def get(connection: Connection, run_id: str, scope: Scope | None = None) -> Run:
    """Return a run by its id, or by a unique prefix of its id.

    Args:
        scope: Tenant of the run; all tenants for workers and local commands.

    Raises:
        NotFound: No run, or more than one, has that id.
    """
    query = _query().where(RunRow.id.startswith(run_id.upper(), autoescape=True)).limit(2)
    if scope is not None:
        query = query.where(RunRow.tenant_id == scope.tenant_id)
    found = fetch_all(connection, query, Run)
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFound(f'there is no run "{run_id}"; `acm list` shows those there are')
    raise NotFound(f'more than one run begins with "{run_id}"; give more of its id')


def latest(connection: Connection) -> Run:
    """Return the newest run that is not deleted.

    Raises:
        NotFound: There is no such run.
    """
    query = _query().where(RunRow.state != "deleted").order_by(RunRow.id.desc())
    found = fetch_first(connection, query.limit(1), Run)
    if found is None:
        raise NotFound("there are no runs here yet; start one with `acm run CONFIG`")
    return found


def require_texts(run: Run) -> None:
    """Raise an error if the texts of a run were deleted.

    Raises:
        NotFound: The run was deleted.
    """
    if run.state == "deleted":
        raise NotFound(f"the texts of run {run.id} are gone: it was {run.reason}")


def tenant_of(connection: Connection, run_id: str) -> Scope:
    """Return the tenant of a run."""
    return Scope(tenants.of_run(connection, run_id))


def rejudged(connection: Connection, run_id: str) -> list[Run]:
    """Return the runs that judge candidates of a run again, the newest first."""
    of = (RunRow.rejudged_from == run_id) | (RunRow.crossed_with == run_id)
    return fetch_all(connection, _query().where(of).order_by(RunRow.id.desc()), Run)


def request(connection: Connection, run_id: str, now: datetime) -> None:
    """Queue a run for execution by a server, after those that were requested earlier."""
    _set(connection, run_id, requested_at=now)


def withdraw(connection: Connection, run_id: str) -> None:
    """Remove a run from the queue of servers."""
    _set(connection, run_id, requested_at=None)


def requested(connection: Connection) -> list[Run]:
    """Return the runs that are queued for execution by servers, in the order of the requests."""
    query = _query().where(
        RunRow.state == "running",
        RunRow.requested_at.is_not(None),
        RunRow.distributed.is_(False),
    )
    return fetch_all(connection, query.order_by(RunRow.requested_at, RunRow.id), Run)


def unfinished(connection: Connection, key: str, scope: Scope = LOCAL) -> Run | None:
    """Return the newest run of a key that can continue.

    A run can continue if it is running, paused or cancelled, or if one of its judges or writers is
    paused.
    """
    open_states = ["running", "paused", "cancelled"]
    given_up = exists().where(CircuitBreakerRow.run_id == RunRow.id)
    query = _query().where(
        RunRow.tenant_id == scope.tenant_id,
        RunRow.key == key,
        RunRow.state.in_(open_states) | given_up,
    )
    return fetch_first(connection, query.order_by(RunRow.id.desc()).limit(1), Run)


def of_key(connection: Connection, key: str) -> Run | None:
    """Return the newest run of a key, regardless of its state."""
    query = _query().where(RunRow.key == key).order_by(RunRow.id.desc())
    return fetch_first(connection, query.limit(1), Run)


def page(
    connection: Connection,
    limit: int,
    before: str | None = None,
    *,
    scope: Scope | None = None,
    state: RunState | None = None,
    title: str | None = None,
) -> list[Run]:
    """Return a page of runs older than the run ``before``, newest first.

    Args:
        scope: See ``get``.
        state: Only runs in that state.
        title: Only runs whose title contains this text.
    """
    query = _query().order_by(RunRow.id.desc()).limit(limit)
    if before is not None:
        query = query.where(RunRow.id < before)
    if scope is not None:
        query = query.where(RunRow.tenant_id == scope.tenant_id)
    if state is not None:
        query = query.where(RunRow.state == state)
    if title is not None:
        query = query.where(RunRow.title.contains(title, autoescape=True))
    return fetch_all(connection, query, Run)


def lock(connection: Connection, run_id: str) -> None:
    """Lock a run until this transaction ends."""
    query = select(RunRow.id).where(RunRow.id == run_id)
    connection.execute(query.with_for_update(key_share=True))


def cancel(connection: Connection, run_id: str) -> bool:
    """Request that a run stops; return whether this is the first request for an active run."""
    active = (RunRow.state.in_(["running", "paused"]), RunRow.cancel_requested.is_(False))
    statement = update(RunRow).where(RunRow.id == run_id, *active)
    return _changed(connection, statement.values(cancel_requested=True))


def settle(connection: Connection, run_id: str) -> None:
    """Request that a run is decided from the results so far, without further calls."""
    asked = {"cancel_requested": True, "settled": True}
    _set(connection, run_id, state="running", reason=None, finished_at=None, **asked)


def is_settled(connection: Connection, run_id: str) -> bool:
    """Return whether a run was, or is being, decided from the results so far."""
    return bool(connection.scalar(select(RunRow.settled).where(RunRow.id == run_id)))


def reopen(connection: Connection, run_id: str, config: Config) -> None:
    """Set the state of a run to running, and save a config whose limits may differ."""
    kept = config.model_dump(mode="json", by_alias=True)
    _set(
        connection,
        run_id,
        state="running",
        reason=None,
        cancel_requested=False,
        settled=False,
        finished_at=None,
        config=kept,
        revision=RunRow.revision + 1,
    )


def is_paused(connection: Connection, run_id: str) -> bool:
    """Return whether a run is paused."""
    return connection.scalar(select(RunRow.state).where(RunRow.id == run_id)) == "paused"


def is_stopped(connection: Connection, run_id: str) -> bool:
    """Return whether a run is paused or cancelled, so that no further work begins."""
    stopped = (RunRow.state == "paused") | RunRow.cancel_requested
    return bool(connection.scalar(select(stopped).where(RunRow.id == run_id)))


class RunStanding(NamedTuple):
    """The fields of a run that commands and changes of its state modify, without counts.

    Attributes:
        revision: Number that is increased whenever the run is resumed.
    """

    state: str
    reason: str | None
    revision: int
    cancel_requested: bool
    settled: bool


def standing(connection: Connection, run_id: str) -> RunStanding | None:
    """Return the current state of a run by its full id; None if there is no such run."""
    row = RunRow
    query = select(row.state, row.reason, row.revision, row.cancel_requested, row.settled)
    found = connection.execute(query.where(row.id == run_id)).one_or_none()
    return None if found is None else RunStanding(*found)


class ActiveRun(NamedTuple):
    """A run that workers work on.

    Attributes:
        revision: Number that is increased whenever the config may have changed.
        paused: Whether the run is paused until it is resumed.
    """

    id: str
    revision: int
    cancel_requested: bool
    paused: bool = False


def give_to_workers(connection: Connection, run_id: str) -> None:
    """Give a run to the workers of all machines."""
    _set(connection, run_id, distributed=True)


def take_from_workers(connection: Connection, run_id: str) -> bool:
    """Take a run from the workers; return whether it was given to them before."""
    given = (RunRow.id == run_id, RunRow.distributed.is_(True))
    return _changed(connection, update(RunRow).where(*given).values(distributed=False))


def given_to_workers(connection: Connection) -> list[ActiveRun]:
    """Return the active runs that are given to workers, oldest first."""
    query = select(RunRow.id, RunRow.revision, RunRow.cancel_requested).where(
        RunRow.state == "running", RunRow.distributed.is_(True)
    )
    return [ActiveRun(*row) for row in connection.execute(query.order_by(RunRow.id))]


def paused_with_workers(connection: Connection) -> list[ActiveRun]:
    """Return the paused runs that are given to workers."""
    query = select(RunRow.id, RunRow.revision, RunRow.cancel_requested).where(
        RunRow.state == "paused", RunRow.distributed.is_(True)
    )
    return [ActiveRun(*row, paused=True) for row in connection.execute(query.order_by(RunRow.id))]


def pause(connection: Connection, run_id: str, reason: str) -> bool:
    """Pause a running run until it is resumed; return whether it was running."""
    running = (RunRow.state == "running", RunRow.cancel_requested.is_(False))
    statement = update(RunRow).where(RunRow.id == run_id, *running)
    return _changed(connection, statement.values(state="paused", reason=reason))


def finish(
    connection: Connection,
    run_id: str,
    state: RunState,
    now: datetime,
    reason: str | None = None,
) -> bool:
    """End a run that is running or paused; return whether the run was changed."""
    statement = update(RunRow).where(RunRow.id == run_id, RunRow.state.in_(["running", "paused"]))
    return _changed(connection, statement.values(state=state, reason=reason, finished_at=now))


def _changed(connection: Connection, statement: Update) -> bool:
    result: Any = connection.execute(statement)
    return bool(result.rowcount)


def _set(connection: Connection, run_id: str, **values: object) -> None:
    connection.execute(update(RunRow).where(RunRow.id == run_id).values(**values))


def _query() -> Any:
    return select_as(RunRow, Run)


def running(connection: Connection) -> list[str]:
    """Return the ids of all runs that have not ended, the oldest first."""
    return list(
        connection.scalars(select(RunRow.id).where(RunRow.state == "running").order_by(RunRow.id))
    )
