"""The functions of the Python API; ``import acm_api`` offers them."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from acm_api import execution
from acm_api.config import loading
from acm_api.config.provider_checks import Keys
from acm_api.executor import Execution
from acm_api.files import candidates, export, inputs, locks, readiness
from acm_api.ranked_results import Results
from acm_api.run_events import EventFeed, OnEvent
from acm_workers import broker, runtime, submit
from acm_workers.engine import run_ownership
from acm_workers.errors import NotFound, RequestError
from acm_workers.settings import Settings
from acm_workers.store import results as run_results
from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from acm_workers.submit import RunInput
from schemas.explained import Explanation
from schemas.leaderboard import Leaderboard, Period
from schemas.plan import RunPlan
from schemas.run import DeletedRun, Run
from schemas.run_difference import CrossJudgingPlan, RunDifference

AnyConfig = str | Path | Mapping[str, Any]
"""The path of a config file, or its values as a mapping; a mapping has no folders."""

_POLL_INTERVAL_S = 0.25


def plan(
    config: AnyConfig,
    *,
    documents: Mapping[str, str] | None = None,
    instructions: str | None = None,
    guidelines: str | None = None,
    only: Sequence[str] = (),
) -> RunPlan:
    """Return the expected calls and cost of a run; nothing is paid for, and no key is needed.

    Args:
        config: Path of a config file with folders, or the values of a config as a mapping.
        documents: Texts by name, if the config is a mapping.
        instructions: Instructions for writing from each document, if the config is a mapping.
        guidelines: Additional rules for writers and judges.
        only: Names or globs of documents in the input folder; empty for all documents.

    Raises:
        acm_workers.errors.RequestError: The config or an input is not valid; ``more`` has the
            further problems.
    """
    work = _work(config, documents, instructions, guidelines, only, later=True)
    return submit.planned(work, work.inputs, runtime.utc_now())


def run(  # noqa: PLR0913  each is an option of a run
    config: AnyConfig,
    *,
    documents: Mapping[str, str] | None = None,
    instructions: str | None = None,
    guidelines: str | None = None,
    only: Sequence[str] = (),
    on_event: OnEvent | None = None,
    home: str | Path | None = None,
) -> Results:
    """Write, judge and compare candidates of each document, and return the results.

    A config file works as with ``acm run``: its folders are read and written. With a config as a
    mapping, texts are taken from the arguments and no file is written; ``Results`` has all texts.
    Repeating a call continues an unfinished run without paying twice.

    Without ``ACM_BROKER_URL`` a child process executes the run, otherwise workers do.
    ``KeyboardInterrupt`` stops the child process; the same call continues the run.

    Args:
        config: Path of a config file with folders, or the values of a config as a mapping.
        documents: Texts by name, if the config is a mapping.
        instructions: Instructions for writing from each document, if the config is a mapping.
        guidelines: Additional rules for writers and judges.
        only: Names or globs of documents in the input folder; empty for all documents.
        on_event: Callback that is called in this thread with each event; see ``acm_api.RunEvent``.
        home: Folder of the SQLite store; default: ``ACM_HOME``, or ``.acm`` in this folder.

    Raises:
        acm_workers.errors.RequestError: The config or an input is not valid; ``more`` has the
            further problems.
    """
    settings = settings_of(home)
    if settings.broker_url is not None:
        broker.check(settings)
    work = _work(config, documents, instructions, guidelines, only, later=False)
    has_folders = not isinstance(config, Mapping)
    if has_folders:
        _check_files(work, settings)
    return run_work(work, settings, on_event, has_folders=has_folders)


def run_work(
    work: RunInput, settings: Settings, on_event: OnEvent | None, *, has_folders: bool = False
) -> Results:
    """Execute a run to its end, and return the results."""
    database = runtime.open_store(settings)
    try:
        submitted = submit.submit(database, work, runtime.making())
        if submitted.run_id is None:
            with database.read() as connection:
                done = run_results.nothing_to_do(connection, submitted.skipped)
            return Results.of_skipped(database, done, submitted.skipped)
        return _finish(database, submitted.run_id, settings, on_event, has_folders=has_folders)
    finally:
        database.close()


def results(run_id: str | None = None, *, home: str | Path | None = None) -> Results:
    """Return the results of a run, or its state so far.

    Args:
        run_id: Id of the run, or a unique prefix of the id; default: the latest run.
        home: See ``run``.

    Raises:
        acm_workers.errors.NotFound: There is no such run, or no store.
    """
    with _open_existing(home) as database:
        with database.read() as connection:
            found = runs.latest(connection) if run_id is None else runs.get(connection, run_id)
        return Results.of_run(database, found)


def compare(
    run_a: str,
    run_b: str,
    *,
    cross_judge: int | None = None,
    budget_usd: float | None = None,
    on_event: OnEvent | None = None,
    home: str | Path | None = None,
) -> RunDifference:
    """Return the difference in quality between two runs over the same documents.

    This costs nothing without ``cross_judge``. Number of documents whose winners judges compare
    first, in a separate run; if that run does not finish, ``warnings`` contains the reason.
    Repeating the call does not repeat paid comparisons.

    Args:
        run_a: Id of the baseline run, or a unique prefix of the id.
        run_b: Id of the run that is compared with the baseline.
        cross_judge: Number of documents; ``plan_cross_judging`` returns the cost.
        budget_usd: Maximum cost of the judges.
        on_event: Callback that receives each event of that run; see ``acm_api.RunEvent``.
        home: See ``run``.

    Raises:
        acm_workers.errors.NotFound: There is no such run, or no store, or its texts were deleted.
        acm_workers.errors.RequestError: Judges have no winners to compare.
    """
    from acm_workers.engine import run_differences  # imports numpy

    with _open_existing(home) as database:
        a, b = _two_runs(database, run_a, run_b)
        if cross_judge is not None:
            _cross_judge(database, a, b, cross_judge, budget_usd, settings_of(home), on_event)
        return run_differences.between(database, a, b)


def plan_cross_judging(
    run_a: str, run_b: str, documents: int, *, home: str | Path | None = None
) -> CrossJudgingPlan:
    """Return the expected calls and cost of comparing winners of two runs; nothing is paid for.

    Args:
        run_a: Id of the run whose judges compare, or a unique prefix of the id.
        run_b: Id of the other run.
        documents: Number of documents whose winners they compare.
        home: See ``run``.

    Raises:
        acm_workers.errors.NotFound: There is no such run, or no store, or its texts were deleted.
        acm_workers.errors.RequestError: Judges have no winners to compare.
    """
    from acm_api import cross_judging  # imports numpy

    with _open_existing(home) as database:
        what = cross_judging.prepare(database, *_two_runs(database, run_a, run_b), documents)
        with database.read() as connection:
            return cross_judging.plan(connection, what)


def _two_runs(database: Database, run_a: str, run_b: str) -> tuple[Run, Run]:
    with database.read() as connection:
        return runs.get(connection, run_a), runs.get(connection, run_b)


def _cross_judge(  # noqa: PLR0913  each is an option of a comparison
    database: Database,
    a: Run,
    b: Run,
    documents: int,
    budget_usd: float | None,
    settings: Settings,
    on_event: OnEvent | None,
) -> None:
    from acm_api import cross_judging  # imports numpy

    if settings.broker_url is not None:
        broker.check(settings)
    keys: Keys = "here" if settings.broker_url is None else "workers"
    what = cross_judging.prepare(database, a, b, documents, budget_usd=budget_usd, keys=keys)
    with database.write() as connection:
        run = cross_judging.begin_in(connection, what)
    if run.state == "running":
        finished(database, run.id, settings, on_event)


def leaderboard(
    *,
    by: Period = "all",
    since: date | None = None,
    until: date | None = None,
    title: str | None = None,
    home: str | Path | None = None,
) -> Leaderboard:
    """Return the results of each model that wrote texts, over all runs of a store.

    Args:
        by: Length of the periods.
        since: First day (UTC) on which documents were decided.
        until: Day before which documents were decided.
        title: Text that the titles of runs must contain.
        home: See ``run``.

    Raises:
        acm_workers.errors.NotFound: There is no store.
    """
    from acm_workers.store import leaderboard as found

    with _open_existing(home) as database, database.read() as connection:
        return found.models(connection, by=by, since=since, until=until, title=title)


def explain(
    run_id: str, document: str | None = None, *, home: str | Path | None = None
) -> Explanation:
    """Explain why the winner of a document won, and what would change the result.

    Args:
        run_id: Id of the run, or a unique prefix of the id.
        document: Path of the document, or a part that no other path has; not needed if the run has
            only one.
        home: See ``run``.

    Raises:
        acm_workers.errors.NotFound: There is no such run or document, or no store.
    """
    from acm_api import explanations

    with _open_existing(home) as database:
        with database.read() as connection:
            run = runs.get(connection, run_id)
        return explanations.of_document(database, run, document)


def settle(run_id: str, *, home: str | Path | None = None) -> Results:
    """Decide a run now from the results so far, and return the results; no further calls are made.

    Calls in flight finish and count. Documents with two judged candidates get a winner.

    Args:
        run_id: Id of the run, or a unique prefix of the id.
        home: See ``run``.

    Raises:
        acm_workers.errors.NotFound: There is no such run, or no store.
        acm_workers.errors.Conflict: The run has ended.
    """
    with _open_existing(home) as database:
        idle = locks.is_idle(database)
        found = submit.settle(database, run_id, runtime.making(), idle=idle)
        submit.cancel_background_calls(database, found, runtime.utc_now)
        follow(EventFeed(database, found.id), None)
        with database.read() as connection:
            return Results.of_run(database, runs.get(connection, found.id))


def delete(run_id: str, *, home: str | Path | None = None) -> DeletedRun:
    """Delete the texts of a run that has ended or is paused; its bill is kept.

    Files that were written for the run are not changed.

    Args:
        run_id: Id of the run, or a unique prefix of the id.
        home: See ``run``.

    Raises:
        acm_workers.errors.NotFound: There is no such run, or no store.
        acm_workers.errors.Conflict: The run is in progress.
    """
    with _open_existing(home) as database:
        return submit.delete(database, run_id, runtime.making())


@contextmanager
def _open_existing(home: str | Path | None) -> Iterator[Database]:
    settings = settings_of(home)
    if settings.database_url is None and not (settings.home / "acm.db").exists():
        raise NotFound(f"no runs here: {settings.home / 'acm.db'} does not exist")
    database = runtime.open_store(settings)
    try:
        yield database
    finally:
        database.close()


def _finish(
    database: Database,
    run_id: str,
    settings: Settings,
    on_event: OnEvent | None,
    *,
    has_folders: bool,
) -> Results:
    """Execute a run, follow it to its end, write its files and return its results."""
    ended, found = finished(database, run_id, settings, on_event)
    if has_folders:
        export.everything(database, run_id, export.folders(ended.config), runtime.utc_now())
        found = Results.of_run(database, ended)
    return found


def finished(
    database: Database, run_id: str, settings: Settings, on_event: OnEvent | None = None
) -> tuple[Run, Results]:
    """Execute a run, by a child process or workers, and return it with its results; see ``run``."""
    with database.read() as connection:
        started = runs.get(connection, run_id)
    if settings.broker_url is None:
        execute(database, started, settings, on_event)
    else:
        run_ownership.hand_over(database, started, settings, runtime.making())
        follow(EventFeed(database, run_id), on_event)
    with database.read() as connection:
        ended = runs.get(connection, run_id)
    return ended, Results.of_run(database, ended)


def execute(
    database: Database, run: Run, settings: Settings, on_event: OnEvent | None = None
) -> None:
    """Execute a run in a child process until it ends or is paused.

    Raises:
        KeyboardInterrupt: The caller was interrupted; the child has stopped, and all answers are
            saved.
        acm_workers.errors.AcmError: The child failed.
    """
    child = Execution(settings, run.id)
    try:
        follow(EventFeed(database, run.id), on_event, child)
    except BaseException:
        child.stop()
        raise
    child.finish()


def follow(feed: EventFeed, on_event: OnEvent | None, child: Execution | None = None) -> None:
    """Report the events of a run until the run or the child process that executes it ends."""
    pause = threading.Event()  # sleeps without a signal handler
    while True:
        gone = child is not None and child.ended
        began = time.monotonic()
        for event in feed.read():
            if on_event is not None:
                on_event(event)
        if gone or (feed.ended and child is None):
            return
        pause.wait(execution.poll_interval_s(time.monotonic() - began) if not gone else 0)


def work_of_values(
    values: Mapping[str, Any],
    documents: Mapping[str, str],
    instructions: str,
    guidelines: str | None,
    *,
    title: str = "texts",
    keys: Keys = "here",
) -> RunInput:
    """Return the work of a run from texts.

    Raises:
        RequestError: The config or a document is not valid.
    """
    checked = {inputs.checked_name(name): text for name, text in documents.items()}
    if not checked:
        raise RequestError("documents must hold at least one text", "documents")
    for name, text in checked.items():
        inputs.check_text(name, text)
    loaded = loading.load_values(values, instructions, guidelines, keys=keys)
    return RunInput(title, loaded.config, loaded.instructions, loaded.guidelines, checked)


def _work(
    config: AnyConfig,
    documents: Mapping[str, str] | None,
    instructions: str | None,
    guidelines: str | None,
    only: Sequence[str],
    *,
    later: bool,
) -> RunInput:
    keys: Keys = "later" if later else "here"
    if Settings().broker_url is not None:
        keys = "workers"
    if isinstance(config, Mapping):
        if documents is None or instructions is None:
            raise RequestError("a config of values needs the arguments documents and instructions")
        return work_of_values(config, documents, instructions, guidelines, keys=keys)
    if documents is not None or instructions is not None or guidelines is not None:
        message = "documents, instructions and guidelines belong to a config of values"
        raise RequestError(f"{message}; a config file names its own")
    path = Path(config)
    loaded = loading.load(path, keys=keys, also=lambda found: candidates.of_config(found, only))
    return candidates.run_input(candidates.run_title(path), loaded, only)


def _check_files(work: RunInput, settings: Settings) -> None:
    calls = submit.expected_calls(work, work.inputs, runtime.utc_now())
    readiness.check(work.config, list(work.inputs), calls, settings.local_home)


def settings_of(home: str | Path | None) -> Settings:
    """Return the settings from the environment, with the given folder of the store, if any."""
    if home is None:
        return Settings()
    return Settings(home=Path(home).absolute(), database_url=None)
