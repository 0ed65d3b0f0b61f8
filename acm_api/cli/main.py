"""The ``acm`` command: its commands, and how errors become one line and an exit code."""

import json
import os
import sys
from typing import Annotated, NoReturn

import typer

from acm_api.cli import control, files, inspecting, judging, running, serving, setup, worker
from acm_api.cli.terminal import plain
from acm_workers.errors import (
    AcmError,
    BrokerRefused,
    RequestError,
    StoreFailed,
    StoreRefused,
)

_STOPPED = 130

app = typer.Typer(
    name="acm",
    help="Finds the best of many texts that language models write for your documents.",
    epilog="Start with: acm run --demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
running.add_to(app)
control.add_to(app)
inspecting.add_to(app)
judging.add_to(app)
files.add_to(app)
setup.add_to(app)
worker.add_to(app)
serving.add_to(app)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        typer.echo(f"acm {metadata.version('acm')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def main() -> None:
    """Run the command line.

    Exit codes: 0 done, 1 our fault, 2 yours, 3 partial, 4 paused, 130 stopped.
    """
    try:
        app()
    except RequestError as error:
        _fail(error.kind, str(error), error.where, 2, error.more)
    except (BrokerRefused, StoreRefused) as error:
        _fail(error.kind, str(error), None, 2)
    except AcmError as error:
        safe = "; what was saved is safe: mend it, then go on"
        _fail(error.kind, f"{error}{safe if isinstance(error, StoreFailed) else ''}", None, 1)
    except KeyboardInterrupt:
        _leave_at_once()
    except SystemExit as end:
        if end.code == _STOPPED:
            _leave_at_once()
        raise
    except BrokenPipeError:
        # Somebody like `head` has read enough; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(141)


def _leave_at_once() -> NoReturn:
    """End this process, also if a second Ctrl-C came while calls are still in flight.

    The usual way out would wait for the threads of these calls.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(_STOPPED)


def _fail(
    kind: str, message: str, where: str | None, code: int, more: tuple[RequestError, ...] = ()
) -> None:
    if "--json" in sys.argv:
        error = {"kind": kind, "message": message, "where": where}
        print(json.dumps({"error": error}))  # noqa: T201  the contract with scripts
    _tell(message, where)
    for other in more:
        _tell(str(other), other.where)
    sys.exit(code)


def _tell(message: str, where: str | None) -> None:
    shown = message if where is None or message.startswith(where) else f"{where}: {message}"
    shown = plain(" ".join(shown.split()))  # one line, whatever a database has to say
    print(f"acm: {shown}", file=sys.stderr)  # noqa: T201  the contract with people


if __name__ == "__main__":
    main()
