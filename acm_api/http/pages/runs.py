"""Pages of runs: the list, one run with its progress, its calls and its report."""

from typing import Annotated, NamedTuple, get_args

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from sqlalchemy import Connection

from acm_api.files import locks
from acm_api.http.pages import forms, rendering
from acm_api.http.paging import Cursor
from acm_api.http.routes import downloads
from acm_api.http.service import CurrentService, Service
from acm_api.http.shapes import RunId, UnitId
from acm_workers.store import artifacts, calls, documents, events, runs
from schemas.run import Run
from schemas.units import Document, RunState

router = APIRouter(include_in_schema=False)

PER_PAGE = 100
_STATES: tuple[RunState, ...] = get_args(RunState)
_KINDS = (("artifact", "Candidates"), ("evaluation", "Scores"), ("comparison", "Comparisons"))


class DocumentView(NamedTuple):
    """A document of a run in the list of a page."""

    document: Document
    best: str | None
    p_best: float | None
    overall: float | None


@router.get("/runs")
def list_runs(
    request: Request,
    service: CurrentService,
    cursor: Cursor = None,
    state: str = "",
    q: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Show the runs, the newest first."""
    caller = forms.caller(request)
    chosen = next((one for one in _STATES if one == state), None)
    with service.database.read() as connection:
        found = runs.page(
            connection,
            PER_PAGE + 1,
            cursor,
            scope=caller.scope,
            state=chosen,
            title=q or None,
        )
        shown = found[:PER_PAGE]
        totals = calls.totals_by_run(connection, [run.id for run in shown])
    return rendering.page(
        request,
        "runs",
        caller,
        runs=shown,
        totals=totals,
        spent_usd=sum(one.cost_usd for one in totals.values()),
        unpriced=sum(one.unpriced for one in totals.values()),
        uncertain=sum(one.uncertain for one in totals.values()),
        next=found[PER_PAGE - 1].id if len(found) > PER_PAGE else None,
        states=_STATES,
        state=chosen,
        q=q,
    )


@router.get("/runs/{run_id}")
def show_run(
    request: Request, run_id: RunId, service: CurrentService, cursor: Cursor = None
) -> Response:
    """Show a run: progress, waits, failures by cause, documents with their best candidate."""
    caller = forms.caller(request)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = documents.page(connection, run.id, PER_PAGE + 1, cursor)
        rows = _rows(connection, found[:PER_PAGE])
        failed = events.latest(connection, run.id, "execution_failed", 1)
    return rendering.page(
        request,
        "run",
        caller,
        run=run,
        progress=service.progress.of(run.id),
        kinds=_KINDS,
        rows=rows,
        tables=downloads.TABLES,
        more=found[PER_PAGE - 1].id if len(found) > PER_PAGE else None,
        abandoned=_is_abandoned(service, run),
        failure=failed[0]["message"] if failed else None,
    )


@router.get("/runs/{run_id}/calls")
def list_calls(
    request: Request,
    run_id: RunId,
    service: CurrentService,
    cursor: Cursor = None,
    unit_id: Annotated[str | None, Query(max_length=32)] = None,
) -> Response:
    """Show the calls of a run, or of one unit."""
    caller = forms.caller(request)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = calls.page(connection, run.id, PER_PAGE + 1, cursor, unit_id)
    return rendering.page(
        request,
        "calls",
        caller,
        run=run,
        calls=found[:PER_PAGE],
        next=found[PER_PAGE - 1].id if len(found) > PER_PAGE else None,
        unit_id=unit_id,
    )


@router.get("/runs/{run_id}/calls/{call_id}")
def show_call(
    request: Request, run_id: RunId, call_id: UnitId, service: CurrentService
) -> Response:
    """Show a call: request, answer, tokens, cost and evidence."""
    from acm_workers.tasks import transcript  # Celery is slow to import

    caller = forms.caller(request)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        call = calls.in_run(connection, run.id, call_id)
        tries = calls.page(connection, run.id, PER_PAGE, unit_id=call.unit_id)
    sent = transcript.request_of(service.database, call)
    messages = None if sent is None else sent.messages
    return rendering.page(
        request, "call", caller, run=run, call=call, messages=messages, tries=tries
    )


@router.get("/runs/{run_id}/report")
def show_report(request: Request, run_id: RunId, service: CurrentService) -> Response:
    """Show the report, rendered from the store."""
    return downloads.report(run_id, service, forms.caller(request))


def _rows(connection: Connection, found: list[Document]) -> list[DocumentView]:
    standings = documents.winners(connection, [one.id for one in found])
    winners = [one.winner_id for one in found if one.winner_id is not None]
    names = {one.id: one.name for one in artifacts.listed(connection, winners)}
    rows = []
    for one in found:
        best = standings.get(one.id)
        rows.append(
            DocumentView(
                one,
                names.get(one.winner_id or ""),
                None if best is None else best.p_best,
                None if best is None else best.overall,
            )
        )
    return rows


def _is_abandoned(service: Service, run: Run) -> bool:
    """Return whether no process executes a running run, and no server will."""
    if run.state != "running" or run.serves_submissions:
        return False
    if service.settings.broker_url is not None:
        return False
    with service.database.read() as connection:
        waiting = {one.id for one in runs.requested(connection)}
    return run.id not in waiting and locks.is_idle(service.database)
