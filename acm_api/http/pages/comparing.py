"""The page that compares two runs."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from acm_api.http.pages import forms, rendering
from acm_api.http.service import CurrentService
from acm_workers.errors import NotFound
from acm_workers.store import runs

router = APIRouter(include_in_schema=False)

_OFFERED = 100
"""Newest runs that the form offers."""

_Id = Annotated[str, Query(max_length=26, pattern="^[0-9A-Za-z]*$")]


@router.get("/compare")
def compare(request: Request, service: CurrentService, a: _Id = "", b: _Id = "") -> Response:
    """Show which of two runs writes better, or ask for them."""
    from acm_workers.engine import run_differences  # imports numpy

    caller = forms.caller(request)
    with service.database.read() as connection:
        offered = runs.page(connection, _OFFERED, scope=caller.scope)
        chosen = [runs.get(connection, one, caller.scope) for one in (a, b) if one]
    found, error = None, None
    if len(chosen) == 2:
        try:
            found = run_differences.between(service.database, *chosen)
        except NotFound as gone:
            error = str(gone)
    return rendering.page(
        request, "compare", caller, found=found, error=error, offered=offered, a=a, b=b
    )
