"""Routes of code submissions and their tasks."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse, StreamingResponse
from pydantic import BaseModel, Field
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool

from acm_api import submissions
from acm_api.http import paging
from acm_api.http.access import Authorized, Requester
from acm_api.http.idempotency import Once, RepeatedRequest
from acm_api.http.paging import DEFAULT_LIMIT, Limit, Page
from acm_api.http.service import CurrentService, Service
from acm_api.http.shapes import NO_ZERO_BYTE
from acm_api.submissions import SubmittedCode
from acm_workers import runtime
from acm_workers.store import (
    accounts,
    debug_sessions,
    outbox,
    submission_tasks,
    submission_versions,
)
from acm_workers.store import submissions as stored
from acm_workers.store.connection.database import Database
from acm_workers.store.submission_versions import VersionKey
from acm_workers.store.submissions import NewSubmission, SubmissionFilter
from schemas.submissions import (
    DebugSession,
    Submission,
    SubmissionState,
    SubmissionTask,
    Version,
)

router = APIRouter(tags=["submissions"])

_LOOK_S = 0.5
_MOST_NUMBER = 2**31 - 1
_EVENT = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("event", "data")},
    "required": ["event", "data"],
    "description": "Fields of each event; `data` is JSON.",
}
_STREAM = {"text/event-stream": {"schema": _EVENT}}

Number = Annotated[int, Path(ge=1, le=_MOST_NUMBER, description="Number of a submission.")]
VersionNumber = Annotated[
    int, Path(ge=1, le=_MOST_NUMBER, description="Number of the version; 1 is the author's.")
]
TaskKey = Annotated[str, Path(max_length=100, pattern=NO_ZERO_BYTE, description="Name of a task.")]
_Text = Field(pattern=NO_ZERO_BYTE)


class ListedTask(BaseModel):
    """A task, with the details that its submitters may see."""

    key: str
    title: str
    description: str
    mode: str
    function: str
    direction: str
    scored_by: str
    wall_s: float

    @classmethod
    def of(cls, task: SubmissionTask) -> "ListedTask":
        """Return a task without its evaluator, which submitters may not see."""
        return cls(
            key=task.key,
            title=task.title,
            description=task.description,
            mode=task.mode,
            function=task.function,
            direction=task.direction,
            scored_by=task.evaluator.kind,
            wall_s=task.limits.wall_s,
        )


class NewCode(BaseModel):
    """Code to run and score."""

    task: Annotated[str, _Text, Field(min_length=1, max_length=100)]
    code: Annotated[str, Field(min_length=1, max_length=1 << 20)]
    author: Annotated[str, _Text, Field(min_length=1, max_length=200)]
    title: Annotated[str, _Text, Field(max_length=500)] = ""
    tags: Annotated[list[Annotated[str, _Text, Field(max_length=100)]], Field(max_length=20)] = []
    abstract: Annotated[str, _Text, Field(max_length=10_000)] = ""
    tick: Annotated[int, Field(ge=-_MOST_NUMBER, le=_MOST_NUMBER)] | None = None
    no_debugger: bool = False


class CreatedSubmission(BaseModel):
    """The number of a new submission."""

    number: int


class ListedSubmission(BaseModel):
    """A submission with its latest scored version; without scores, its latest version.

    Code and log are omitted.
    """

    submission: Submission
    version: Version

    @classmethod
    def of(cls, found: SubmittedCode) -> "ListedSubmission":
        """Return a submission with its latest scored version; without scores, the latest one."""
        best = submission_versions.summary(found.versions)
        return cls(
            submission=found.submission,
            version=best.model_copy(update={"content": "", "log": ""}),
        )


class SentNotice(BaseModel):
    """A notice with the state of its delivery."""

    channel: str
    state: str
    tries: int
    error: str | None
    text: str


class ShownSubmission(BaseModel):
    """A submission with its versions in order, debuggers and notices."""

    submission: Submission
    versions: list[Version]
    sessions: list[DebugSession]
    notices: list[SentNotice]


class ChangedSubmission(BaseModel):
    """The state of a submission after a change."""

    number: int
    state: SubmissionState


@router.get("/submission-tasks")
def list_tasks(service: CurrentService, caller: Authorized.read) -> list[ListedTask]:
    """List the tasks that code can be submitted for, by name; the server's owner registers them."""
    with service.database.read() as connection:
        return [ListedTask.of(task) for task in submission_tasks.every(connection)]


@router.get("/submission-tasks/{task}/top")
def top(
    task: TaskKey, service: CurrentService, caller: Authorized.read, limit: Limit = 10
) -> list[ListedSubmission]:
    """Return the best submissions of a task, the best first."""
    best = submissions.top(service.database, task, limit, caller.scope)
    return [ListedSubmission.of(one) for one in best]


@router.post("/submissions", status_code=201)
def submit(
    body: NewCode, service: CurrentService, caller: Authorized.run, once: Once, response: Response
) -> CreatedSubmission:
    """Submit code for a task; a worker runs it."""
    answer = create(service, caller, body, once)
    response.headers["Location"] = f"/api/v1/submissions/{answer.number}"
    return answer


def create(
    service: Service, caller: Requester, body: NewCode, once: RepeatedRequest
) -> CreatedSubmission:
    """Submit code; a repeated request receives the answer to the first one."""
    new = NewSubmission(
        body.task, body.author, body.title, tuple(body.tags), body.abstract, body.tick,
        body.no_debugger,
    )  # fmt: skip
    with once.write(service.database) as (connection, earlier):
        if earlier is None:
            number = submissions.submit_in(connection, new, body.code, caller.scope)
            answer = CreatedSubmission(number=number)
            _audit(connection, caller, "submit", number)
            once.save(connection, answer)
        else:
            answer = CreatedSubmission.model_validate(earlier)
    return answer


