"""The pages for voting: two texts to choose from, and the results of all votes."""

from typing import Annotated, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from acm_api.http.pages import forms, rendering
from acm_api.http.pages.forms import SentForm
from acm_api.http.routes import votes as voting_routes
from acm_api.http.service import CurrentService, Service
from acm_api.http.shapes import RunId
from acm_workers import runtime
from acm_workers.engine import voting
from acm_workers.errors import AcmError, RequestError
from acm_workers.store import runs
from schemas.votes import Choice

router = APIRouter(include_in_schema=False)

_CHOICES: tuple[Choice, ...] = get_args(Choice)
Voter = Annotated[str, Query(max_length=200)]


@router.get("/runs/{run_id}/vote")
def vote(
    request: Request, run_id: RunId, service: CurrentService, voter: Voter = "", error: str = ""
) -> Response:
    """Show the next two texts."""
    caller = forms.caller(request, "run")
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    name = voting_routes.voter_name(service, caller, voter.strip() or None)
    status, ballot = 200, None
    try:
        ballot = voting.next_ballot(service.database, run.id, name, runtime.making())
    except RequestError as refused:
        status, error = 409, str(refused)
    return rendering.page(
        request, "vote", caller, status, run=run, ballot=ballot, voter=name, error=error[:300]
    )


@router.post("/runs/{run_id}/vote")
async def answer(request: Request, run_id: RunId, service: CurrentService) -> Response:
    """Save a vote, and redirect to the next two texts."""
    asked = await forms.read(request)
    return await run_in_threadpool(_answer, request, run_id, service, asked)


def _answer(request: Request, run_id: str, service: Service, asked: SentForm) -> Response:
    caller = forms.caller(request, "run")
    forms.check_token(caller, asked)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    voter = voting_routes.voter_name(service, caller, asked.one("voter").strip() or None)
    query = {"voter": voter}
    try:
        if asked.one("choice") == "undo":
            voting.undo(service.database, run.id, voter)
        else:
            choice = next((one for one in _CHOICES if one == asked.one("choice")), None)
            if choice is None:
                raise RequestError("choose one of the answers")
            now = runtime.utc_now()
            voting.cast(service.database, run.id, voter, asked.one("vote_id")[:32], choice, now)
    except AcmError as error:
        query["error"] = str(error)
    return RedirectResponse(f"/runs/{run.id}/vote?{urlencode(query)}", 303)


@router.get("/runs/{run_id}/votes")
def result(request: Request, run_id: RunId, service: CurrentService) -> Response:
    """Show the results of the votes so far."""
    caller = forms.caller(request)
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    found = voting.result(service.database, run.id)
    return rendering.page(request, "votes", caller, run=run, report={"people": found})
