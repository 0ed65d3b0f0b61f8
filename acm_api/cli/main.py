"""The ``acm`` command: its subcommands, and errors as one line and an exit code."""

import json
import os
import sys
from typing import Annotated, Any, NoReturn

import typer

from acm_api.cli.accounts import keys, tenants, users
from acm_api.cli.api import api
from acm_api.cli.cancel import cancel
from acm_api.cli.compare import compare
from acm_api.cli.db import app as db
from acm_api.cli.delete import delete
from acm_api.cli.doctor import doctor
from acm_api.cli.eval import app as evaluation
from acm_api.cli.explain import explain
from acm_api.cli.export import export
from acm_api.cli.flower import flower
from acm_api.cli.follow import follow
from acm_api.cli.import_ import import_results
from acm_api.cli.init import init
from acm_api.cli.judge import judge
from acm_api.cli.leaderboard import leaderboard
from acm_api.cli.list import list_runs
from acm_api.cli.pause import pause
from acm_api.cli.plan import plan
from acm_api.cli.rejudge import rejudge
from acm_api.cli.report import report
from acm_api.cli.resources import app as resources
from acm_api.cli.resume import resume
from acm_api.cli.run import run
from acm_api.cli.settle import settle
from acm_api.cli.setup import app as setup
from acm_api.cli.show import show
from acm_api.cli.simulate import simulate
from acm_api.cli.status import status
from acm_api.cli.submissions import app as submissions
from acm_api.cli.view import streams
from acm_api.cli.view.output import echo
from acm_api.cli.viewer import view
from acm_api.cli.vote import vote
from acm_api.cli.worker import worker
from acm_workers.errors import (
    AcmError,
    BrokerRefused,
    InternalFault,
    OutOfResources,
    RequestError,
    StoreFailed,
    StoreRefused,
    exhausted,
)

_STOPPED = 130
_UsageError: Any = typer.BadParameter.__base__
"""Click's error for invalid options and arguments; typer has its own copy of click."""

app = typer.Typer(
    name="acm",
    help="Finds the best of many texts that language models write for your documents.",
    epilog="Start with: acm run --demo",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
# In this order they are listed by `acm --help`.
app.command(epilog="Example: acm run config.yaml   or: acm run --demo")(run)
app.command(epilog="Example: acm judge drafts-a drafts-b --criteria accuracy,clarity")(judge)
app.command(epilog="Example: acm resume 01JD")(resume)
app.command(epilog="Example: acm follow --plain")(follow)
app.command(epilog="Example: acm pause 01JD")(pause)
app.command(epilog="Example: acm cancel 01JD")(cancel)
app.command(epilog="Example: acm settle 01JD")(settle)
app.command(epilog="Example: acm plan config.yaml --show-config")(plan)
app.command(epilog="Example: acm status --workers")(status)
app.command("list", epilog="Example: acm list --limit 50")(list_runs)
app.command(epilog="Example: acm show 01JD --json")(show)
app.command(epilog="Example: acm rejudge 01JD --judges openai:gpt-5.6-sol,strict")(rejudge)
app.command(epilog="Example: acm compare 01JD 01JE --fail-if-worse 0.2")(compare)
app.command(epilog="Example: acm leaderboard --by month --since 2026-01-01")(leaderboard)
app.command(epilog="Example: acm explain 01JD history/locks.md   or: acm explain locks")(explain)
app.command(epilog="Example: acm vote 01JD   or: acm vote 01JD --results")(vote)
app.command(epilog="Example: acm export 01JD --to elsewhere")(export)
app.command(epilog="Example: acm report")(report)
app.command(epilog="Example: acm delete 01JD   or: acm delete --older-than 30d --yes")(delete)
app.command("import", epilog="Example: acm import llm-doc-eval/results_20251116.sqlite")(
    import_results
)
app.add_typer(submissions)
app.add_typer(resources)
app.command(epilog="Example: acm view --port 8090")(view)
app.command(epilog="Example: acm init my-texts")(init)
app.command(epilog="Example: acm doctor config.yaml")(doctor)
# The simulator parses its own options.
app.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    add_help_option=False,
)(simulate)
app.add_typer(evaluation)
app.add_typer(db)
app.add_typer(tenants)
app.add_typer(users)
app.add_typer(keys)
app.add_typer(setup)
app.command(epilog="Example: acm worker --provider openai --provider anthropic --control")(worker)
app.command(epilog="Example: acm api --port 8080")(api)
app.command(epilog="Example: ACM_FLOWER_PASSWORD=... acm flower --tasks")(flower)


def _print_version(requested: bool) -> None:
    if requested:
        from importlib import metadata

        echo(f"acm {metadata.version('acm')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Handle the options that precede a command."""


def main() -> NoReturn:
    """Run the command line.

    Exit codes: 0 done, 1 a fault of ACM or the store, 2 bad input, 3 partial, 4 paused,
    5 a gate is missed, 130 stopped.
    """
    streams.protect()
    code = _run()
    lost = streams.loss()
    if lost is not None:
        reason = (lost.strerror or type(lost).__name__).lower()
        _print_error(f"the output is incomplete: {reason}; results are kept", None)
        code = code or 1
    if code == _STOPPED:  # without waiting for the threads of calls in flight
        sys.stderr.flush()
        os._exit(_STOPPED)
    sys.exit(code)


def _run() -> int:
    """Run a command, print its error if it has one, and return its exit code."""
    try:
        code: int | None = app(standalone_mode=False)
    except _UsageError as error:
        return _misused(error)
    except RequestError as error:
        return _failed(error, 2, error.where, error.more)
    except (BrokerRefused, StoreRefused) as error:
        return _failed(error, 2)
    except AcmError as error:
        return _failed(error, 1)
    except KeyboardInterrupt:
        return _STOPPED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except (OSError, RuntimeError, ImportError, MemoryError) as error:
        failure = exhausted(error)
        if failure is None:
            raise
        return _failed(failure, 1)
    return code or 0


def _misused(error: Any) -> int:
    """Print the error of a wrong command line; a command without arguments prints its help."""
    message = error.format_message()
    if message.startswith("Usage:"):
        echo(message, err=True)
        return 2
    command = "acm" if error.ctx is None else error.ctx.command_path
    return _failed(RequestError(f"{message.rstrip('.')}; see `{command} -h`"), 2)


def _failed(
    error: AcmError, code: int, where: str | None = None, more: tuple[RequestError, ...] = ()
) -> int:
    """Print an error as JSON if ``--json`` is given, otherwise as text."""
    safe = isinstance(error, (StoreFailed, OutOfResources, InternalFault)) and code == 1
    message = (
        f"{error}; saved results are safe: repair it, then resume the run" if safe else str(error)
    )
    if "--json" in sys.argv:
        about = {"kind": error.kind, "message": message, "where": where}
        echo(json.dumps({"error": about}))
    _print_error(message, where)
    for other in more:
        _print_error(str(other), other.where)
    return code


def _print_error(message: str, where: str | None) -> None:
    line = message if where is None or message.startswith(where) else f"{where}: {message}"
    line = " ".join(line.split())  # errors of databases have several lines
    echo(f"acm: {line}", err=True)


if __name__ == "__main__":
    main()
