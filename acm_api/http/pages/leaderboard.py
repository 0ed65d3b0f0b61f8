"""The page with the results of models over all runs."""

from typing import Annotated, get_args

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from acm_api.http.pages import forms, rendering
from acm_api.http.service import CurrentService
from acm_workers.store import leaderboard
from schemas.leaderboard import Period

router = APIRouter(include_in_schema=False)

_PERIODS: tuple[Period, ...] = get_args(Period)


@router.get("/leaderboard")
def show_leaderboard(
    request: Request,
    service: CurrentService,
    q: Annotated[str, Query(max_length=200)] = "",
    by: str = "all",
) -> Response:
    """Show for each model the share of documents that its texts won, and their cost."""
    caller = forms.caller(request)
    chosen: Period = next((one for one in _PERIODS if one == by), "all")
    with service.database.read() as connection:
        board = leaderboard.models(connection, caller.scope, by=chosen, title=q or None)
    return rendering.page(
        request, "leaderboard", caller, rows=board.rows, q=q, by=chosen, periods=_PERIODS
    )
