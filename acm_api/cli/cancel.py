"""`acm cancel`: cancel a run."""

from acm_api.cli.common import AsJson, RunId
from acm_api.cli.view.output import echo


def cancel(run_id: RunId = None, as_json: AsJson = False) -> None:
    """Cancel a run; `acm resume` continues it.

    No further calls are sent; calls in flight finish and their answers are kept. Background answers
    are cancelled at the provider.
    """
    from acm_api.cli.common import find_run, open_store
    from acm_api.cli.view.formatting import print_json
    from acm_workers import logs, runtime, submit
    from acm_workers.settings import Settings
    from acm_workers.store import results

    if (settings := Settings()).api_url is not None:
        from acm_api.cli import remote

        remote.stop(settings, run_id, "cancel", as_json=as_json)
        return
    logs.to_file(logs.file(settings), settings.log_level)
    with open_store(settings) as database:
        run = submit.cancel(database, find_run(database, run_id).id, runtime.making())
        background = submit.cancel_background_calls(database, run, runtime.utc_now)
        if background.left:
            message = (
                f"background answers that could not be cancelled: {background.left};"
                f" `acm resume {run.id}` collects them"
            )
            echo(message, err=True)
        if not as_json:
            echo(f"run {run.id} is being cancelled; `acm resume {run.id}` continues it")
            return
        with database.read() as connection:
            print_json(results.of_run(connection, run.id))
