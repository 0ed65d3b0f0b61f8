"""Routes of logs: events of a run on all machines, from the store."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from acm_api import run_events
from acm_api.http import paging
from acm_api.http.access import Authorized
from acm_api.http.paging import DEFAULT_LIMIT, Limit, Page
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunId
from acm_workers.store import events, runs
from schemas.record import Record

router = APIRouter(tags=["events"])

_WARNINGS = {"run_paused", "provider_paused", "execution_failed", "uncertain"}


class LogLine(Record):
    """A line of a run's log; ``GET /events`` streams the same events."""

    id: int
    at: datetime
    level: Literal["info", "warning"]
    event: str
    document_id: str | None
    data: dict[str, Any]


@router.get("/runs/{run_id}/logs")
def show_log(
    run_id: RunId,
    service: CurrentService,
    caller: Authorized.read,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Annotated[
        str | None, Query(pattern=r"^[0-9]{1,18}$", description="The `next` of the previous page.")
    ] = None,
) -> Page[LogLine]:
    """Return the log of a run, the oldest line first; it contains no texts and no keys."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = events.since(connection, run.id, int(cursor or 0), limit + 1)
    lines = [
        LogLine(
            id=one.id,
            at=one.at,
            level="warning" if one.kind in _WARNINGS else "info",
            event=one.kind,
            document_id=one.document_id,
            data=run_events.without_places(one.kind, one.data),
        )
        for one in found
    ]
    return paging.page(lines, limit, [str(one.id) for one in found])
