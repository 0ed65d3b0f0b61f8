"""`acm compare`: compare two runs over the same documents."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acm_api.cli.common import AsJson, EnvFile, find_run, load_env
from acm_workers.errors import RequestError

if TYPE_CHECKING:
    from acm_workers.settings import Settings
    from acm_workers.store.connection.database import Database
    from schemas.run import Run
    from schemas.run_difference import CrossJudgingPlan, RunDifference


def compare(  # noqa: PLR0913  each is an option of the command
    a: Annotated[
        str,
        typer.Argument(metavar="RUN_A", help="Id of the baseline run, or its first characters."),
    ],
    b: Annotated[
        str | None,
        typer.Argument(metavar="RUN_B", help="The run to compare with it; default: the latest."),
    ] = None,
    fail_if_worse: Annotated[
        float | None,
        typer.Option(
            min=0, metavar="POINTS", help="Exit with 5 if RUN_B scores lower by more than this."
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the result as JUnit XML.")
    ] = None,
    cross_judge: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Have judges compare the winners of N documents."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Start --cross-judge without confirmation.")
    ] = False,
    budget: Annotated[
        float | None, typer.Option(min=0, help="Maximum cost of --cross-judge, in USD.")
    ] = None,
    env_file: EnvFile = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs over the same documents: which one writes better, and by how much.

    Documents are paired by path and content. The output shows the mean difference of the winners'
    scores and of all texts' scores, each with an interval; cost and time; the differences between
    the configs; and each document.

    The conclusion is "better" or "worse" if a whole interval lies on one side of 0, and "no
    difference seen" otherwise. It is "not comparable" if judges or criteria differ, or if no
    document has a winner in both runs.

    Only --cross-judge costs money: the judges of RUN_A compare the two winners of each of N
    documents, in both orders. The expected cost is shown first and must be confirmed. Comparisons
    that were made earlier are not paid for again.

    Exit codes: 0 compared; 2 bad input; 4 judging is paused; 5 RUN_B is worse by more than
    --fail-if-worse allows, or the runs are not comparable.
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
        return run_differences.between(database, *_two_runs(database, a, b))


def _two_runs(database: "Database", a: str, b: str | None) -> "tuple[Run, Run]":
    """Return two runs; without ``b`` the second is the latest run that wrote its own texts."""
    first, second = find_run(database, a), find_run(database, b)
    while b is None and second.rejudged_from is not None:
        second = find_run(database, second.crossed_with or second.rejudged_from)
    if first.id == second.id:
        raise RequestError(f"run {first.id} is not compared with itself; name two runs")
    return first, second


def _cross_judge(
    a: str, b: str | None, documents: int, budget_usd: float | None, *, agreed: bool
) -> int:
    """Have judges compare winners of two runs after confirmation; return the exit code."""
    from acm_api import cross_judging, library
    from acm_api.cli import foreground
    from acm_api.cli.common import open_store
    from acm_workers import broker
    from acm_workers.settings import Settings

    settings = Settings()
    if settings.api_url is not None:
        return _cross_judge_at_server(settings, a, b, documents, budget_usd, agreed=agreed)
    if settings.broker_url is not None:
        broker.check(settings)
    with open_store(settings) as database:
        runs = _two_runs(database, a, b)
        what = cross_judging.prepare(
            database,
            *runs,
            documents,
            budget_usd=budget_usd,
            keys="here" if settings.broker_url is None else "workers",
        )
        if settings.broker_url is None:
            foreground.check_reachable(what.config, Path(f"run {runs[0].id}"), writes=False)
        with database.read() as connection:
            plan = cross_judging.plan(connection, what)
        _agree(plan, agreed=agreed)
        with database.write() as connection:
            run = cross_judging.begin_in(connection, what)
        if run.state == "running":
            run, _ = library.finished(database, run.id, settings)
    return _ended(run.id, run.state, run.reason)


def _cross_judge_at_server(
    settings: "Settings",
    a: str,
    b: str | None,
    documents: int,
    budget_usd: float | None,
    *,
    agreed: bool,
) -> int:
    from acm_api.cli import foreground, remote

    server = remote.at(settings)
    other = b or server.latest()
    _agree(server.plan_cross_judging(a, other, documents), agreed=agreed)
    run_id = server.cross_judge(a, other, documents, budget_usd=budget_usd)
    if not remote.followed(server, run_id, "json"):
        return foreground.INTERRUPTED
    found = server.show(run_id)
    return _ended(run_id, found.state, found.reason)


def _ended(run_id: str, state: str, reason: str | None) -> int:
    """Print why winners were not compared, if so; return the exit code."""
    from acm_api.cli import foreground
    from acm_api.cli.view.output import echo

    if state == "done":
        return 0
    echo(f"run {run_id} is {state}: {reason or 'some comparisons failed'}", err=True)
    return foreground.PAUSED if state == "paused" else foreground.PARTIAL


def _agree(plan: "CrossJudgingPlan", *, agreed: bool) -> None:
    """Show the expected cost of judging, and ask for confirmation.

    Raises:
        RequestError: The user declined, or stdin is not a terminal.
    """
    from acm_api.cli.view import plans
    from acm_api.cli.view.formatting import count
    from acm_api.cli.view.output import echo

    echo(
        f"judges compare the winners of {count(plan.documents, 'document')}:"
        f" {plans.expectation(plan.expected)}; answers that are stored cost nothing",
        err=True,
    )
    if agreed:
        return
    if not sys.stdin.isatty():
        raise RequestError("--cross-judge costs money; confirm it with --yes")
    echo("continue? [y/N]", err=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise RequestError("nothing was judged")
