"""`acm submissions`: run, score and repair submitted code, and notify its authors."""

import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from acm_api.cli.common import AsJson, EnvFile, load_env
from acm_api.cli.submission_folders import export, load, promote, watch
from acm_api.cli.submissions_demo import demo
from acm_api.cli.view.output import echo

if TYPE_CHECKING:
    from acm_workers.settings import Settings
    from acm_workers.store.connection.database import Database
    from acm_workers.store.submissions import NewSubmission
    from schemas.submissions import SubmissionState

app = typer.Typer(
    name="submissions",
    help="Run and score code that was submitted for a task.",
    epilog="Start with: acm submissions tasks tasks.yaml",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Change = Literal["cancel", "void", "restart", "resend"]
Number = Annotated[int, typer.Argument(metavar="NUMBER", help="Number of a submission.")]
Range = Annotated[
    str, typer.Argument(metavar="NUMBERS", help="Numbers of submissions, as in 3-6,12.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print what would be done, and do nothing.")
]
TaskOption = Annotated[str | None, typer.Option("--task", help="Of this task only.")]


@app.command(epilog="Example: acm submissions tasks tasks.yaml")
def tasks(
    file: Annotated[
        Path | None, typer.Argument(help="Register the tasks of this YAML file.")
    ] = None,
    env_file: EnvFile = None,
    as_json: AsJson = False,
) -> None:
    """List tasks, or register those of a file.

    Registering a task again replaces it, and resumes its judges and debugger if they were paused.
    """
    from acm_api import submission_configs, submissions
    from acm_api.cli.view import submissions as view
    from acm_api.files import task_files
    from acm_workers.engine import run_ownership
    from acm_workers.settings import Settings
    from acm_workers.store import submission_tasks, submission_versions
    from schemas.scope import LOCAL

    load_env(env_file, file)
    settings = Settings()
    with _store(create=file is not None) as database:
        if file is not None:
            filed = task_files.load(file)
            configs = {
                one.task.key: submission_configs.load(one.task, one.config, settings)
                for one in filed
                if one.task.asks_models
            }
            keys = submissions.register(database, [one.task for one in filed], configs)
            for config in configs.values():
                run_ownership.resume_providers(LOCAL, config.providers, settings)
            if as_json:
                echo(json.dumps({"registered": keys}))
                return
            echo(f"registered: {', '.join(keys)}")
            return
        with database.read() as connection:
            found = submission_tasks.every(connection)
            counts = submission_versions.counts(connection)
    if as_json:
        shown = [
            {**task.model_dump(mode="json"), "versions": counts.get(task.key, {})} for task in found
        ]
        echo(json.dumps({"tasks": shown}))
        return
    view.print_tasks(found, counts)


@app.command(epilog="Example: acm submissions submit circles-26 packing.py --author ada")
def submit(  # noqa: PLR0913  options of a command
    task: Annotated[str, typer.Argument(help="Name of the task.")],
    files: Annotated[list[Path], typer.Argument(help="Files with the code; - is stdin.")],
    author: Annotated[str, typer.Option(help="Who submits.")] = "me",
    title: Annotated[str, typer.Option(help="A title for people.")] = "",
    tag: Annotated[list[str] | None, typer.Option(help="A tag; repeatable.")] = None,
    abstract: Annotated[str, typer.Option(help="What it does.")] = "",
    tick: Annotated[int | None, typer.Option(help="Time by the author's own clock.")] = None,
    no_debugger: Annotated[
        bool, typer.Option("--no-debugger", help="Never repair it by a debugger.")
    ] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Submit code for a task; a worker runs it."""
    from acm_workers.store.submissions import NewSubmission

    codes = [(str(file), _code(file)) for file in files]
    numbers = []
    with _submitter(task) as send:
        for name, code in codes:
            if dry_run:
                echo(f"would submit {name} ({len(code)} characters) for {task}")
                continue
            new = NewSubmission(
                task, author, title or Path(name).stem, tuple(tag or ()), abstract, tick,
                no_debugger,
            )  # fmt: skip
            numbers.append(send(new, code))
            if not as_json:
                echo(f"submission {numbers[-1]}: {name} for {task}")
    if as_json:
        echo(json.dumps({"submitted": numbers}))


@app.command("list", epilog="Example: acm submissions list --task circles-26 --state open")
def list_(
    task: TaskOption = None,
    author: Annotated[str | None, typer.Option(help="Of this author only.")] = None,
    state: Annotated[str | None, typer.Option(help="open, finished, cancelled or void.")] = None,
    before: Annotated[int | None, typer.Option(help="Only numbers below this one.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List submissions, the newest first."""
    from acm_api import submissions
    from acm_api.cli.view import submissions as view
    from acm_workers.store.submissions import SubmissionFilter

    wanted = SubmissionFilter(task, author, _state(state))
    if (settings := _server()) is not None:
        from acm_api.cli import remote_submissions

        found = remote_submissions.page(settings, wanted, limit, before)
    else:
        with _store() as database:
            found = submissions.page(database, wanted, limit, before)
    if as_json:
        echo(json.dumps({"submissions": [view.as_dict(one) for one in found]}))
        return
    view.print_list(found)


@app.command(epilog="Example: acm submissions show 3")
def show(number: Number, as_json: AsJson = False) -> None:
    """Show a submission: its versions side by side, its runs and its notice."""
    from acm_api import submissions
    from acm_api.cli.view import submissions as view
    from acm_workers.store import debug_sessions, outbox, submission_versions

    if (settings := _server()) is not None:
        from acm_api.cli import remote_submissions

        remote_submissions.show(settings, number, as_json=as_json)
        return
    with _store() as database:
        found = submissions.get(database, number)
        with database.read() as connection:
            runs = submission_versions.runs(connection, number)
            sessions = debug_sessions.of_submission(connection, number)
            messages = outbox.of_submission(connection, number)
    if as_json:
        about = view.as_dict(found, with_content=True)
        about["runs"] = runs
        about["sessions"] = [session.model_dump(mode="json") for session in sessions]
        about["notices"] = [view.message_as_dict(message) for message in messages]
        echo(json.dumps(about, default=str))
        return
    view.print_one(found, runs, sessions, list(map(view.ShownNotice.of, messages)))


@app.command(epilog="Example: acm submissions logs 3 --version 2")
def logs(
    number: Number,
    version: Annotated[
        int | None, typer.Option(min=1, help="Number of a version; default: the latest.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Continue until the version has ended.")
    ] = False,
) -> None:
    """Print the output of a version; only head and tail are kept."""
    import time

    from acm_api import submissions
    from acm_api.cli.view import submissions as view
    from acm_workers.store import submission_versions
    from acm_workers.store.submission_versions import VersionKey

    if (settings := _server()) is not None:
        from acm_api.cli import remote_submissions

        remote_submissions.logs(settings, number, version, follow=follow)
        return
    with _store() as database:
        latest = submissions.get(database, number).versions[-1].version
        shown = ""
        while True:
            with database.read() as connection:
                found = submission_versions.get(connection, VersionKey(number, version or latest))
            shown = view.print_log(found.log, shown)
            if not follow or found.finished_at is not None:
                return
            time.sleep(0.5)


@app.command(epilog="Example: acm submissions top circles-26 --limit 5")
def top(
    task: Annotated[str, typer.Argument(help="Name of the task.")],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 10,
    as_json: AsJson = False,
) -> None:
    """List the best submissions of a task."""
    from acm_api import submissions
    from acm_api.cli.view import submissions as view
    from acm_workers.store import submission_tasks

    if (settings := _server()) is not None:
        from acm_api.cli import remote_submissions

        best = remote_submissions.top(settings, task, limit)
        formats = dict.fromkeys(name for one in best for name in one.versions[0].metrics)
    else:
        with _store() as database:
            best = submissions.top(database, task, limit)
            with database.read() as connection:
                formats = dict(submission_tasks.get(connection, task).metrics)
    if as_json:
        echo(json.dumps({"task": task, "top": [view.as_dict(one) for one in best]}))
        return
    view.print_top(best, formats)


@app.command(epilog="Example: acm submissions cancel 3-6,12")
def cancel(numbers: Range, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Cancel open submissions; running versions are ended."""
    _change_each("cancel", "cancelled", numbers, dry_run, as_json)


@app.command(epilog="Example: acm submissions void 3")
def void(numbers: Range, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Declare submissions void: they are kept, but removed from the ranking."""
    _change_each("void", "declared void", numbers, dry_run, as_json)


@app.command(epilog="Example: acm submissions restart 3-6 --dry-run")
def restart(numbers: Range, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Run submissions again from the original; results of earlier rounds are kept."""
    _change_each("restart", "queued again", numbers, dry_run, as_json)


@app.command(epilog="Example: acm submissions resend 3")
def resend(numbers: Range, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Send the notices of finished submissions again."""
    _change_each("resend", "notice sent again", numbers, dry_run, as_json)


@app.command(epilog="Example: acm submissions work --until-empty --jobs 2")
def work(
    jobs: Annotated[
        int, typer.Option(min=1, max=256, help="Number of versions that run at a time.")
    ] = 1,
    debuggers: Annotated[
        int, typer.Option(min=1, max=64, help="Number of debuggers that run at a time.")
    ] = 1,
    until_empty: Annotated[
        bool, typer.Option("--until-empty", help="Stop when the queue is empty.")
    ] = False,
    host: Annotated[
        str | None, typer.Option(help="Name of this machine; default: its host name.")
    ] = None,
    env_file: EnvFile = None,
) -> None:
    """Process the queue in this process until it is stopped.

    Ctrl-C ends running versions and queues them again; nothing is lost.
    """
    from acm_workers import logs as logging
    from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
    from acm_workers.settings import Settings

    load_env(env_file)
    logging.to_stderr(Settings().log_level)
    with _store() as database:
        options = SubmissionOptions(jobs, debuggers, until_empty, host)
        worker = SubmissionWorker(database, options, echo)
        stopped = []

        def stop(*_: object) -> None:
            stopped.append(1)
            worker.stop()

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            worker.run()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    for task_key, reason in worker.waiting:
        echo(f"{task_key}: {reason}", err=True)
    if stopped:
        raise typer.Exit(130)
    if worker.waiting and until_empty:
        raise typer.Exit(3)


app.command(epilog="Example: acm submissions promote 3-5 --judges openai:gpt-5.6-terra")(promote)
app.command(epilog="Example: acm submissions watch station_data/rooms/research")(watch)
app.command("import", epilog="Example: acm submissions import evaluations")(load)
app.command(epilog="Example: acm submissions export evaluations --numbers 3-6")(export)
app.command(epilog="Example: acm submissions demo --folder /tmp/circles")(demo)


def _store(*, create: bool = False) -> Any:
    from acm_api.cli.common import local_store
    from acm_workers.settings import Settings

    return local_store(Settings(), create=create)


def _server() -> "Settings | None":
    """Return the settings if they name a server."""
    from acm_workers.settings import Settings

    settings = Settings()
    return None if settings.api_url is None else settings


def _state(name: str | None) -> "SubmissionState | None":
    from typing import get_args

    from acm_workers.errors import RequestError
    from schemas.submissions import SubmissionState

    for known in get_args(SubmissionState):
        if name == known:
            found: SubmissionState = known
            return found
    if name is None:
        return None
    raise RequestError(f"a state is one of {', '.join(get_args(SubmissionState))}, not {name}")


@contextmanager
def _submitter(task: str) -> "Iterator[Callable[[NewSubmission, str], int]]":
    """Yield a function that submits code for a task, here or on a server.

    Raises:
        NotFound: There is no such task.
    """
    from acm_api import submissions
    from acm_workers.store import submission_tasks

    if (settings := _server()) is not None:
        from acm_api.cli import remote_submissions

        remote_submissions.require_task(settings, task)
        yield partial(remote_submissions.submit, settings)
        return
    with _store() as database:
        with database.read() as connection:
            submission_tasks.get(connection, task)
        yield partial(submissions.submit, database)


@contextmanager
def _changer(how: "Change", *, dry_run: bool) -> "Iterator[Callable[[int], object]]":
    """Yield a function that changes a submission, here or on a server, or only looks at it."""
    from acm_api import submissions

    if (settings := _server()) is not None:
        from acm_api.cli import remote

        server = remote.at(settings)
        yield server.submission if dry_run else partial(server.change_submission, change=how)
        return
    changes: dict[str, Callable[[Database, int], object]] = {
        "cancel": partial(submissions.close, to="cancelled"),
        "void": partial(submissions.close, to="void"),
        "restart": submissions.restart,
        "resend": submissions.resend,
    }
    with _store() as database:
        yield partial(submissions.get if dry_run else changes[how], database)


def _change_each(how: "Change", done: str, numbers: str, dry_run: bool, as_json: bool) -> None:
    """Change several submissions; an error of one does not affect the others."""
    from acm_api import submissions
    from acm_workers.errors import RequestError

    changed, refused = [], {}
    with _changer(how, dry_run=dry_run) as change:
        for number in submissions.numbers(numbers):
            try:
                change(number)
                changed.append(number)
            except RequestError as error:
                refused[number] = str(error)
    if as_json:
        echo(json.dumps({"done": changed, "refused": refused, "dry_run": dry_run}))
    else:
        for number in changed:
            echo(f"submission {number}: {'would be ' if dry_run else ''}{done}")
        for reason in refused.values():
            echo(f"acm: {reason}", err=True)
    if refused:
        raise typer.Exit(2)


def _code(file: Path) -> str:
    from acm_workers.errors import RequestError

    try:
        if str(file) == "-":
            return sys.stdin.read()
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"the code cannot be read: {error}", str(file)) from error
