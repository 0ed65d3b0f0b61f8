"""Comparing runs with each other, and models over all runs."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query

from acm_api.http.access import Authorized
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunId
from acm_workers.store import leaderboard, runs
from schemas.leaderboard import Leaderboard, Period
from schemas.run_difference import RunDifference

router = APIRouter(tags=["comparing"])

Day = Annotated[date | None, Query(description="A day, UTC.")]


@router.get("/runs/{run_id}/difference/{other_id}")
def difference(
    run_id: RunId, other_id: RunId, service: CurrentService, caller: Authorized.read
) -> RunDifference:
    """Return whether the other run writes better than this one over the same documents."""
    from acm_workers.engine import run_differences  # imports numpy

    with service.database.read() as connection:
        a, b = (runs.get(connection, one, caller.scope) for one in (run_id, other_id))
    return run_differences.between(service.database, a, b)


@router.get("/leaderboard")
def show_leaderboard(
    service: CurrentService,
    caller: Authorized.read,
    by: Period = "all",
    since: Day = None,
    until: Day = None,
    title: Annotated[
        str | None, Query(max_length=200, description="Only runs whose title holds this.")
    ] = None,
) -> Leaderboard:
    """Return the results of each model that wrote texts, over all runs, by period."""
    with service.database.read() as connection:
        return leaderboard.models(
            connection, caller.scope, by=by, since=since, until=until, title=title
        )
