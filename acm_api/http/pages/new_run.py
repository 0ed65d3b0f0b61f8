"""The form that plans and starts a new run."""

import secrets
from pathlib import Path
from typing import NamedTuple

import yaml
from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from acm_api import library
from acm_api.config import source
from acm_api.config.provider_checks import Keys
from acm_api.http import shapes, starting
from acm_api.http.access import Requester
from acm_api.http.idempotency import RepeatedRequest
from acm_api.http.pages import forms, rendering
from acm_api.http.pages.forms import SentForm
from acm_api.http.service import CurrentService, Service
from acm_workers import runtime, submit
from acm_workers.errors import AcmError, RequestError
from acm_workers.store import documents, runs
from schemas.plan import RunPlan

router = APIRouter(include_in_schema=False)

_MOST_DOCUMENTS = 500
_EXAMPLE = """\
runs:
  - {type: fpf, provider: openai, model: gpt-5.6-sol, iterations: 2}
judges:
  - {provider: openai, model: gpt-5.6-sol, iterations: 2}
budget_usd: 2
"""


class NewRunForm(NamedTuple):
    """The values of the form of a new run."""

    title: str
    instructions: str
    config: str
    documents: list[tuple[str, str]]


@router.get("/new")
def new_run(request: Request, service: CurrentService, like: str | None = None) -> Response:
    """Show the form of a new run, filled in from the run ``like`` if given."""
    caller = forms.caller(request, "run")
    form = NewRunForm("", "", _EXAMPLE, [("document.md", "")])
    if like:
        with service.database.read() as connection:
            run = runs.get(connection, like, caller.scope)
            runs.require_texts(run)
            texts = documents.texts(connection, run.id)
            found = documents.page(connection, run.id, _MOST_DOCUMENTS)
        form = NewRunForm(
            run.title,
            run.instructions,
            _as_yaml(run.config.model_dump(mode="json", by_alias=True, exclude_defaults=True)),
            [(one.path, texts[one.id]) for one in found],
        )
    return _form_page(request, caller, form)


@router.post("/new")
async def plan_or_start(request: Request, service: CurrentService) -> Response:
    """Plan or start the run that a form describes."""
    form = await forms.read(request)
    return await run_in_threadpool(_plan_or_start, request, service, form)


def _plan_or_start(request: Request, service: Service, sent: SentForm) -> Response:
    caller = forms.caller(request, "run")
    forms.check_token(caller, sent)
    names, texts = sent.fields.get("name", []), sent.fields.get("text", [])
    given = list(zip(names, texts, strict=False))
    form = NewRunForm(sent.one("title"), sent.one("instructions"), sent.one("config"), given)
    starts = sent.one("action") == "start"
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
            return _form_page(request, caller, form, plan=plan, key=sent.one("key"))
        once = RepeatedRequest(caller, sent.one("key")[:64] or None, sent.digest)
        started = starting.start(service, caller, work, once)
    except AcmError as error:
        more = error.more if isinstance(error, RequestError) else ()
        return _form_page(request, caller, form, errors=(error, *more), status=400)
    run_id = started.run_id or started.skipped[0].run_id
    return RedirectResponse(f"/runs/{run_id}", 303)


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
