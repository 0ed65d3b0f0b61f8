"""Routes of calls: every request of a run to a provider, with the messages and the answer."""

from fastapi import APIRouter

from acm_api.http import paging, shapes
from acm_api.http.access import Authorized
from acm_api.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunId, UnitId
from acm_workers.store import calls, runs
from schemas.calls import Call

router = APIRouter(tags=["calls"])


@router.get("/runs/{run_id}/calls")
def list_calls(
    run_id: RunId,
    service: CurrentService,
    caller: Authorized.read,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    unit_id: str | None = None,
) -> Page[Call]:
    """List the calls of a run, or of one artifact, evaluation or comparison, without answers."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = calls.page(connection, run.id, limit + 1, cursor, unit_id)
    return paging.page(found, limit, [one.id for one in found])


@router.get("/runs/{run_id}/calls/{call_id}")
def show(run_id: RunId, call_id: UnitId, service: CurrentService, caller: Authorized.read) -> Call:
    """Return a call with its answer, evidence and cost."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        return calls.in_run(connection, run.id, call_id)


@router.get("/runs/{run_id}/calls/{call_id}/transcript")
def transcript(
    run_id: RunId, call_id: UnitId, service: CurrentService, caller: Authorized.read
) -> shapes.Transcript:
    """Return the messages of a call as sent, and its answer."""
    from acm_workers.tasks import transcript as rendering  # Celery is slow to import

    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        call = calls.in_run(connection, run.id, call_id)
    request = rendering.request_of(service.database, call)
    return shapes.Transcript(
        messages=None if request is None else request.messages, answer=call.answer
    )