@router.get("/submissions")
def list_submissions(  # noqa: PLR0913  each is an option of the list
    service: CurrentService,
    caller: Authorized.read,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Annotated[
        int | None,
        Query(ge=1, le=_MOST_NUMBER, description="The `next` of the previous page."),
    ] = None,
    task: Annotated[str | None, Query(max_length=100, pattern=NO_ZERO_BYTE)] = None,
    author: Annotated[str | None, Query(max_length=200, pattern=NO_ZERO_BYTE)] = None,
    state: SubmissionState | None = None,
) -> Page[ListedSubmission]:
    """List submissions, the newest first."""
    wanted = SubmissionFilter(task, author, state)
    found = submissions.page(service.database, wanted, limit + 1, cursor, caller.scope)
    ids = [str(one.submission.id) for one in found]
    return paging.page([ListedSubmission.of(one) for one in found], limit, ids)


@router.get("/submissions/{number}")
def show(number: Number, service: CurrentService, caller: Authorized.read) -> ShownSubmission:
    """Return a submission with all versions, debuggers and notices."""
    found = submissions.get(service.database, number, caller.scope)
    with service.database.read() as connection:
        sessions = debug_sessions.of_submission(connection, number)
        messages = outbox.of_submission(connection, number)
    sent = [
        SentNotice(
            channel=one.target.channel,
            state=one.state,
            tries=one.tries,
            error=one.error,
            text=one.payload["text"],
        )
        for one in messages
    ]
    return ShownSubmission(
        submission=found.submission, versions=list(found.versions), sessions=sessions, notices=sent
    )


@router.get("/submissions/{number}/versions/{version}/log", response_class=PlainTextResponse)
def log(
    number: Number, version: VersionNumber, service: CurrentService, caller: Authorized.read
) -> str:
    """Return the head and the tail of the output of a version so far."""
    return _version(service.database, caller, VersionKey(number, version)).log


@router.get(
    "/submissions/{number}/versions/{version}/events",
    response_class=StreamingResponse,
    responses={200: {"content": _STREAM, "description": "A stream of events."}},
)
def follow(
    number: Number,
    version: VersionNumber,
    service: CurrentService,
    caller: Authorized.read,
    request: Request,
) -> StreamingResponse:
    """Follow a version: each ``log`` event has the whole output, ``end`` has the outcome."""
    key = VersionKey(number, version)
    _version(service.database, caller, key)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    stream = _stream(service, caller, key, request)
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


@router.post("/submissions/{number}/cancel")
def cancel(number: Number, service: CurrentService, caller: Authorized.run) -> ChangedSubmission:
    """Cancel an open submission; a running version is stopped."""
    return _change(
        service,
        caller,
        "cancel submission",
        number,
        lambda: submissions.close(service.database, number, "cancelled"),
    )


@router.post("/submissions/{number}/void")
def void(number: Number, service: CurrentService, caller: Authorized.run) -> ChangedSubmission:
    """Declare a submission void: it is kept, but removed from the ranking."""
    return _change(
        service,
        caller,
        "void submission",
        number,
        lambda: submissions.close(service.database, number, "void"),
    )


@router.post("/submissions/{number}/restart")
def restart(number: Number, service: CurrentService, caller: Authorized.run) -> ChangedSubmission:
    """Run a submission again from the original; results of earlier rounds are kept."""
    return _change(
        service,
        caller,
        "restart submission",
        number,
        lambda: submissions.restart(service.database, number),
    )


@router.post("/submissions/{number}/resend")
def resend(number: Number, service: CurrentService, caller: Authorized.run) -> ChangedSubmission:
    """Send the notice of a finished submission again."""
    return _change(
        service,
        caller,
        "resend notice",
        number,
        lambda: submissions.resend(service.database, number),
    )


def _change(
    service: Service, caller: Requester, action: str, number: int, change: Callable[[], object]
) -> ChangedSubmission:
    submissions.get(service.database, number, caller.scope)
    change()
    with service.database.write() as connection:
        _audit(connection, caller, action, number)
    found = submissions.get(service.database, number, caller.scope).submission
    return ChangedSubmission(number=number, state=found.state)


def _audit(connection: Connection, caller: Requester, action: str, number: int) -> None:
    now = runtime.utc_now()
    accounts.audit(connection, caller.scope, caller.name, action, now, str(number))


def _version(database: Database, caller: Requester, key: VersionKey) -> Version:
    with database.read() as connection:
        stored.get(connection, key.submission_id, caller.scope)
        return submission_versions.get(connection, key)


async def _stream(
    service: Service, caller: Requester, key: VersionKey, request: Request
) -> AsyncIterator[str]:
    shown: str | None = None
    while not await request.is_disconnected():
        found = await run_in_threadpool(_version, service.database, caller, key)
        if found.log != shown:
            shown = found.log
            yield _event("log", {"state": found.state, "log": shown})
        if found.finished_at is not None:
            ended = found.model_dump(mode="json", include={"state", "score", "error", "cause"})
            yield _event("end", ended)
            return
        await anyio.sleep(_LOOK_S)


def _event(kind: str, data: dict[str, Any]) -> str:
    # JSON has no line breaks, so what code prints cannot end a field.
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"
