"""Commands that change what a run does: cancel."""

import typer

from acm_api.cli.options import AsJson, RunId


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the command line."""
    app.command(epilog="Example: acm cancel 01JD")(cancel)


def cancel(run_id: RunId = None, as_json: AsJson = False) -> None:
    """Stop a run; `acm resume` goes on with it.

    Nothing new is sent; what is in flight ends and is kept. What a provider works on in the
    background is called off there.
    """
    from acm_api.cli import show
    from acm_api.cli.opening import find, store
    from acm_workers import runtime, submit
    from acm_workers.settings import Settings
    from acm_workers.store import results

    with store(Settings()) as database:
        found = submit.cancel(database, find(database, run_id).id, runtime.making())
        called_off = submit.call_off(database, found, runtime.utc_now)
        if called_off.left:
            message = (
                f"not called off in the background: {show.count(called_off.left, 'answer')};"
                f" `acm resume {found.id}` looks for what is not"
            )
            typer.echo(message, err=True)
        if not as_json:
            typer.echo(f"run {found.id} is being cancelled; `acm resume {found.id}` goes on")
            return
        with database.read() as connection:
            show.as_json(results.of_run(connection, found.id))
