"""The routes of all pages, which show the values of the API."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from acm_api.http.pages import (
    comparing,
    documents,
    forms,
    leaderboard,
    new_run,
    rendering,
    runs,
    sessions,
    submissions,
    users,
    voting,
)
from acm_api.http.routes import providers
from acm_api.http.service import CurrentService

NOUNS = (runs, documents, new_run, comparing, leaderboard, submissions, users, voting, sessions)

router = APIRouter(include_in_schema=False)
for module in NOUNS:
    router.include_router(module.router)


@router.get("/")
def home() -> Response:
    """Redirect to the runs."""
    return RedirectResponse("/runs", 303)


@router.get("/static/pages.css")
def style() -> Response:
    """Return the style sheet."""
    return Response(rendering.style(), media_type="text/css; charset=utf-8")


@router.get("/static/pages.js")
def script() -> Response:
    """Return the script."""
    return Response(rendering.script(), media_type="text/javascript; charset=utf-8")


@router.get("/providers")
def show_providers(request: Request, service: CurrentService) -> Response:
    """Show the providers and the units that wait for them."""
    caller = forms.caller(request)
    found = providers.list_providers(service, caller)
    return rendering.page(request, "providers", caller, providers=found)
