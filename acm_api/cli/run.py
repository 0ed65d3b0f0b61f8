"""`acm run`: write, judge and compare candidates of a config's documents, or of the demo's."""

import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from acm_api.cli.common import (
    DEFAULT_CONFIG,
    DEMO_FOLDER,
    AsJson,
    Assignments,
    ConfigFile,
    EnvFile,
    Only,
    OpenReport,
    Plain,
)
from acm_api.gates import MISSED, Gates, missed
from acm_workers.errors import AcmError, RequestError

if TYPE_CHECKING:
    from acm_api.cli.view.progress import View
    from acm_workers.settings import Settings
    from acm_workers.store.connection.database import Database
    from acm_workers.submit import RunInput, SubmittedRun
    from schemas.run import RunResult

_DEMO_PORT = 8077
_DEMO_LATENCY_S = 0.15


class RunOptions(NamedTuple):
    """The options of the command.

    Attributes:
        given: Values of single keys of the config.
        continue_command: Command that is suggested after an interrupt; default: ``acm resume``.
        gates: Minimum values for each winner.
    """

    view: "View"
    only: list[str] | None
    given: list[str] | None
    budget_usd: float | None
    open_report: bool
    continue_command: str | None = None
    gates: Gates = Gates()


def run(  # noqa: PLR0913  each is an option of the command
    config: ConfigFile = DEFAULT_CONFIG,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo", help="Run example texts with a simulated provider, without a config."
        ),
    ] = False,
    folder: Annotated[
        Path, typer.Option(help="Folder for the files and results of --demo.")
    ] = DEMO_FOLDER,
    only: Only = None,
    given: Assignments = None,
    budget: Annotated[
        float | None, typer.Option(min=0, help="Maximum cost of the run, in USD.")
    ] = None,
    fail_under: Annotated[
        float | None, typer.Option(help="Exit with 5 if a winner's score is below this.")
    ] = None,
    fail_unsure: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Exit with 5 if a winner's P(best) is below this."),
    ] = None,
    env_file: EnvFile = None,
    open_report: OpenReport = False,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Write, judge and compare candidates; print each winner.

    Processes every document of the config's input folder. The same command resumes an interrupted
    run; finished work is not paid for again. Exit codes: 0 every document has a winner; 1 a fault
    of ACM or the store; 2 bad config or input; 3 some documents have no winner; 4 paused by acm
    pause, by a spent budget, or by a provider without money, quota or a valid key; 5 a winner is
    below --fail-under or --fail-unsure; 130 stopped or cancelled.
    """
    from acm_api.cli.common import load_env
    from acm_api.cli.view.progress import choose
    from acm_workers.settings import Settings

    view = choose(plain=plain, as_json=as_json)
    gates = Gates(fail_under, fail_unsure)
    options = RunOptions(view, only, given, budget, open_report, gates=gates)
    if not demo:
        load_env(env_file, config)
        settings = Settings()
        if settings.api_url is not None:
            raise typer.Exit(_run_remotely(config, settings, options))
        raise typer.Exit(_run(config, settings, options))
    if config != DEFAULT_CONFIG:
        raise RequestError(f"--demo has its own config: omit {config}")
    raise typer.Exit(_run_demo(folder, options))


def _run_remotely(path: Path, settings: "Settings", options: RunOptions) -> int:
    from acm_api.cli import remote

    if options.given or options.budget_usd is not None:
        raise RequestError(
            "--set and --budget do not apply to runs on a server; set the values in the config"
        )
    if options.gates.given:
        raise RequestError("--fail-under and --fail-unsure do not apply to runs on a server")
    return remote.run(remote.at(settings), path, options.only or (), options.view)


def _run(path: Path, settings: "Settings", options: RunOptions) -> int:
    from acm_workers import broker

    if settings.broker_url is not None:
        broker.check(settings)
    return start(_read(path, settings, options), path, settings, options)


def start(work: "RunInput", path: Path, settings: "Settings", options: RunOptions) -> int:
    """Submit a run, execute it until it ends, and return the exit code.

    Args:
        work: The config and inputs of the run.
        path: The file that defines the providers, for messages.
        settings: The settings of this process.
        options: The options of the command.
    """
    from acm_api.cli import common, foreground
    from acm_api.cli.view import plans
    from acm_api.cli.view.formatting import count
    from acm_api.cli.view.progress import say
    from acm_workers import runtime, submit

    view = options.view
    had_store = common.has_store(settings)
    if not had_store:  # a mistake in the config leaves no store behind
        _check(work, list(work.inputs), path, settings)
    with common.open_store(settings, create=True) as database:
        work, files = _without_finished(database, work, view)
        if not work.inputs:
            return _all_in_files(files, options)
        if had_store and (lacking := submit.without_winner(database, work)):
            _check(work, lacking, path, settings)
        submitted = submit.submit(database, work, runtime.making())
        if submitted.run_id is None:
            return _nothing_to_do(database, work, submitted, options)
        found = common.find_run(database, submitted.run_id)
        if submitted.resumed:
            say(view, f"resuming run {found.id}; finished units are kept")
        else:
            new = len(work.inputs) - len(submitted.skipped)
            say(view, f"run {found.id}: {count(new, 'document')}")
            if submitted.plan is not None:
                say(view, plans.in_one_line(submitted.plan))
        for entry in submitted.skipped:
            say(view, f"skipped {entry.path}: run {entry.run_id} has its winner")
        code = foreground.run_to_end(database, found, view, settings, options.continue_command)
        if options.open_report:
            foreground.show_report(database, found.id, view)
        return code or _check_gates(submit.result(database, found), options)


def _check_gates(result: "RunResult", options: RunOptions) -> int:
    """Print which gates the winners fail; return the exit code."""
    from acm_api.cli.view.progress import say

    if not options.gates.given:
        return 0
    lines = missed(result, options.gates)
    for line in lines:
        say(options.view, line)
    return MISSED if lines else 0


def _without_finished(
    database: "Database", work: "RunInput", view: "View"
) -> "tuple[RunInput, dict[str, Path]]":
    """Return the work without documents that have result files, and these files."""
    from acm_api.cli.view.progress import say
    from acm_api.files import skipping
    from acm_workers import submit

    if work.config.skip == "never" or submit.can_go_on(database, work):
        return work, {}
    if work.config.skip == "files":
        files = skipping.by_files(work.config, work.inputs, lambda line: say(view, line))
    else:
        lacking = submit.without_winner(database, work)
        keys = submit.document_keys(work)
        winners = Path(work.config.winners_folder)
        files = skipping.by_digest(winners, {one: keys[one] for one in lacking}, work.inputs)
    for path, file in files.items():
        say(view, f"skipped {path}: {file} (skip: {work.config.skip})")
    inputs = {path: text for path, text in work.inputs.items() if path not in files}
    return work._replace(inputs=inputs), files


def _all_in_files(files: "dict[str, Path]", options: RunOptions) -> int:
    """Print that all documents have result files."""
    from acm_api.cli.view.formatting import print_json
    from acm_api.cli.view.progress import say
    from schemas.run import CallCounts, DocumentResult, RunResult

    say(options.view, "nothing to do: every document has its result in files")
    documents = tuple(
        DocumentResult(path=path, state="skipped", reason=f"{file} is there", winner=None,
                       artifacts=0, evaluations=0, comparisons=0, missing=0)
        for path, file in files.items()
    )  # fmt: skip
    none = CallCounts(total=0, failed=0, cached=0, uncertain=0)
    result = RunResult(run_id="", state="done", documents=documents, calls=none, usd=0.0)
    if options.view == "json":
        print_json(result)
    return _check_gates(result, options)


def _check(work: "RunInput", documents: list[str], path: Path, settings: "Settings") -> None:
    """Check this machine and the network before any paid call."""
    from acm_api.cli import foreground
    from acm_api.files import readiness
    from acm_workers import runtime, submit

    calls = submit.expected_calls(work, documents, runtime.utc_now())
    readiness.check(work.config, documents, calls, settings.local_home)
    if settings.broker_url is None:  # else workers reach the providers, and this machine need not
        foreground.check_reachable(work.config, path)


def _read(path: Path, settings: "Settings", options: RunOptions) -> "RunInput":
    """Read a config and its inputs."""
    from acm_api.cli.common import load_config
    from acm_api.cli.view.progress import say
    from acm_api.files import candidates

    loaded = load_config(
        path,
        settings,
        options.given,
        options.budget_usd,
        also=lambda found: candidates.of_config(found, options.only or ()),
    )
    for note in loaded.notes:
        say(options.view, note)
    work = candidates.run_input(candidates.run_title(path), loaded, options.only or ())
    for note in candidates.notes(work):
        say(options.view, note)
    return work


def _nothing_to_do(
    database: "Database", work: "RunInput", submitted: "SubmittedRun", options: RunOptions
) -> int:
    """Write and list the files of the earlier runs that have all winners."""
    from acm_api.cli import foreground
    from acm_api.cli.view import formatting, results
    from acm_api.cli.view.progress import say
    from acm_api.files import export
    from acm_workers import runtime
    from acm_workers.store import results as run_results

    view = options.view
    say(view, "nothing to do: every document has its winner from an earlier run (skip: auto)")
    folders = export.folders(work.config)
    reports = [
        export.everything(database, run_id, folders, runtime.utc_now()).report
        for run_id in sorted({entry.run_id for entry in submitted.skipped})
    ]
    with database.read() as connection:
        result = run_results.nothing_to_do(connection, submitted.skipped)
    if view == "json":
        formatting.print_json(result)
    else:
        results.print_result(result)
        shown = ", ".join(str(report) for report in reports if report is not None)
        results.print_files(shown or None, folders.winners)
    if options.open_report:
        foreground.show_report(database, result.run_id, view)
    return _check_gates(result, options)


def _run_demo(folder: Path, options: RunOptions) -> int:
    from acm_api.cli.view.output import echo
    from acm_workers.settings import Settings

    settings = Settings(home=(folder / ".acm").absolute(), database_url=None, broker_url=None)
    again = options._replace(continue_command=shlex.join(["acm", *sys.argv[1:]]))
    with _simulator(_demo_port()) as url:
        code = _run(_write_demo(folder, url), settings, again)
    echo(f"every text and call in the browser: cd {shlex.quote(str(folder))} && acm view", err=True)
    return code


def _write_demo(folder: Path, url: str) -> Path:
    """Write the shipped files into ``folder``, with the simulator's ``url``; return the config.

    Raises:
        RequestError: The folder cannot be written.
    """
    config = folder / "config.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with resources.as_file(resources.files("acm_api.demo")) as shipped:
            shutil.copytree(shipped / "inputs", folder / "inputs", dirs_exist_ok=True)
            shutil.copy(shipped / "instructions.md", folder)
            text = (shipped / "config.yaml").read_text(encoding="utf-8")
        config.write_text(text.replace(f"http://127.0.0.1:{_DEMO_PORT}/v1", url), encoding="utf-8")
    except (OSError, shutil.Error) as error:
        raise RequestError(f"the demo cannot be written: {error}", str(folder)) from error
    return config


@contextmanager
def _simulator(port: int) -> Iterator[str]:
    """Start the simulated provider for as long as the context is open; yield its base URL."""
    command = [sys.executable, "-P", "-m", "acm_workers.simulator"]
    command += ["--port", str(port), "--latency", str(_DEMO_LATENCY_S), "--exit-with-stdin"]
    process = subprocess.Popen(  # noqa: S603  our own program, no shell
        command,
        stdin=subprocess.PIPE,  # closed when this process ends, however it ends
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # an interrupt stops the run, which still needs the provider
    )
    try:
        line = process.stdout.readline() if process.stdout is not None else ""
        if "listening on " not in line:
            raise AcmError("the simulated provider did not start; try `acm simulate` to see why")
        yield line.strip().rpartition(" ")[2] + "/v1"
    finally:
        process.terminate()
        process.communicate(timeout=10)


def _demo_port() -> int:
    """Return the default port, so that demos share stored answers; 0 if the port is in use."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", _DEMO_PORT))
        except OSError:
            return 0
    return _DEMO_PORT
