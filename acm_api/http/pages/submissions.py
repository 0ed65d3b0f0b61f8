"""Pages of code submissions: the list, the form, a submission with its live log, and a diff."""

import secrets
from collections.abc import Mapping
from typing import Annotated, get_args

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from starlette.concurrency import run_in_threadpool

from acm_api import submissions
from acm_api.http.access import Requester
from acm_api.http.idempotency import RepeatedRequest
from acm_api.http.pages import forms, rendering
from acm_api.http.pages.forms import SentForm
from acm_api.http.routes import submissions as routes
from acm_api.http.routes.submissions import ListedSubmission, NewCode, Number
from acm_api.http.service import CurrentService, Service
from acm_workers.errors import NotFound, RequestError
from acm_workers.store.submissions import SubmissionFilter
from schemas.submissions import SubmissionState

router = APIRouter(include_in_schema=False)

_PER_PAGE = 100
_STATES: tuple[SubmissionState, ...] = get_args(SubmissionState)
_FIELDS = ("task", "author", "title", "code")
_MOST_NUMBER = 2**31 - 1

_VersionNumber = Annotated[int | None, Query(ge=1, le=_MOST_NUMBER)]
_Text = Annotated[str, Query(max_length=200)]


@router.get("/submissions")
def list_submissions(
    request: Request,
    service: CurrentService,
    cursor: _VersionNumber = None,
    task: _Text = "",
    author: _Text = "",
    state: str = "",
) -> Response:
    """Show the submissions, the newest first."""
    caller = forms.caller(request)
    chosen = next((one for one in _STATES if one == state), None)
    wanted = SubmissionFilter(task or None, author or None, chosen)
    found = submissions.page(service.database, wanted, _PER_PAGE + 1, cursor, caller.scope)
    return rendering.page(
        request,
        "submissions",
        caller,
        submissions=[ListedSubmission.of(one) for one in found[:_PER_PAGE]],
        next=found[_PER_PAGE - 1].submission.id if len(found) > _PER_PAGE else None,
        tasks=[one.key for one in routes.list_tasks(service, caller)],
        states=_STATES,
        task=task,
        author=author,
        state=chosen,
    )


@router.get("/submissions/new")
def new_submission(request: Request, service: CurrentService, task: _Text = "") -> Response:
    """Show the form that submits code."""
    caller = forms.caller(request, "run")
    author = "" if service.single_user else caller.name
    return _form_page(request, service, caller, {"task": task, "author": author})


@router.post("/submissions/new")
async def submit(request: Request, service: CurrentService) -> Response:
    """Submit the code of a form, and redirect to the submission."""
    form = await forms.read(request)
    return await run_in_threadpool(_submit, request, service, form)


def _submit(request: Request, service: Service, sent: SentForm) -> Response:
    caller = forms.caller(request, "run")
    forms.check_token(caller, sent)
    # Browsers end the lines of a form by CR LF.
    given = {name: sent.one(name).replace("\r\n", "\n") for name in _FIELDS}
    once = RepeatedRequest(caller, sent.one("key")[:64] or None, sent.digest)
    try:
        made = routes.create(service, caller, NewCode.model_validate(given), once)
    except ValidationError as error:
        faults = {str(one["loc"][0]): _fault(one) for one in error.errors()}
    except NotFound as error:
        faults = {"task": str(error)}
    except RequestError as error:
        faults = {error.where or "": str(error)}
    else:
        return RedirectResponse(f"/submissions/{made.number}", 303)
    return _form_page(request, service, caller, given, faults, sent.one("key"))


def _fault(error: ErrorDetails) -> str:
    most = error.get("ctx", {}).get("max_length")
    return "fill this in" if most is None else f"at most {most} characters"


def _form_page(
    request: Request,
    service: Service,
    caller: Requester,
    form: Mapping[str, str],
    faults: Mapping[str, str] | None = None,
    key: str = "",
) -> Response:
    return rendering.page(
        request,
        "new_submission",
        caller,
        400 if faults else 200,
        form=dict.fromkeys(_FIELDS, "") | dict(form),
        faults=faults or {},
        tasks=routes.list_tasks(service, caller),
        key=key or secrets.token_urlsafe(16),
    )


@router.get("/submissions/{number}")
def show_submission(
    request: Request, number: Number, service: CurrentService, version: _VersionNumber = None
) -> Response:
    """Show a submission: its versions, and the code and log of one of them."""
    caller = forms.caller(request)
    shown = routes.show(number, service, caller)
    latest = shown.versions[-1]
    chosen = next((one for one in shown.versions if one.version == version), latest)
    return rendering.page(request, "submission", caller, shown=shown, chosen=chosen)


@router.get("/submissions/{number}/diff")
def show_diff(
    request: Request,
    number: Number,
    service: CurrentService,
    left: _VersionNumber = None,
    right: _VersionNumber = None,
) -> Response:
    """Show two versions of a submission side by side."""
    caller = forms.caller(request)
    shown = routes.show(number, service, caller)
    versions = shown.versions
    first = next((one for one in versions if one.version == left), versions[0])
    second = next((one for one in versions if one.version == right), versions[-1])
    return rendering.page(
        request,
        "versions",
        caller,
        shown=shown,
        left=first,
        right=second,
        diff=rendering.diff(first.content, second.content),
    )
