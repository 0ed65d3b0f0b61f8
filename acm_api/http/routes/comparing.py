"""Routes that compare runs with each other, and models over all runs."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query

from acm_api.http import starting
from acm_api.http.access import Authorized
from acm_api.http.idempotency import Once
from acm_api.http.service import CurrentService
from acm_api.http.shapes import (
    MOST_DOCUMENTS,
    NO_ZERO_BYTE,
    SOME_DOCUMENTS,
    NewCrossJudging,
    RunId,
)
from acm_workers.store import leaderboard, runs
from schemas.leaderboard import Leaderboard, Period
from schemas.run_difference import CrossJudgingPlan, RunDifference

router = APIRouter(tags=["comparing"])

Day = Annotated[date | None, Query(description="A day in UTC.")]


@router.get("/runs/{run_id}/difference/{other_id}")
def difference(
    run_id: RunId, other_id: RunId, service: CurrentService, caller: Authorized.read
) -> RunDifference:
    """Compare a run with another one over the same documents."""
    from acm_workers.engine import run_differences  # imports numpy

    with service.database.read() as connection:
        a, b = (runs.get(connection, one, caller.scope) for one in (run_id, other_id))
    return run_differences.between(service.database, a, b)


@router.get("/runs/{run_id}/difference/{other_id}/cross-judging")
def plan_cross_judging(
    run_id: RunId,
    other_id: RunId,
    service: CurrentService,
    caller: Authorized.read,
    documents: Annotated[int, Query(ge=1, le=MOST_DOCUMENTS)] = SOME_DOCUMENTS,
) -> CrossJudgingPlan:
    """Return the expected calls and cost of cross-judging; no calls are made."""
    from acm_api import cross_judging  # imports numpy

    with service.database.read() as connection:
        a, b = (runs.get(connection, one, caller.scope) for one in (run_id, other_id))
    what = cross_judging.prepare(service.database, a, b, documents)
    with service.database.read() as connection:
        return cross_judging.plan(connection, what)


@router.post("/runs/{run_id}/difference/{other_id}/cross-judging", status_code=202)
def cross_judge(
    run_id: RunId,
    other_id: RunId,
    service: CurrentService,
    caller: Authorized.run,
    once: Once,
    body: NewCrossJudging | None = None,
) -> CrossJudgingPlan:
    """Have the judges of the first run compare winners of both, each pair in both orders.

    The comparisons are a new run, whose id is ``run_id`` of the answer; a paused one is resumed.
    Earlier comparisons are not repeated.
    """
    asked = body or NewCrossJudging()
    with service.database.read() as connection:
        a, b = (runs.get(connection, one, caller.scope) for one in (run_id, other_id))
    return starting.cross_judge(service, caller, (a, b), asked, once)


@router.get("/leaderboard")
def show_leaderboard(
    service: CurrentService,
    caller: Authorized.read,
    by: Period = "all",
    since: Day = None,
    until: Day = None,
    title: Annotated[
        str | None,
        Query(
            max_length=200,
            pattern=NO_ZERO_BYTE,
            description="Only runs whose title contains this.",
        ),
    ] = None,
) -> Leaderboard:
    """Return the results of each writing model over all runs, by period."""
    with service.database.read() as connection:
        return leaderboard.models(
            connection, caller.scope, by=by, since=since, until=until, title=title
        )
