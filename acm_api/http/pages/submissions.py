"""Pages of code submissions: the list, one submission with its live log, versions side by side."""

from typing import Annotated, get_args

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from acm_api import submissions
from acm_api.http.pages import forms, rendering
from acm_api.http.routes import submissions as routes
from acm_api.http.routes.submissions import ListedSubmission, Number
from acm_api.http.service import CurrentService
from acm_workers.store.submissions import SubmissionFilter
from schemas.submissions import SubmissionState

router = APIRouter(include_in_schema=False)

_PER_PAGE = 100
_STATES: tuple[SubmissionState, ...] = get_args(SubmissionState)
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
