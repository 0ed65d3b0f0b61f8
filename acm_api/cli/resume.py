"""`acm resume`: resume a run."""

from typing import Annotated

import typer

from acm_api.cli.common import AsJson, Plain, RunId


def resume(
    run_id: RunId = None,
    failed: Annotated[
        bool,
        typer.Option("--failed", help="Also try failed units of documents that have a winner."),
    ] = False,
    budget: Annotated[
        float | None, typer.Option(min=0, help="The run's new total budget, in USD.")
    ] = None,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Resume a run that was stopped, paused, cancelled or failed.

    Documents without a winner are tried again; nothing that is done is paid again.
    """
    from acm_api.cli.common import find_run, open_store
    from acm_api.cli.foreground import run_to_end
    from acm_api.cli.view.progress import choose, say
    from acm_workers import broker, runtime, submit
    from acm_workers.settings import Settings

    view = choose(plain=plain, as_json=as_json)
    settings = Settings()
    if settings.broker_url is not None:
        broker.check(settings)
    with open_store(settings) as database:
        run = find_run(database, run_id)
        planned = submit.resume(
            database, run.id, runtime.making(), failed=failed, budget_usd=budget
        )
        again = f"; {planned} units are tried again" if planned else ""
        say(view, f"going on with run {run.id}{again}")
        raise typer.Exit(run_to_end(database, run, view, settings))
