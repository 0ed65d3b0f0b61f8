"""`acm pause`: pause a run until it is resumed."""

from acm_api.cli.common import AsJson, RunId
from acm_api.cli.view.output import echo


def pause(run_id: RunId = None, as_json: AsJson = False) -> None:
    """Pause a run; `acm resume` continues it.

    No further calls are sent; calls in flight finish and their answers are kept. The command that
    executes the run then ends with exit code 4. Pausing a paused run changes nothing.
    """
    from acm_api.cli.common import find_run, open_store
    from acm_api.cli.view.formatting import print_json
    from acm_workers import runtime, submit
    from acm_workers.settings import Settings
    from acm_workers.store import results

    if (settings := Settings()).api_url is not None:
        from acm_api.cli import remote

        remote.stop(settings, run_id, "pause", as_json=as_json)
        return
    with open_store(settings) as database:
        run = submit.pause(database, find_run(database, run_id).id, runtime.making())
        if not as_json:
            echo(f"run {run.id} is {run.state}: {run.reason}; calls in flight end and are kept")
            return
        with database.read() as connection:
            print_json(results.of_run(connection, run.id))
