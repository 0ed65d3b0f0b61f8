"""`acm follow`: follow a run that another command or workers execute."""

from typing import TYPE_CHECKING

import typer

from acm_api.cli.common import AsJson, Plain, RunId
from acm_api.cli.view import streams

if TYPE_CHECKING:
    from acm_api.cli.view.progress import View
    from acm_workers.settings import Settings
    from acm_workers.store.connection.database import Database
    from acm_workers.store.results import Progress
    from schemas.run import Run

_NOBODY_READS = 141
"""Exit code that a shell reports if a pipe ended a command."""


def follow(run_id: RunId = None, plain: Plain = False, as_json: AsJson = False) -> None:
    """Follow a run until it has ended and its files are written.

    The command that started the run writes the files; if it has ended, this command writes them. If
    no process executes the run any more, the command that continues it is printed; exit code 130.
    """
    from acm_api.cli.common import find_run, open_store
    from acm_api.cli.view.progress import choose
    from acm_workers.settings import Settings

    view = choose(plain=plain, as_json=as_json)
    settings = Settings()
    if settings.api_url is not None:
        from acm_api.cli import remote

        raise typer.Exit(remote.follow(settings, run_id, view))
    with open_store(settings) as database:
        run = find_run(database, run_id)
        raise typer.Exit(follow_to_end(database, run, view, settings))


def follow_to_end(database: "Database", run: "Run", view: "View", settings: "Settings") -> int:
    """Follow a run to its end and write its files if needed; return the exit code."""
    from acm_api import execution
    from acm_api.cli import foreground
    from acm_api.cli.common import find_run
    from acm_api.cli.view.progress import reporter, say
    from acm_api.files import export, locks

    with reporter(view, foreground.reader(database, run)) as show_progress:

        def show(progress: "Progress") -> None:
            show_progress(progress)
            if streams.nobody_reads():
                raise typer.Exit(_NOBODY_READS)

        if settings.broker_url is None:
            check = execution.AbandonedCheck(database)
            execution.follow(database, run.id, show, check)
            if check.abandoned and find_run(database, run.id).state == "running":
                say(
                    view,
                    f"no process executes run {run.id} now; `acm resume {run.id}` continues it",
                )
                return foreground.INTERRUPTED
        else:
            execution.follow_workers(database, run, show, lambda line: say(view, line))
        execution.await_files(database, run.id)
    if export.is_complete(database, run.id):
        return foreground.print_outcome(database, run.id, view)
    with locks.run_lock(database, run.id, lambda: say(view, foreground.WAITING_FOR_LOCK)):
        return foreground.finish(database, run, view)
