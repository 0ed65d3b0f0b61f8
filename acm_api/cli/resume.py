"""`acm resume`: resume a run."""

from typing import Annotated

import typer

from acm_api.cli.common import AsJson, EnvFile, OpenReport, Plain, RunId, load_env


def resume(  # noqa: PLR0913  each is an option of the command
    run_id: RunId = None,
    failed: Annotated[
        bool,
        typer.Option("--failed", help="Also try failed units of documents with a winner again."),
    ] = False,
    budget: Annotated[
        float | None, typer.Option(min=0, help="New budget of the whole run, in USD.")
    ] = None,
    env_file: EnvFile = None,
    open_report: OpenReport = False,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Resume a run that was stopped, paused, cancelled or failed.

    Failed units of documents without a winner are tried again; finished work is not paid for again.
    """
    from acm_api.cli.common import find_run, open_store
    from acm_api.cli.foreground import check_files, run_to_end, show_report
    from acm_api.cli.view.progress import choose, say
    from acm_workers import broker, runtime, submit
    from acm_workers.settings import Settings

    view = choose(plain=plain, as_json=as_json)
    load_env(env_file)
    settings = Settings()
    if settings.api_url is not None:
        from acm_api.cli import remote

        code = remote.resume(settings, run_id, view, failed=failed, budget_usd=budget)
        raise typer.Exit(code)
    if settings.broker_url is not None:
        broker.check(settings)
    with open_store(settings) as database:
        run = find_run(database, run_id)
        check_files(database, run, settings)
        planned = submit.resume(
            database, run.id, runtime.making(), failed=failed, budget_usd=budget
        )
        say(view, f"resuming run {run.id}{_planned_again(planned)}")
        code = run_to_end(database, run, view, settings)
        if open_report:
            show_report(database, run.id, view)
        raise typer.Exit(code)


def _planned_again(units: int) -> str:
    if not units:
        return ""
    return "; 1 unit is tried again" if units == 1 else f"; {units} units are tried again"
