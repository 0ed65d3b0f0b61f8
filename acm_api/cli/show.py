"""`acm show`: the result of a run."""

from pathlib import Path

from acm_api.cli.common import AsJson, RunId
from acm_api.cli.view.output import echo


def show(run_id: RunId = None, as_json: AsJson = False) -> None:
    """Show the result of a run: winners, a judge's remarks on each, calls and cost."""
    from acm_api.cli.common import find_run, open_store
    from acm_api.cli.view import results
    from acm_api.cli.view.formatting import print_json
    from acm_api.files import export
    from acm_workers import submit
    from acm_workers.settings import Settings
    from acm_workers.store import reports, votes

    if (settings := Settings()).api_url is not None:
        from acm_api.cli import remote

        remote.show(settings, run_id, as_json=as_json)
        return
    with open_store(settings) as database:
        run = find_run(database, run_id)
        result = submit.result(database, run)
        with database.read() as connection:
            report = reports.path(connection, run.id)
            voted = run.state != "deleted" and votes.of_run(connection, run.id)
        folder = None if report is None else export.winners_folder(database, run, Path(report))
    if as_json:
        print_json(result)
        return
    echo(f"run {result.run_id} ({run.title}): {result.state}\n")
    results.print_result(result)
    if voted:
        from acm_api import voting
        from acm_api.cli.view import ballots

        echo(ballots.summary(voting.votes(run.id)))
    hint = results.retry_hint(result)
    if hint is not None:
        echo(hint)
    if report is not None:
        results.print_files(report, folder)
