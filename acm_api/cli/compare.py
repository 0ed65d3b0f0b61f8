"""`acm compare`: shows which of two runs writes better, by how much, and what differs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.common import AsJson, EnvFile, find_run, load_env
from acm_workers.errors import RequestError

if TYPE_CHECKING:
    from acm_workers.store.connection.database import Database
    from schemas.config.config import Config
    from schemas.run import Run
    from schemas.run_difference import RunDifference


def compare(  # noqa: PLR0913  each is an option of the command
    a: Annotated[
        str, typer.Argument(metavar="RUN_A", help="The run to compare with: id or its beginning.")
    ],
    b: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN_B", help="The run that is better or worse; the latest if absent."
        ),
    ] = None,
    fail_if_worse: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="POINTS", help="Exit with 5 if winners of RUN_B score lower by more."
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the outcome as JUnit XML.")
    ] = None,
    cross_judge: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="First have judges compare winners of N documents."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Pay for --cross-judge without asking.")
    ] = False,
    budget: Annotated[
        float | None, typer.Option(min=0, help="The most that --cross-judge may cost, in USD.")
    ] = None,
    env_file: EnvFile = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs over the same documents: which one writes better, and by how much.

    Documents are paired by path and content. Shown are the mean difference of the winners' scores
    and of all texts' scores, each with an interval; cost and time; what differs between the
    configs; and each document. "better" and "worse" are said where a whole interval lies on one
    side of 0, else "no difference seen"; "not comparable" where judges or criteria differ, or no
    document has a winner in both. Costs nothing, but for --cross-judge: then RUN_A's judges compare
    the two winners of each of N documents, in both orders, after the price is shown and agreed to;
    what they said before is not paid again. Exit codes: 0 compared; 2 bad input; 4 judging is
    paused; 5 RUN_B is worse by more than --fail-if-worse allows, or nobody can tell.
    """
    from acm_api import gates
    from acm_api.cli.view import run_difference as shown
    from acm_api.cli.view.formatting import print_json
    from acm_api.cli.view.output import echo
    from acm_api.files import atomic
    from acm_workers.engine import run_differences

    code = 0
    if cross_judge is not None:
        load_env(env_file)
        code = _cross_judge(a, b, cross_judge, budget, agreed=yes)
    found = _compared(a, b)
    missed = gates.worse(found, fail_if_worse)
    if junit is not None:
        atomic.write(junit.absolute(), run_differences.as_junit(found, missed))
    if as_json:
        print_json(found)
    else:
        shown.print_difference(found)
    if missed is not None:
        echo(missed, err=True)
        code = code or gates.MISSED
    raise typer.Exit(code)


def _compared(a: str, b: str | None) -> "RunDifference":
    from acm_api.cli.common import open_store
    from acm_workers.engine import run_differences
    from acm_workers.settings import Settings

    settings = Settings()
    if settings.api_url is not None:
        from acm_api.cli import remote

        server = remote.at(settings)
        return server.compare(a, b or server.latest())
    with open_store(settings) as database:
        return run_differences.between(database, *_both(database, a, b))


def _both(database: "Database", a: str, b: str | None) -> "tuple[Run, Run]":
    """Return two runs; the second is the latest that wrote its texts itself, if it has no name."""
    first, second = find_run(database, a), find_run(database, b)
    while b is None and second.rejudged_from is not None:
        second = find_run(database, second.crossed_with or second.rejudged_from)
    if first.id == second.id:
        raise RequestError(f"run {first.id} is not compared with itself; name two runs")
    return first, second


def _cross_judge(
    a: str, b: str | None, documents: int, budget_usd: float | None, *, agreed: bool
) -> int:
    """Have judges compare winners of two runs if the price is agreed to; return the exit code."""
    from acm_api import library
    from acm_api.cli import foreground
    from acm_api.cli.common import open_store
    from acm_api.cli.view import plans
    from acm_api.cli.view.formatting import count
    from acm_api.cli.view.output import echo
    from acm_workers import broker, runtime, submit
    from acm_workers.engine import cross_judging
    from acm_workers.settings import Settings

    settings = Settings()
    if settings.api_url is not None:
        raise RequestError("--cross-judge is not for runs at a server")
    if settings.broker_url is not None:
        broker.check(settings)
    with open_store(settings) as database:
        runs = _both(database, a, b)
        now = runtime.utc_now()
        what = cross_judging.prepare(database, *runs, documents, now, budget_usd)
        if settings.broker_url is None:
            _check_keys(what.config, runs[0].id)
            foreground.check_reachable(what.config, Path(f"run {runs[0].id}"), writes=False)
        echo(
            f"judges compare the winners of {count(len(what.pairs), 'document')}:"
            f" {plans.expectation(what.expected)}; answers that are stored cost nothing",
            err=True,
        )
        if not agreed:
            _ask()
        run = cross_judging.begin(database, what, runtime.making())
        if run.state == "paused":
            submit.resume(database, run.id, runtime.making(), budget_usd=budget_usd)
        if run.state in ("running", "paused"):
            library.finished(database, run.id, settings)
            run = find_run(database, run.id)
        if run.state == "done":
            return 0
        echo(f"run {run.id} is {run.state}: {run.reason or 'some comparisons failed'}", err=True)
        return foreground.PAUSED if run.state == "paused" else foreground.PARTIAL


def _check_keys(config: "Config", run_id: str) -> None:
    import os

    from acm_api.config import provider_checks

    found = provider_checks.problems(config, os.environ, writes=False)
    if found:
        raise RequestError(found[0].message, f"run {run_id}")


def _ask() -> None:
    """Ask whether to pay.

    Raises:
        RequestError: Nobody is there to say so, or they said no.
    """
    from acm_api.cli.view.output import echo

    if not sys.stdin.isatty():
        raise RequestError("--cross-judge pays for judging; --yes agrees to that")
    echo("go on? [y/N]", err=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise RequestError("nothing was judged")
