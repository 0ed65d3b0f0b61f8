"""`acm settle`: decide a run now from the results so far."""

import typer

from acm_api.cli.common import AsJson, Plain, RunId


def settle(run_id: RunId = None, plain: Plain = False, as_json: AsJson = False) -> None:
    """Decide a run now from the results so far; no further calls are made.

    Use it when the budget is spent or a deadline is near. Calls in flight finish and count; planned
    units are skipped. Documents with two judged candidates get a winner, which is marked as settled
    early, with its probability of being the best. The files are written, and exit codes are those
    of `acm run`. `acm resume --failed` processes the skipped units later, and pays only for these.
    """
    from acm_api.cli.common import find_run, open_store
    from acm_api.cli.follow import follow_to_end
    from acm_api.cli.view.progress import choose, say
    from acm_api.files import locks
    from acm_workers import logs, runtime, submit
    from acm_workers.settings import Settings

    view, settings = choose(plain=plain, as_json=as_json), Settings()
    if settings.api_url is not None:
        from acm_api.cli import remote

        raise typer.Exit(remote.settle(settings, run_id, view))
    logs.to_file(logs.file(settings), settings.log_level)
    with open_store(settings) as database:
        run = find_run(database, run_id)
        idle = locks.is_idle(database)
        found = submit.settle(database, run.id, runtime.making(), idle=idle)
        submit.cancel_background_calls(database, found, runtime.utc_now)
        if found.state == "running":
            say(view, f"run {run.id} is being settled; calls in flight end and count")
        raise typer.Exit(follow_to_end(database, run, view, settings))
