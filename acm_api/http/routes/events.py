"""The events of a run as server-sent events."""

import json
from collections.abc import AsyncIterator
from typing import Annotated

import anyio
from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from acm_api.http.access import Authorized
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunId
from acm_api.run_events import EventFeed
from acm_workers.store import runs
from schemas.events import RunEvent

router = APIRouter(tags=["events"])

_LOOK_S = 0.5
_ALIVE_S = 15.0
_EVENT = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
    "required": ["event", "data"],
    "description": "Fields of each event; `data` is JSON.",
}
_CONTENT = {"text/event-stream": {"schema": _EVENT}}


@router.get(
    "/runs/{run_id}/events",
    response_class=StreamingResponse,
    responses={200: {"content": _CONTENT, "description": "A stream of events."}},
)
def follow(
    run_id: RunId,
    service: CurrentService,
    caller: Authorized.read,
    request: Request,
    last_event_id: Annotated[
        str | None, Header(pattern=r"^[0-9]{1,18}$", description="Id of the last event received.")
    ] = None,
    after: Annotated[
        int, Query(ge=0, le=2**53, description="The same as Last-Event-ID, for a first request.")
    ] = 0,
) -> StreamingResponse:
    """Follow a run: its events from the start or after the last one received, and its progress.

    Events of kind ``progress`` have no id and are not repeated. The last event is ``end``, when the
    run has ended or is paused.
    """
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    start = after if last_event_id is None else int(last_event_id)
    feed = EventFeed(service.database, run.id, start, service.progress.of)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    stream = _stream(feed, request)
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


async def _stream(feed: EventFeed, request: Request) -> AsyncIterator[str]:
    yield "retry: 2000\n\n"
    silent_s = 0.0
    while not await request.is_disconnected():
        found = await run_in_threadpool(feed.read)
        for event in found:
            yield _text(event)
        if feed.ended:
            yield "event: end\ndata: {}\n\n"
            return
        silent_s = 0.0 if found else silent_s + _LOOK_S
        if silent_s >= _ALIVE_S:
            silent_s = 0.0
            yield ": alive\n\n"
        await anyio.sleep(_LOOK_S)


def _text(event: RunEvent) -> str:
    # JSON has no line breaks, so what models write cannot end a field.
    data = json.dumps(event.model_dump(mode="json"))
    number = "" if event.id is None else f"id: {event.id}\n"
    return f"{number}event: {event.kind}\ndata: {data}\n\n"
