"""The routes of the pages; they show what the API returns."""

import hashlib
import secrets
from pathlib import Path
from typing import Annotated, NamedTuple, get_args
from urllib.parse import parse_qs

import yaml
from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from acm_api import library
from acm_api.config import source
from acm_api.config.provider_checks import Keys
from acm_api.files import locks
from acm_api.http import access, shapes, starting
from acm_api.http.access import Requester
from acm_api.http.idempotency import RepeatedRequest
from acm_api.http.pages import rendering
from acm_api.http.paging import Cursor
from acm_api.http.routes import downloads, providers
from acm_api.http.service import CurrentService, Service
from acm_api.http.shapes import RunId, UnitId
from acm_workers import runtime, submit
from acm_workers.errors import AcmError, RequestError
from acm_workers.store import (
    accounts,
    artifacts,
    calls,
    comparisons,
    documents,
    evaluations,
    runs,
)
from schemas.plan import RunPlan
from schemas.ranking import Standing
from schemas.run import Run
from schemas.scope import Scope
from schemas.units import Artifact, RunState

router = APIRouter(include_in_schema=False)

_STATES: tuple[RunState, ...] = get_args(RunState)
_KINDS = (("artifact", "Candidates"), ("evaluation", "Scores"), ("comparison", "Comparisons"))
_PER_PAGE = 100
_MOST_UNITS = 500
_EXAMPLE = """\
runs:
  - {type: fpf, provider: openai, model: gpt-5.6-sol, iterations: 2}
judges:
  - {provider: openai, model: gpt-5.6-sol, iterations: 2}
budget_usd: 2
"""


class ShownCandidate(NamedTuple):
    """A candidate as a page shows it."""

    artifact: Artifact
    standing: Standing | None
    label: str


class ShownRow(NamedTuple):
    """A document of a run as a page lists it."""

    id: str
    run_id: str
    path: str
    state: str
    stage: str
    reason: str | None
    best: str | None
    p_best: float | None
    overall: float | None
    settled: bool


class NewRunForm(NamedTuple):
    """What the form of a new run holds."""

    title: str
    instructions: str
    config: str
    documents: list[tuple[str, str]]


class _Asked(NamedTuple):
    """A form that was sent."""

    fields: dict[str, list[str]]
    digest_key: str

    def one(self, name: str) -> str:
        return self.fields.get(name, [""])[0]


def _caller(request: Request, scope: accounts.KeyScope = "read") -> Requester:
    """Return who looks at a page.

    Raises:
        starlette.exceptions.HTTPException: Nobody is logged in: the browser is sent to the login.
    """
    caller = access.caller_of(request)
    if caller is None:
        raise HTTPException(303, "log in first", {"Location": "/login"})
    if scope not in caller.may:
        raise HTTPException(403, f"your key has not the scope {scope}")
    return caller


@router.get("/")
def home() -> Response:
    """Lead to the runs."""
    return RedirectResponse("/runs", 303)


@router.get("/static/pages.css")
def style() -> Response:
    """Return the style sheet."""
    return Response(rendering.style(), media_type="text/css; charset=utf-8")


@router.get("/static/pages.js")
def script() -> Response:
    """Return the script."""
    return Response(rendering.script(), media_type="text/javascript; charset=utf-8")


