"""`acm submissions`: run, score and repair submitted code, and notify its authors."""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acm_api.cli.common import AsJson, EnvFile, load_env
from acm_api.cli.submission_folders import export, load, promote, watch
from acm_api.cli.submissions_demo import demo
from acm_api.cli.view.output import echo

if TYPE_CHECKING:
    from acm_workers.store.connection.database import Database
    from schemas.submissions import SubmissionState

app = typer.Typer(
    name="submissions",
    help="Run and score code that was submitted for a task.",
    epilog="Start with: acm submissions tasks tasks.yaml",
    no_args_is_help=True,
    rich_markup_mode=None,
)

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
    from acm_workers.settings import Settings
    from acm_workers.store import submission_tasks, submission_versions

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
                submission_configs.resume_providers(config, settings)
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
    from acm_api import submissions
    from acm_workers.store import submission_tasks
    from acm_workers.store.submissions import NewSubmission

    codes = [(str(file), _code(file)) for file in files]
    numbers = []
    with _store() as database:
        with database.read() as connection:
            known = submission_tasks.get(connection, task)
        for name, code in codes:
            if dry_run:
                echo(f"would submit {name} ({len(code)} characters) for {known.key}")
                continue
            new = NewSubmission(
                task, author, title or Path(name).stem, tuple(tag or ()), abstract, tick,
                no_debugger,
            )  # fmt: skip
            numbers.append(submissions.submit(database, new, code))
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
    view.print_one(found, runs, sessions, messages)


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
    from acm_workers.store import submission_versions
    from acm_workers.store.submission_versions import VersionKey

    with _store() as database:
        latest = submissions.get(database, number).versions[-1].version
        shown = ""
        while True:
            with database.read() as connection:
                found = submission_versions.get(connection, VersionKey(number, version or latest))
            new = found.log[len(shown) :] if found.log.startswith(shown) else found.log
            if new.strip():
                echo(new.rstrip("\n"))
            shown = found.log
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

    with _store() as database:
        best = submissions.top(database, task, limit)
        with database.read() as connection:
            about = submission_tasks.get(connection, task)
    if as_json:
        echo(json.dumps({"task": task, "top": [view.as_dict(one) for one in best]}))
        return
    view.print_top(about, best)


@app.command(epilog="Example: acm submissions cancel 3-6,12")
def cancel(numbers: Range, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Cancel open submissions; running versions are ended."""
    _change_each("cancelled", numbers, dry_run, as_json, _closing("cancelled"))


@app.command(epilog="Example: acm submissions void 3")
def void(numbers: Range, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Declare submissions void: they are kept, but removed from the ranking."""
    _change_each("declared void", numbers, dry_run, as_json, _closing("void"))


@app.command(epilog="Example: acm submissions restart 3-6 --dry-run")
def restart(numbers: Range, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Run submissions again from the original; results of earlier rounds are kept."""
    from acm_api import submissions

    _change_each("queued again", numbers, dry_run, as_json, submissions.restart)


@app.command(epilog="Example: acm submissions resend 3")
def resend(numbers: Range, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Send the notices of finished submissions again."""
    from acm_api import submissions

    _change_each("notice sent again", numbers, dry_run, as_json, submissions.resend)


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
    from acm_api.cli.common import open_store
    from acm_workers.settings import Settings

    return open_store(Settings(), create=create)


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


def _closing(to: "SubmissionState") -> "Callable[[Database, int], None]":
    from acm_api import submissions

    return lambda database, number: submissions.close(database, number, to)


def _change_each(
    done: str,
    numbers: str,
    dry_run: bool,
    as_json: bool,
    change: "Callable[[Database, int], object]",
) -> None:
    """Change several submissions; an error of one does not affect the others."""
    from acm_api import submissions
    from acm_workers.errors import RequestError

    changed, refused = [], {}
    with _store() as database:
        for number in submissions.numbers(numbers):
            try:
                if dry_run:
                    submissions.get(database, number)
                else:
                    change(database, number)
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
