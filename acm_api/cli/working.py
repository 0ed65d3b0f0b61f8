"""What run and resume do: submit, work, write files, and say what came of it."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import typer
from rich.text import Text

from acm_api import following as client
from acm_api.cli import parting, rankings, show
from acm_api.cli.live import View, watcher
from acm_api.cli.opening import find, store
from acm_api.config import loading, provider_checks
from acm_api.files import export, inputs, locks
from acm_api.following import Watcher
from acm_workers import broker, runtime, submit
from acm_workers.engine import run_ownership
from acm_workers.errors import AcmError, RequestError
from acm_workers.settings import Settings
from acm_workers.store import results
from acm_workers.store.connection.database import Database
from acm_workers.store.results import Progress
from schemas.config.config import Config
from schemas.rejudged import RejudgedResult
from schemas.run import Run, RunResult

PAUSED = 4
INTERRUPTED = 130


def run(path: Path, view: View, settings: Settings | None = None, again: str | None = None) -> int:
    """Run a config; return the exit code.

    Args:
        settings: Those of the environment where absent.
        again: The command that goes on after an interrupt; ``acm resume`` where absent.
    """
    settings = settings or Settings()
    distributed = settings.broker_url is not None
    if distributed:
        broker.check(settings)
    # Keys, and the way to providers, are matters of the workers.
    work = _read(path, view, keys=not distributed)
    begun = settings.database_url is not None or (settings.home / "acm.db").exists()
    if not begun:
        check_reach(work.config, path)
    with store(settings, create=True) as database:
        if begun and not distributed and submit.has_work(database, work):
            check_reach(work.config, path)
        submitted = submit.submit(database, work, runtime.making())
        if submitted.run_id is None:
            return _nothing_to_do(database, work, submitted, view)
        found = find(database, submitted.run_id)
        if submitted.resumed:
            say(view, f"going on with run {found.id}; what is done stays done")
        else:
            left = len(work.inputs) - len(submitted.skipped)
            say(view, f"run {found.id}: {show.count(left, 'document')}")
        for entry in submitted.skipped:
            say(view, f"skipped {entry.path}: run {entry.run_id} has its winner")
        return work_on(database, found, view, settings, again)


def resume(run_id: str | None, view: View, *, failed: bool, budget_usd: float | None = None) -> int:
    """Go on with a run; return the exit code."""
    settings = Settings()
    if settings.broker_url is not None:
        broker.check(settings)
    with store(settings) as database:
        found = find(database, run_id)
        making = runtime.making()
        count = submit.resume(database, found.id, making, failed=failed, budget_usd=budget_usd)
        again = f"; {count} units are tried again" if count else ""
        say(view, f"going on with run {found.id}{again}")
        return work_on(database, found, view, settings)


def watch(run_id: str | None, view: View) -> int:
    """Watch a run until it has ended, write its files if nobody did; return the exit code."""
    out = show.console()
    settings = Settings()
    with store(settings) as database:
        found = find(database, run_id)
        if found.state == "running" and locks.is_idle(database):
            say(view, f"nobody works on run {found.id} now; `acm resume {found.id}` goes on")
        with watcher(view, out) as look:
            if settings.broker_url is None:
                client.follow(database, found.id, look)
            else:
                client.follow_workers(database, found, look, lambda line: say(view, line))
            client.await_files(database, found.id)
        if export.is_complete(database, found.id):
            return tell(database, found.id, view)
        with locks.alone(database, found.id, lambda: say(view, _WAITING)):
            return finish(database, found, view)


def work_on(
    database: Database, found: Run, view: View, settings: Settings, again: str | None = None
) -> int:
    """Have a run worked on, write its files, tell the result; return the exit code.

    It is this process that works, or workers on other machines, where there is a broker.
    """
    out = show.console()
    where = export.folders(found.config)
    trouble: list[RequestError] = []

    def look(progress: Progress) -> None:
        shown(progress)
        if not trouble:
            _write_candidates(database, found, where, trouble)

    work = _work_here if settings.broker_url is None else _let_workers
    with ExitStack() as lock:  # until the files are written: who follows waits for that
        try:
            with watcher(view, out) as shown:
                work(lock, database, found, settings, look, lambda line: say(view, line))
        except KeyboardInterrupt:
            if settings.broker_url is None:
                say(view, parting.detached(database, found, settings, again))
            else:
                say(view, parting.left_to_workers(found))
            return INTERRUPTED
        if trouble:
            raise _unwritten(trouble[0], found)
        return finish(database, found, view)


def _work_here(
    lock: ExitStack,
    database: Database,
    found: Run,
    settings: Settings,
    look: Watcher,
    tell: Callable[[str], None],
) -> None:
    lock.enter_context(locks.alone(database, found.id, lambda: tell(_WAITING)))
    run_ownership.take_back(database, found, runtime.utc_now())
    client.work(database, found, settings, look, lambda: tell(_STOPPING))


def _let_workers(
    lock: ExitStack,
    database: Database,
    found: Run,
    settings: Settings,
    look: Watcher,
    tell: Callable[[str], None],
) -> None:
    # Nobody works on it alone while it changes hands.
    with locks.alone(database, found.id, lambda: tell(_WAITING)):
        run_ownership.hand_over(database, found, settings, runtime.making())
    client.follow_workers(database, found, look, tell)
    lock.enter_context(locks.alone(database, found.id, lambda: tell(_WAITING)))


def finish(database: Database, found: Run, view: View) -> int:
    """Write everything a run has, tell the result, and return the exit code.

    A run that judged another one again leaves that one's winners in their folder.
    """
    write = export.everything if found.rejudged_from is None else export.report
    try:
        written = write(database, found.id, export.folders(found.config), runtime.utc_now())
    except RequestError as error:
        raise _unwritten(error, found) from error
    code = tell(database, found.id, view)
    if code and code != PAUSED:  # what lets a paused run go on stands in its reason
        say(view, f"`acm resume {found.id}` goes on with what failed or was cancelled")
    if view != "json":
        show.files(str(written.report), found.config.winners_folder if written.winners else None)
    if found.rejudged_from is not None:
        for line in rankings.undelivered(database, found):
            say(view, line)
    return code


def tell(database: Database, run_id: str, view: View) -> int:
    """Print what became of a run; return the exit code."""
    found = submit.result(database, find(database, run_id))
    _print(found, view)
    hint = show.mending(found)
    if hint is not None:
        say(view, hint)
    return exit_code(found)


def exit_code(found: RunResult) -> int:
    """Return what the exit code says of a result."""
    states = {document.state for document in found.documents}
    if found.state in _ENDS:
        return _ENDS[found.state]
    return 0 if states <= {"done", "skipped"} else 3


_ENDS = {"cancelled": INTERRUPTED, "paused": PAUSED}
_WAITING = "another acm process works in this folder; waiting for it to end"
_STOPPING = "stopping: calls in flight may end and are kept (Ctrl-C again leaves at once)"


def _read(path: Path, view: View, *, keys: bool) -> submit.Work:
    loaded = loading.load(path, keys=keys)
    for note in loaded.notes:
        say(view, note)
    config = loaded.config
    found = inputs.read(Path(config.input_folder), inputs.not_inputs(config))
    return submit.Work(
        title=path.name,
        config=config,
        instructions=loaded.instructions,
        guidelines=loaded.guidelines,
        inputs={document.path: document.text for document in found},
    )


def check_reach(config: Config, path: Path, *, writes: bool = True) -> None:
    """Make sure that somebody listens at every provider that is called.

    Args:
        path: Where providers are defined.
        writes: As in ``provider_checks.called``.

    Raises:
        RequestError: Somebody does not, or certificates to trust cannot be read.
    """
    from acm_workers.providers.http import (
        reachability,  # slow to import, and many commands only look
    )

    silent = {}
    for name in provider_checks.called(config, writes=writes):
        trouble = reachability.trouble(config.providers[name])
        if trouble is not None:
            silent[name] = trouble
    if silent:
        raise _unreachable(silent, path)


def _unreachable(silent: dict[str, str], path: Path) -> RequestError:
    first, *more = (
        RequestError(
            f"provider {name} cannot be reached at {trouble};"
            " start it, or mend base_url or the network",
            f"{path} (providers.{name}.base_url)",
        )
        for name, trouble in sorted(silent.items())
    )
    first.more = tuple(more)
    return first


def _nothing_to_do(
    database: Database, work: submit.Work, submitted: submit.Submitted, view: View
) -> int:
    say(view, "nothing to do: every document has its winner from an earlier run (skip: auto)")
    folders = export.folders(work.config)
    reports = [
        export.everything(database, run_id, folders, runtime.utc_now()).report
        for run_id in sorted({entry.run_id for entry in submitted.skipped})
    ]
    with database.read() as connection:
        found = results.nothing_to_do(connection, submitted.skipped)
    _print(found, view)
    if view != "json":
        show.files(", ".join(str(report) for report in reports), str(folders.winners))
    return 0


def _write_candidates(
    database: Database, found: Run, where: export.Folders, trouble: list[RequestError]
) -> None:
    # The work goes on if the folder is not writable: what is paid for is in the store.
    try:
        export.candidates(database, found, where)
    except RequestError as error:
        trouble.append(error)


def _unwritten(error: RequestError, found: Run) -> AcmError:
    hint = f"nothing is lost: `acm export {found.id} --to FOLDER` writes the files elsewhere"
    return RequestError(f"{error}; {hint}", error.where)


def _print(found: RunResult, view: View) -> None:
    if view == "json":
        show.as_json(found)
        return
    show.result(found, show.console())
    if isinstance(found, RejudgedResult):
        rankings.print_changes(found)


def say(view: View, line: str) -> None:
    """Tell people something; machines read the result alone."""
    if view == "json":
        typer.echo(line, err=True)
    else:
        show.console().print(Text(line), soft_wrap=True)