@router.get("/runs")
def list_runs(
    request: Request,
    service: CurrentService,
    cursor: Cursor = None,
    state: str = "",
    q: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Show the runs, the newest first."""
    caller = _caller(request)
    chosen = next((one for one in _STATES if one == state), None)
    with service.database.read() as connection:
        found = runs.page(
            connection,
            _PER_PAGE + 1,
            cursor,
            scope=caller.scope,
            state=chosen,
            title=q or None,
        )
    following = found[_PER_PAGE - 1].id if len(found) > _PER_PAGE else None
    return rendering.page(
        request,
        "runs",
        caller,
        runs=found[:_PER_PAGE],
        next=following,
        states=_STATES,
        state=chosen,
        q=q,
    )


@router.get("/runs/{run_id}")
def show_run(
    request: Request, run_id: RunId, service: CurrentService, cursor: Cursor = None
) -> Response:
    """Show a run: progress, waits, failures by cause, documents with their best candidate."""
    caller = _caller(request)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = documents.page(connection, run.id, _PER_PAGE + 1, cursor)
        rows = []
        for one in found[:_PER_PAGE]:
            standings, _ = documents.ranking(connection, one.id)
            best = standings[0] if standings and one.winner_id else None
            winner = None if best is None else artifacts.get(connection, best.artifact_id)
            rows.append(
                ShownRow(
                    one.id,
                    run.id,
                    one.path,
                    one.state,
                    one.stage,
                    one.reason,
                    None if winner is None else winner.name,
                    None if best is None else best.p_best,
                    None if best is None else best.overall,
                    one.settled,
                )
            )
    progress = service.progress.of(run.id)
    return rendering.page(
        request,
        "run",
        caller,
        run=run,
        progress=progress,
        kinds=_KINDS,
        documents=rows,
        more=found[_PER_PAGE - 1].id if len(found) > _PER_PAGE else None,
        abandoned=_is_abandoned(service, run),
    )


@router.get("/runs/{run_id}/documents/{document_id}")
def show_document(
    request: Request, run_id: RunId, document_id: UnitId, service: CurrentService
) -> Response:
    """Show a document: its candidates, what judges said, and the texts."""
    caller = _caller(request)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        document = documents.in_run(connection, run.id, document_id)
        standings, _ = documents.ranking(connection, document.id)
        texts = artifacts.page(connection, run.id, _MOST_UNITS, document_id=document.id)
        full = [artifacts.get(connection, one.id) or one for one in texts]
        verdicts = comparisons.shown(connection, document.id, _MOST_UNITS)
        scores = evaluations.shown(connection, document.id, _MOST_UNITS)
        text = documents.text(connection, document.id)
    by_id = {one.artifact_id: one for one in standings}
    candidates = [ShownCandidate(one, by_id.get(one.id), one.name) for one in full]
    candidates.sort(key=lambda one: (one.standing.rank if one.standing else 10**6, one.artifact.id))
    return rendering.page(
        request,
        "document",
        caller,
        run=run,
        document=document,
        candidates=candidates,
        labels={one.artifact.id: one.label for one in candidates},
        verdicts=verdicts,
        scores=scores,
        source=text,
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
    caller = _caller(request)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = calls.page(connection, run.id, _PER_PAGE + 1, cursor, unit_id)
    return rendering.page(
        request,
        "calls",
        caller,
        run=run,
        calls=found[:_PER_PAGE],
        next=found[_PER_PAGE - 1].id if len(found) > _PER_PAGE else None,
        unit_id=unit_id,
    )


@router.get("/runs/{run_id}/calls/{call_id}")
def show_call(
    request: Request, run_id: RunId, call_id: UnitId, service: CurrentService
) -> Response:
    """Show a call: what was sent, what came back, tokens, cost and evidence."""
    from acm_workers.tasks import transcript  # Celery is slow to import

    caller = _caller(request)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        call = calls.in_run(connection, run.id, call_id)
    sent = transcript.request_of(service.database, call)
    messages = None if sent is None else sent.messages
    return rendering.page(request, "call", caller, run=run, call=call, messages=messages)


@router.get("/runs/{run_id}/report")
def show_report(request: Request, run_id: RunId, service: CurrentService) -> Response:
    """Show the report, rendered from the store."""
    return downloads.report(run_id, service, _caller(request))


@router.get("/providers")
def show_providers(request: Request, service: CurrentService) -> Response:
    """Show the providers and what waits for them."""
    caller = _caller(request)
    found = providers.list_providers(service, caller)
    return rendering.page(request, "providers", caller, providers=found)


@router.get("/new")
def new_run(request: Request, service: CurrentService, like: str | None = None) -> Response:
    """Show the form of a new run; ``like`` names a run whose values it begins with."""
    caller = _caller(request, "run")
    form = NewRunForm("", "", _EXAMPLE, [("document.md", "")])
    if like:
        with service.database.read() as connection:
            run = runs.get(connection, like, caller.scope)
            runs.require_texts(run)
            texts = documents.texts(connection, run.id)
            found = documents.page(connection, run.id, _MOST_UNITS)
        form = NewRunForm(
            run.title,
            run.instructions,
            _as_yaml(run.config.model_dump(mode="json", by_alias=True, exclude_defaults=True)),
            [(one.path, texts[one.id]) for one in found],
        )
    return _form_page(request, caller, form)


@router.post("/new")
async def plan_or_start(request: Request, service: CurrentService) -> Response:
    """Plan or start the run of a form."""
    asked = await _read_form(request)
    return await run_in_threadpool(_plan_or_start, request, service, asked)


def _plan_or_start(request: Request, service: Service, asked: _Asked) -> Response:
    caller = _caller(request, "run")
    _check_token(caller, asked)
    names, texts = asked.fields.get("name", []), asked.fields.get("text", [])
    given = list(zip(names, texts, strict=False))
    form = NewRunForm(asked.one("title"), asked.one("instructions"), asked.one("config"), given)
    starts = asked.one("action") == "start"
    try:
        local: Keys = "here" if starts else "later"
        work = library.work_of_values(
            _values(form.config),
            {name: text for name, text in given if text.strip()},
            form.instructions,
            None,
            title=form.title[:300] or "texts",
            keys=local if service.settings.broker_url is None else "workers",
        )
        if not starts:
            plan = submit.planned(work, work.inputs, runtime.utc_now())
            return _form_page(request, caller, form, plan=plan, key=asked.one("key"))
        once = RepeatedRequest(caller, asked.one("key")[:64] or None, asked.digest_key)
        started = starting.start(service, caller, work, once)
    except AcmError as error:
        more = error.more if isinstance(error, RequestError) else ()
        return _form_page(request, caller, form, errors=(error, *more), status=400)
    run_id = started.run_id or started.skipped[0].run_id
    return RedirectResponse(f"/runs/{run_id}", 303)


@router.get("/login")
def login_page(request: Request) -> Response:
    """Show the login."""
    return rendering.page(request, "login", None, error=None)


@router.post("/login")
async def log_in(request: Request, service: CurrentService) -> Response:
    """Begin a session with a key."""
    asked = await _read_form(request)
    return await run_in_threadpool(_log_in, request, service, asked)


def _log_in(request: Request, service: Service, asked: _Asked) -> Response:
    address = request.client.host if request.client else ""
    service.logins.check(address)
    now = runtime.utc_now()
    with service.database.write() as connection:
        owner = accounts.key_owner(connection, asked.one("key").strip(), now)
        if owner is None:
            service.logins.failed(address)
            error = "this key is wrong, expired or revoked"
            return rendering.page(request, "login", None, 401, error=error)
        session = accounts.begin_session(connection, owner, now)
        accounts.audit(connection, Scope(owner.tenant_id), owner.name, "login", now)
    answer = RedirectResponse("/runs", 303)
    answer.set_cookie(
        access.COOKIE,
        session.cookie,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        expires=session.expires_at,
    )
    return answer


@router.post("/logout")
async def log_out(request: Request, service: CurrentService) -> Response:
    """End the session."""
    asked = await _read_form(request)
    _check_token(_caller(request), asked)

    def end() -> None:
        with service.database.write() as connection:
            accounts.end_session(connection, request.cookies.get(access.COOKIE, ""))

    await run_in_threadpool(end)
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(access.COOKIE)
    return answer


async def _read_form(request: Request) -> _Asked:
    body = await request.body()
    try:
        fields = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=20_000)
    except ValueError as error:
        raise HTTPException(400, "the form cannot be read") from error
    return _Asked(fields, hashlib.sha256(body).hexdigest())


def _check_token(caller: Requester, asked: _Asked) -> None:
    if caller.csrf is not None and not secrets.compare_digest(
        asked.one("csrf").encode(), caller.csrf.encode()
    ):
        raise HTTPException(403, "the token of the session is missing; load the page again")


def _form_page(  # noqa: PLR0913  each is shown
    request: Request,
    caller: Requester,
    form: NewRunForm,
    *,
    plan: RunPlan | None = None,
    errors: tuple[AcmError, ...] = (),
    status: int = 200,
    key: str = "",
) -> Response:
    shown = [
        shapes.FormError(message=str(one), where=getattr(one, "where", None)) for one in errors
    ]
    filled = form._replace(documents=form.documents or [("document.md", "")])
    return rendering.page(
        request,
        "new",
        caller,
        status,
        form=filled,
        plan=plan,
        errors=shown,
        key=key or secrets.token_urlsafe(16),
    )


def _values(text: str) -> dict[str, object]:
    data = source.parse_yaml(text, Path("config")).data
    if not isinstance(data, dict):
        raise RequestError("a config must be a mapping of keys, such as runs:", "config")
    return {str(name): value for name, value in data.items()}


def _as_yaml(values: dict[str, object]) -> str:
    folders = ("input_folder", "output_folder", "winners_folder", "reports_folder")
    left_out = {*folders, "instructions_file", "guidelines_file"}
    kept = {name: value for name, value in values.items() if name not in left_out}
    return yaml.safe_dump(kept, sort_keys=False, allow_unicode=True, width=100)


def _is_abandoned(service: Service, run: Run) -> bool:
    """Return whether nobody works on a running run, and no server is to."""
    if run.state != "running" or run.serves_submissions:
        return False
    if service.settings.broker_url is not None:
        return False
    with service.database.read() as connection:
        waiting = {one.id for one in runs.requested(connection)}
    return run.id not in waiting and locks.is_idle(service.database)
