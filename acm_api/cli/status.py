"""`acm status`: the progress of a run, or the state of all workers."""

import json
from typing import Annotated

import typer

from acm_api.cli.common import AsJson, RunId
from acm_api.cli.view.output import echo


def status(
    run_id: RunId = None,
    workers: Annotated[
        bool,
        typer.Option("--workers", help="Show machines, processes and queues instead of a run."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the progress, the waits and the cost of a run."""
    if workers:
        from acm_api.cli import workers as worker_status

        worker_status.status(as_json=as_json)
        return
    from acm_api import run_events
    from acm_api.cli.common import find_run, open_store
    from acm_api.cli.view import progress as view
    from acm_api.cli.view.failures import cause_lines
    from acm_api.files import locks
    from acm_workers import runtime
    from acm_workers.engine import run_ownership
    from acm_workers.settings import Settings
    from acm_workers.store import results

    if (settings := Settings()).api_url is not None:
        from acm_api.cli import remote

        remote.status(settings, run_id, as_json=as_json)
        return
    with open_store(settings) as database:
        run = find_run(database, run_id)
        with database.read() as connection:
            progress = results.progress(connection, run.id)
        idle = progress.state == "running" and locks.is_idle(database)
        unserved = run_ownership.unserved(database, run, runtime.utc_now())
    if as_json:
        about = {**run_events.as_values(progress), "unserved": unserved}
        echo(json.dumps({"run_id": run.id, "state": progress.state, **about}, default=str))
        return
    echo(f"run {run.id} ({run.title}): {progress.state}{view.phase_and_percent(progress)}")
    echo(view.as_line(progress))
    for line in (*cause_lines(progress.failures), *view.waits(progress)):
        echo(line)
    if idle:
        echo(f"no process executes it now; `acm resume {run.id}` continues it")
    if unserved:
        echo(run_ownership.nobody_serves(unserved))
