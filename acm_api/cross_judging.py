"""Comparisons between the winners of two runs: estimating the cost, and starting."""

import os

from sqlalchemy import Connection

from acm_api.config import provider_checks
from acm_api.config.provider_checks import Keys
from acm_workers import runtime, submit
from acm_workers.engine import cross_judging
from acm_workers.engine.cross_judging import CrossJudging
from acm_workers.errors import Conflict
from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from schemas.run import Run
from schemas.run_difference import CrossJudgingPlan


def prepare(
    database: Database,
    a: Run,
    b: Run,
    documents: int,
    *,
    budget_usd: float | None = None,
    keys: Keys = "later",
) -> CrossJudging:
    """Return the comparisons of the winners of ``documents``; nothing is written or paid.

    Raises:
        Conflict: There are no winners to compare or no judges, or a key is missing.
    """
    now = runtime.utc_now()
    what = cross_judging.prepare(database, a, b, documents, now, budget_usd)
    found = provider_checks.problems(what.config, os.environ, writes=False, keys=keys)
    if found:
        raise Conflict(found[0].message, f"run {a.id}")
    return what


def earlier(connection: Connection, what: CrossJudging) -> Run | None:
    """Return the existing run that compares these winners; None if there is none."""
    return cross_judging.earlier(connection, what)


def plan(connection: Connection, what: CrossJudging) -> CrossJudgingPlan:
    """Return the number of comparisons and their cost, and the run that makes them, if any."""
    known = earlier(connection, what)
    return CrossJudgingPlan(
        documents=len(what.pairs),
        judges=tuple(one.name for one in what.config.comparing_judges),
        expected=what.expected,
        run_id=None if known is None else known.id,
        state=None if known is None else known.state,
    )


def begin_in(connection: Connection, what: CrossJudging) -> Run:
    """Start the run that compares the winners, or resume it, in a transaction that is open.

    A finished run is returned unchanged.
    """
    known = earlier(connection, what)
    if known is None:
        return cross_judging.begin_in(connection, what, runtime.making())
    if known.state == "paused":
        submit.resume_in(connection, known, what.config, runtime.utc_now())
    return runs.get(connection, known.id)
