"""A run in the foreground: execute or follow it, show progress, write files, print the result."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from acm_api import execution
from acm_api.cli.common import find_run
from acm_api.cli.view import results as view_results
from acm_api.cli.view.activity import ActivityReader
from acm_api.cli.view.formatting import count, print_json
from acm_api.cli.view.progress import View, reporter, say
from acm_api.config import provider_checks
from acm_api.execution import ProgressCallback
from acm_api.files import export, locks, readiness
from acm_workers import logs, runtime, submit
from acm_workers.engine import run_ownership
from acm_workers.errors import FilesNotWritten, RequestError
from acm_workers.settings import Settings
from acm_workers.store import activity, documents, pending_calls, reports, results
from acm_workers.store.activity import RunActivity
from acm_workers.store.connection.database import Database
from acm_workers.store.results import Progress
from schemas.config.config import Config
from schemas.run import Run, RunResult

PARTIAL = 3
PAUSED = 4
INTERRUPTED = 130

SESSION_LOG = "acm_session.log"
_ENDED = ("done", "partial", "failed")
_LONGEST_LOG = 8 * 1024 * 1024

WAITING_FOR_LOCK = "another acm process works on this store; waiting for it to end"
_STOPPING = (
    "stopping: calls in flight finish and their answers are kept (Ctrl-C again stops at once)"
)


def run_to_end(
    database: Database,
    run: Run,
    view: View,
    settings: Settings,
    continue_command: str | None = None,
) -> int:
    """Execute a run until it ends, write its files and print its result.

    Without a broker this process executes the run, otherwise workers do.

    Args:
        continue_command: Command that is suggested after an interrupt; default: ``acm resume``.

    Returns:
        The exit code.
    """
    folders = export.folders(run.config)
    moved = export.moved_from(database, run)
    if moved is not None:
        say(view, f"run {run.id} was started in {moved}: its files are written there")
    errors: list[RequestError] = []
    deliver = export.FileDelivery(database, run, folders, winners=run.rejudged_from is None)

    def on_progress(progress: Progress) -> None:
        show(progress)
        if not errors:
            # The run goes on if the folder is not writable: paid results are in the store.
            try:
                export.candidates(database, run, folders)
                ended = sum(progress.stages.get(state, 0) for state in _ENDED)
                deliver(ended, runtime.utc_now())
            except RequestError as error:
                errors.append(error)

    def tell(line: str) -> None:
        say(view, line)

    with ExitStack() as lock:  # held until the files are written: `acm follow` waits for it
        try:
            with reporter(view, reader(database, run)) as show:
                if settings.broker_url is None:
                    with _session_log(run, settings):
                        _execute_here(lock, database, run, settings, on_progress, tell)
                else:
                    _hand_to_workers(lock, database, run, settings, on_progress, tell)
        except KeyboardInterrupt:
            if settings.broker_url is None:
                say(view, _stopped_message(database, run, settings, continue_command))
            else:
                say(view, _left_to_workers_message(run))
            return INTERRUPTED
        if errors:
            raise _not_written(errors[0], run)
        return finish(database, run, view)


def reader(database: Database, run: Run) -> ActivityReader:
    """Return a function that reads the progress of a run by document, and its calls by model."""

    def read(most: int) -> RunActivity:
        with database.read() as connection:
            return activity.of_run(connection, run.id, most)

    return read


@contextmanager
def _session_log(run: Run, settings: Settings) -> Iterator[None]:
    """Append log lines to the log in the report folder while the context is open."""
    try:
        start = logs.file(settings).stat().st_size
    except OSError:
        start = 0
    try:
        yield
    finally:
        with suppress(OSError), logs.file(settings).open("rb") as log:
            log.seek(start)
            lines = log.read(_LONGEST_LOG)
            folder = export.folders(run.config).reports / run.id
            if lines:
                folder.mkdir(parents=True, exist_ok=True)
                with (folder / SESSION_LOG).open("ab") as own:
                    own.write(lines)


def _execute_here(
    lock: ExitStack,
    database: Database,
    run: Run,
    settings: Settings,
    on_progress: ProgressCallback,
    tell: Callable[[str], None],
) -> None:
    lock.enter_context(
        locks.run_lock(database, run.id, lambda: tell(WAITING_FOR_LOCK), executes=True)
    )
    run_ownership.take_back(database, run, runtime.utc_now())
    execution.execute(database, run, settings, on_progress, lambda: tell(_STOPPING))


def _hand_to_workers(
    lock: ExitStack,
    database: Database,
    run: Run,
    settings: Settings,
    on_progress: ProgressCallback,
    tell: Callable[[str], None],
) -> None:
    # The lock is held for the moment in which the run changes hands.
    with locks.run_lock(database, run.id, lambda: tell(WAITING_FOR_LOCK)):
        run_ownership.hand_over(database, run, settings, runtime.making())
    execution.follow_workers(database, run, on_progress, tell)
    lock.enter_context(locks.run_lock(database, run.id, lambda: tell(WAITING_FOR_LOCK)))


def finish(database: Database, run: Run, view: View) -> int:
    """Write all files of a run, print its result and return the exit code.

    A run that judged another run again does not replace the winners in their folder.
    """
    write = export.everything if run.rejudged_from is None else export.report
    try:
        written = write(database, run.id, export.folders(run.config), runtime.utc_now())
    except RequestError as error:
        raise _not_written(error, run) from error
    code = print_outcome(database, run.id, view)
    if code and code != PAUSED:  # the reason of a paused run says how it goes on
        say(view, _way_on(database, run))
    if view != "json":
        folder = run.config.winners_folder if written.winners else None
        view_results.print_files(written.report, folder)
    if run.rejudged_from is not None:
        hint = _export_hint(database, run)
        if hint is not None:
            say(view, hint)
    return code


def _way_on(database: Database, run: Run) -> str:
    """Return a hint about documents without a winner."""
    with database.read() as connection:
        units = results.progress(connection, run.id).units.values()
    if run.config.checks and not any({"failed", "cancelled"} & states.keys() for states in units):
        return (
            "only checks failed: change them or the instructions, and run again;"
            " written texts are not paid for again"
        )
    return f"`acm resume {run.id}` continues with what failed or was cancelled"


def show_report(database: Database, run_id: str, view: View) -> None:
    """Open the report of a run in a browser, or print its path if there is no browser."""
    import webbrowser

    with database.read() as connection:
        report = reports.path(connection, run_id)
    if report is None:
        say(view, f"run {run_id} has no report yet")
        return
    try:
        opened = webbrowser.open(Path(report).as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        say(view, f"no browser was found here; open {report}")


def print_outcome(database: Database, run_id: str, view: View) -> int:
    """Print the result of a run; return the exit code."""
    result = submit.result(database, find_run(database, run_id))
    if view == "json":
        print_json(result)
    else:
        view_results.print_result(result)
    hint = view_results.retry_hint(result)
    if hint is not None:
        say(view, hint)
    return exit_code(result)


def exit_code(result: RunResult) -> int:
    """Return the exit code of `acm run` for a result."""
    if result.state == "cancelled":
        return INTERRUPTED
    if result.state == "paused":
        return PAUSED
    if result.paused:
        return PARTIAL
    states = {document.state for document in result.documents}
    return 0 if states <= {"done", "skipped"} else PARTIAL


def check_reachable(config: Config, path: Path, *, writes: bool = True) -> None:
    """Check that a server listens at every provider that is called.

    Args:
        path: The file that defines the providers.
        writes: See ``provider_checks.called``.

    Raises:
        RequestError: A provider cannot be reached, or trusted certificates cannot be read.
    """
    from acm_workers.providers.http import endpoints  # slow to import

    errors = [
        RequestError(
            f"provider {name} cannot be reached at {trouble};"
            " start it, or correct base_url or the network",
            f"{path} (providers.{name}.base_url)",
        )
        for name in sorted(provider_checks.called(config, writes=writes))
        if (trouble := endpoints.connection_problem(config.providers[name])) is not None
    ]
    if errors:
        first, *more = errors
        first.more = tuple(more)
        raise first


def check_files(database: Database, run: Run, settings: Settings) -> None:
    """Check that the files of a run can be written and its expected answers stored.

    Raises:
        RequestError: A folder cannot be written, or a disk has too little space.
    """
    with database.read() as connection:
        paths = [one.path for one in documents.of_run(connection, run.id)]
        sent = results.progress(connection, run.id).calls.sent
    left = 0 if run.expected is None else max(run.expected.calls - sent, 0)
    readiness.check(run.config, paths, left, settings.local_home)


def _not_written(error: RequestError, run: Run) -> FilesNotWritten:
    hint = f"results are kept: `acm export {run.id} --to FOLDER` writes them elsewhere"
    return FilesNotWritten(f"{error}; {hint}")


def _export_hint(database: Database, run: Run) -> str | None:
    """Return the command that delivers the winners of a run that judged another one again."""
    with database.read() as connection:
        has_winner = any(one.winner_id for one in documents.of_run(connection, run.id))
    folder = export.folders(run.config).winners
    delivered = export.delivered_runs(database, run, folder)
    if not has_winner or run.id in delivered:
        return None
    if delivered:
        others = ", ".join(sorted(delivered))
        return f"{folder} still has winners of run {others}; `acm export {run.id}` replaces them"
    return f"`acm export {run.id}` writes its winners to {folder}"


def _stopped_message(
    database: Database, run: Run, settings: Settings, continue_command: str | None
) -> str:
    """Return the message on how to continue a run that this process stopped executing."""
    other_home = settings.home != Settings().home
    acm = f"ACM_HOME={shlex.quote(str(settings.home))} acm" if other_home else "acm"
    command = continue_command or f"{acm} resume {run.id}   (or the same command again)"
    message = (
        f"stopped; all answers so far are saved. Run {run.id}:\n"
        f"  resume:  {command}\n"
        f"  look:    {acm} status {run.id}\n"
        f"  give up: {acm} cancel {run.id}"
    )
    with database.read() as connection:
        in_background = len(pending_calls.awaited(connection, run.id))
    if not in_background:
        return message
    answers = count(in_background, "answer")
    hint = "`acm resume` collects them, `acm cancel` cancels them"
    return f"{message}\nin the background: {answers}; {hint}"


def _left_to_workers_message(run: Run) -> str:
    """Return the message on how to follow a run that workers continue."""
    return (
        f"workers continue run {run.id}:\n"
        f"  follow:  acm follow {run.id}   (or the same command again; both write the files)\n"
        f"  look:    acm status {run.id}\n"
        f"  give up: acm cancel {run.id}"
    )
