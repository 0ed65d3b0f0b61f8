"""The page that compares two runs."""

import secrets
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from acm_api.http import starting
from acm_api.http.access import Requester
from acm_api.http.idempotency import RepeatedRequest
from acm_api.http.pages import forms, rendering
from acm_api.http.pages.forms import SentForm
from acm_api.http.service import CurrentService, Service
from acm_api.http.shapes import MOST_DOCUMENTS, SOME_DOCUMENTS, NewCrossJudging
from acm_workers.errors import AcmError, NotFound, RequestError
from acm_workers.store import runs

router = APIRouter(include_in_schema=False)

_OFFERED = 100
"""Number of newest runs in the form."""

_Id = Annotated[str, Query(max_length=26, pattern="^[0-9A-Za-z]*$")]


@router.get("/compare")
def compare(
    request: Request,
    service: CurrentService,
    a: _Id = "",
    b: _Id = "",
    documents: Annotated[int | None, Query(ge=1, le=MOST_DOCUMENTS)] = None,
) -> Response:
    """Show which of two runs writes better, or a form to choose two runs.

    With ``documents`` the page also shows the cost of having judges compare that many winners.
    """
    caller = forms.caller(request)
    return _page(request, service, caller, a, b, documents)


@router.post("/compare")
async def cross_judge(request: Request, service: CurrentService) -> Response:
    """Start a run in which judges compare winners of two runs, and redirect to it."""
    form = await forms.read(request)
    return await run_in_threadpool(_cross_judge, request, service, form)


def _cross_judge(request: Request, service: Service, sent: SentForm) -> Response:
    caller = forms.caller(request, "run")
    forms.check_token(caller, sent)
    a, b = sent.one("a")[:26], sent.one("b")[:26]
    with service.database.read() as connection:
        both = runs.get(connection, a, caller.scope), runs.get(connection, b, caller.scope)
    once = RepeatedRequest(caller, sent.one("key")[:64] or None, sent.digest)
    try:
        asked = _asked(sent)
        started = starting.cross_judge(service, caller, both, asked, once)
    except AcmError as error:
        return _page(request, service, caller, a, b, None, error=str(error), status=400)
    return RedirectResponse(f"/runs/{started.run_id}", 303)


def _asked(sent: SentForm) -> NewCrossJudging:
    try:
        return NewCrossJudging.model_validate_strings(
            {name: value for name in NewCrossJudging.model_fields if (value := sent.one(name))}
        )
    except ValidationError as error:
        raise RequestError("the numbers of documents and of USD are not valid") from error


def _page(  # noqa: PLR0913  each is shown
    request: Request,
    service: Service,
    caller: Requester,
    a: str,
    b: str,
    documents: int | None,
    *,
    error: str | None = None,
    status: int = 200,
) -> Response:
    from acm_api import cross_judging
    from acm_workers.engine import run_differences  # imports numpy

    with service.database.read() as connection:
        offered = runs.page(connection, _OFFERED, scope=caller.scope)
        chosen = [runs.get(connection, one, caller.scope) for one in (a, b) if one]
    found, judging = None, None
    try:
        if len(chosen) == 2:
            found = run_differences.between(service.database, chosen[0], chosen[1])
        if found is not None and documents is not None:
            what = cross_judging.prepare(service.database, chosen[0], chosen[1], documents)
            with service.database.read() as connection:
                judging = cross_judging.plan(connection, what)
    except (NotFound, RequestError) as refused:
        error = str(refused)
    return rendering.page(
        request,
        "compare",
        caller,
        status,
        found=found,
        error=error,
        offered=offered,
        a=a,
        b=b,
        judging=judging,
        documents=documents or SOME_DOCUMENTS,
        may_judge="run" in caller.may,
        key=secrets.token_urlsafe(16),
    )
