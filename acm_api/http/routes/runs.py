"""Routes of runs: start, list, show and change runs."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from sqlalchemy import Connection

from acm_api import library, run_events
from acm_api.files import locks
from acm_api.http import paging, shapes, starting
from acm_api.http.access import Authorized, Requester
from acm_api.http.idempotency import Once
from acm_api.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunId
from acm_workers import runtime, submit
from acm_workers.errors import QuotaSpent
from acm_workers.store import accounts, runs
from schemas.rejudged import RejudgedResult
from schemas.run import DeletedRun, Run, RunResult
from schemas.units import RunState

router = APIRouter(tags=["runs"])


@router.post("/runs", status_code=201, responses={200: {"model": shapes.StartedRun}})
def start(
    body: shapes.NewRun,
    service: CurrentService,
    caller: Authorized.run,
    once: Once,
    response: Response,
) -> shapes.StartedRun:
    """Start a run, or resume an unfinished run with the same config and documents.

    Status 200 means that no new run was started. Without workers the server executes runs one after
    another.
    """
    work = library.work_of_values(
        body.config,
        starting.documents_of(service, caller, body),
        body.instructions,
        body.guidelines,
        title=body.title,
        keys="here" if service.settings.broker_url is None else "workers",
    )
    answer = starting.start(service, caller, work, once)
    if answer.run_id is None or answer.resumed:
        response.status_code = 200
    if answer.run_id is not None:
        response.headers["Location"] = f"/api/v1/runs/{answer.run_id}"
    return answer


@router.get("/runs")
def list_runs(
    service: CurrentService,
    caller: Authorized.read,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    state: RunState | None = None,
    q: Annotated[
        str | None,
        Query(
            max_length=200,
            pattern=shapes.NO_ZERO_BYTE,
            description="Only runs whose title contains this.",
        ),
    ] = None,
) -> Page[shapes.ListedRun]:
    """List runs, the newest first."""
    with service.database.read() as connection:
        found = runs.page(connection, limit + 1, cursor, scope=caller.scope, state=state, title=q)
    return paging.page(
        [shapes.ListedRun.of(run) for run in found], limit, [run.id for run in found]
    )


@router.get("/runs/{run_id}")
def show(
    run_id: RunId, service: CurrentService, caller: Authorized.read
) -> RunResult | RejudgedResult:
    """Return the result of a run so far: documents with winners, calls and cost.

    For an evaluation, ``changes`` has both rankings of each document and the reasons for changes.
    """
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    return submit.result(service.database, run)


@router.get("/runs/{run_id}/status")
def status(run_id: RunId, service: CurrentService, caller: Authorized.read) -> shapes.RunStatus:
    """Return the progress of a run."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    values = run_events.as_values(service.progress.of(run.id))
    return shapes.RunStatus(run_id=run.id, **values)


@router.post("/runs/{run_id}/cancel", status_code=202)
def cancel(run_id: RunId, service: CurrentService, caller: Authorized.run) -> shapes.ChangedRun:
    """Cancel a run; calls in flight finish and their answers are kept."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    submit.cancel(service.database, run.id, runtime.making())
    submit.cancel_background_calls(service.database, run, runtime.utc_now)
    return _changed(service, caller, "cancel", run.id)


@router.post("/runs/{run_id}/pause", status_code=202)
def pause(run_id: RunId, service: CurrentService, caller: Authorized.run) -> shapes.ChangedRun:
    """Pause a run until it is resumed; calls in flight finish and their answers are kept."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    submit.pause(service.database, run.id, runtime.making())
    return _changed(service, caller, "pause", run.id)


@router.post("/runs/{run_id}/settle", status_code=202)
def settle(run_id: RunId, service: CurrentService, caller: Authorized.run) -> shapes.ChangedRun:
    """Decide a run now from the results so far; no further calls are made.

    Calls in flight finish and count. Documents with two judged candidates get a winner, which is
    marked as settled early. 409 if the run has ended.
    """
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    idle = locks.is_idle(service.database)
    settled = submit.settle(service.database, run.id, runtime.making(), idle=idle)
    submit.cancel_background_calls(service.database, settled, runtime.utc_now)
    return _changed(service, caller, "settle", run.id)


@router.post("/runs/{run_id}/resume", status_code=202)
def resume(
    run_id: RunId,
    service: CurrentService,
    caller: Authorized.run,
    body: shapes.Resume | None = None,
) -> shapes.ResumedRun:
    """Resume a run that was stopped, paused or cancelled, or that has failed units."""
    how = body or shapes.Resume()
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        budget_usd = _budget_of_resumed(connection, caller, run, how.budget_usd)
    units = submit.resume(
        service.database,
        run.id,
        runtime.making(),
        failed=how.failed,
        budget_usd=budget_usd,
    )
    with service.database.write() as connection:
        now = runtime.utc_now()
        runs.request(connection, run.id, now)
        accounts.audit(connection, caller.scope, caller.name, "resume", now, run.id)
    service.dispatcher.wake()
    return shapes.ResumedRun(run_id=run.id, units=units)


@router.delete("/runs/{run_id}")
def delete(run_id: RunId, service: CurrentService, caller: Authorized.run) -> DeletedRun:
    """Delete the texts of a run: prompts, answers, artifacts and documents; its bill is kept.

    Runs that judged its candidates again are deleted with it, because they contain copies. 409
    while the run is in progress; a repeated request has no effect.
    """
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    return submit.delete(service.database, run.id, runtime.making(), caller.name)


def _changed(
    service: CurrentService, caller: Requester, what: str, run_id: str
) -> shapes.ChangedRun:
    with service.database.write() as connection:
        accounts.audit(connection, caller.scope, caller.name, what, runtime.utc_now(), run_id)
    service.dispatcher.wake()
    with service.database.read() as connection:
        return shapes.ChangedRun.of(runs.get(connection, run_id))


def _budget_of_resumed(
    connection: Connection, caller: Requester, run: Run, asked: float | None
) -> float | None:
    """Return the new budget of a resumed run; None if it is unchanged.

    Raises:
        QuotaSpent: The quotas of the tenant do not allow another run.
    """
    if run.state == "running" and asked is None:
        return None
    if run.state != "running":
        caller.check_quota(connection, 0)
    wanted = run.config.budget_usd if asked is None else asked
    bound = caller.budget_usd(connection, wanted, run.id)
    if asked is not None and bound is not None and bound < asked:
        raise QuotaSpent(f"the quota of the day allows this run a total of {bound:.2f} USD")
    return None if bound == run.config.budget_usd else bound
