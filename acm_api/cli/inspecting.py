"""Commands that only look: list, show, status, plan."""

import json
from pathlib import Path
from typing import Annotated

import typer

from acm_api.cli.options import DEFAULT_CONFIG, AsJson, ConfigFile, RunId


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command(epilog="Example: acm plan config.yaml --show-config")(plan)
    app.command(epilog="Example: acm status --workers")(status)
    app.command("list", epilog="Example: acm list --limit 50")(list_runs)
    app.command(epilog="Example: acm show 01JD --json")(show)


def plan(
    config: ConfigFile = DEFAULT_CONFIG,
    show_config: Annotated[
        bool,
        typer.Option("--show-config", help="Print every value and where it came from."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a run would do and cost; nothing is paid."""
    from acm_api.cli import planning, show
    from acm_api.config import loading
    from acm_workers.settings import Settings

    loaded = loading.load(config, keys=Settings().broker_url is None)
    if show_config:
        planning.print_config(loaded, as_json=as_json)
        return
    found = planning.plan(loaded)
    if as_json:
        show.as_json(found)
    else:
        planning.print_plan(loaded, found)


def status(
    run_id: RunId = None,
    workers: Annotated[
        bool,
        typer.Option("--workers", help="Show machines, processes and queues instead."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show how far a run is, what it waits for, and its spending."""
    if workers:
        from acm_api.cli import workers as machines

        machines.status(as_json=as_json)
        return
    from acm_api.cli import live
    from acm_api.cli.opening import find, store
    from acm_api.files import locks
    from acm_workers import runtime
    from acm_workers.engine import run_ownership
    from acm_workers.settings import Settings
    from acm_workers.store import results

    with store(Settings()) as database:
        found = find(database, run_id)
        with database.read() as connection:
            progress = results.progress(connection, found.id)
        idle = progress.state == "running" and locks.is_idle(database)
        unserved = run_ownership.unserved(database, found, runtime.utc_now())
    if as_json:
        about = {**live.as_dict(progress), "unserved": unserved}
        typer.echo(json.dumps({"run_id": found.id, "state": progress.state, **about}, default=str))
        return
    typer.echo(f"run {found.id} ({found.title}): {progress.state}")
    typer.echo(live.as_line(progress))
    for line in live.waits(progress):
        typer.echo(line)
    if idle:
        typer.echo(f"nobody works on it now; `acm resume {found.id}` goes on")
    if unserved:
        typer.echo(run_ownership.nobody_serves(unserved))


def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many, the newest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List runs, the newest first."""
    from acm_api.cli import planning
    from acm_api.cli.opening import store
    from acm_workers.settings import Settings
    from acm_workers.store import runs

    with store(Settings()) as database, database.read() as connection:
        found = runs.newest(connection, limit)
    if as_json:
        kept = [
            run.model_dump(
                mode="json", include={"id", "title", "state", "rejudged_from", "created_at"}
            )
            for run in found
        ]
        typer.echo(json.dumps({"runs": kept}))
    else:
        planning.print_runs(found)


def show(run_id: RunId = None, as_json: AsJson = False) -> None:
    """Show what became of a run: winners, calls and cost."""
    from acm_api.cli import rankings
    from acm_api.cli import show as showing
    from acm_api.cli.opening import find, store
    from acm_api.files import delivered
    from acm_workers.settings import Settings
    from acm_workers.store import reports, results
    from schemas.rejudged import RejudgedResult

    with store(Settings()) as database:
        found = find(database, run_id)
        with database.read() as connection:
            result = results.of_run(connection, found.id)
            report = reports.path(connection, found.id)
        winners = None if report is None else delivered.folder(database, found, Path(report))
        if found.rejudged_from is not None:
            from acm_workers import submit  # slow to import

            result = submit.result(database, found)
    if as_json:
        showing.as_json(result)
        return
    typer.echo(f"run {result.run_id} ({found.title}): {result.state}\n")
    showing.result(result, showing.console())
    if isinstance(result, RejudgedResult):
        rankings.print_changes(result)
    hint = showing.mending(result)
    if hint is not None:
        typer.echo(hint)
    if report is not None:
        showing.files(report, winners)
