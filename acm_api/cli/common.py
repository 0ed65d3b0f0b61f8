"""Helpers that several commands share: options, the store, finding a run, secrets.

Slow modules are imported inside the functions, because help texts import this module.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acm_workers.errors import NotFound, RequestError

if TYPE_CHECKING:
    from acm_api.config.assignments import KeyAssignment
    from acm_api.config.loading import LoadedConfig
    from acm_api.config.provider_checks import Keys
    from acm_workers.settings import Settings
    from acm_workers.store.connection.database import Database
    from schemas.config.config import Config
    from schemas.run import Run

ConfigFile = Annotated[Path, typer.Argument(help="The config file.", show_default=True)]
RunId = Annotated[
    str | None,
    typer.Argument(metavar="RUN", help="Id of a run or its first characters; default: the latest."),
]
ExportFolder = Annotated[
    Path | None,
    typer.Option("--to", help="Parent folder of the files; default: the config's folders."),
]
Host = Annotated[str, typer.Option(help="Address to listen on.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Plain = Annotated[bool, typer.Option("--plain", help="Print plain lines instead of a live view.")]

Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Override a key of the config, such as seed=7; repeatable.",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only", metavar="DOC", help="Use only documents that match this path or glob; repeatable."
    ),
]
EnvFile = Annotated[
    Path | None,
    typer.Option("--env-file", help="Read variables from this file instead of keys from .env."),
]
OpenReport = Annotated[
    bool, typer.Option("--open", help="Open the report in a browser at the end.")
]

DEMO_FOLDER = Path("acm-demo")
DEFAULT_CONFIG = Path("config.yaml")


def load_env(file: Path | None, config: Path | None = None) -> None:
    """Add variables to the environment: all of ``file``, or the keys in ``.env`` beside ``config``.

    Without a config the ``.env`` of the current folder is used. Call it before reading settings.
    """
    from acm_api.cli.view.output import echo
    from acm_api.config import env_files

    folder = Path() if config is None else config.parent
    for note in env_files.load(file, folder, os.environ):
        echo(note, err=True)


def load_config(
    path: Path,
    settings: "Settings",
    given: list[str] | None,
    budget_usd: float | None = None,
    *,
    keys: "Keys" = "here",
    also: "Callable[[Config], object] | None" = None,
) -> "LoadedConfig":
    """Return a config with values overridden by options; see ``loading.load``.

    Keys of providers are required only if this machine sends the calls.

    Args:
        keys: The machine on which keys must be set if there is no broker.
        also: See ``loading.load``.
    """
    from acm_api.config import loading

    chosen = chosen_values(given, budget_usd)
    where = keys if settings.broker_url is None else "workers"
    return loading.load(path, keys=where, given=chosen, also=also)


def chosen_values(given: list[str] | None, budget_usd: float | None) -> "list[KeyAssignment]":
    """Return the values of single config keys that options set."""
    from acm_api.config import assignments

    chosen = [assignments.parse(text) for text in given or ()]
    if budget_usd is not None:
        chosen.append(assignments.KeyAssignment("budget_usd", budget_usd, "--budget"))
    return chosen


@contextmanager
def open_store(settings: "Settings", *, create: bool = False) -> "Iterator[Database]":
    """Open the store that the environment names.

    Args:
        create: Whether to create a missing SQLite store.

    Raises:
        NotFound: There is no store here.
    """
    from acm_workers import runtime

    if not create and not has_store(settings):
        raise NotFound(
            f"no runs here: {settings.home / 'acm.db'} does not exist;"
            " go to the folder where `acm run` was started, or set ACM_HOME"
        )
    database = runtime.open_store(settings)
    try:
        yield database
    finally:
        database.close()


def local_store(
    settings: "Settings", *, create: bool = False
) -> "AbstractContextManager[Database]":
    """Open the store that the environment names for a command that cannot work on a server.

    Args:
        create: As in ``open_store``.

    Raises:
        RequestError: The environment names a server.
        NotFound: As in ``open_store``.
    """
    require_no_server(settings)
    return open_store(settings, create=create)


def require_no_server(settings: "Settings") -> None:
    """Refuse a command that cannot work on a server if the environment names one.

    Raises:
        RequestError: The environment names a server.
    """
    if settings.api_url is not None:
        raise RequestError(
            "this command works on the store of this machine, not on a server: unset ACM_API_URL"
        )


def has_store(settings: "Settings") -> bool:
    """Return whether a store server is set, or a SQLite store exists."""
    return settings.database_url is not None or (settings.home / "acm.db").exists()


def find_run(database: "Database", run_id: str | None) -> "Run":
    """Return the run with this id, or the latest run.

    Raises:
        NotFound: There is no such run.
    """
    from acm_workers.store import runs

    with database.read() as connection:
        return runs.latest(connection) if run_id is None else runs.get(connection, run_id)


def secret(variable: str, *, min_length: int) -> str | None:
    """Return the secret in an environment variable; None if it is not set.

    Raises:
        RequestError: The secret is too short.
    """
    value = os.environ.get(variable, "").strip()
    if value and len(value) < min_length:
        raise RequestError(f"{variable} is too short: {min_length} characters at least")
    return value or None


def operator() -> str:
    """Return the user of this command for the audit log."""
    import getpass

    try:
        name = getpass.getuser()
    except (ImportError, KeyError, OSError):  # the user's number has no name
        name = str(os.getuid()) if hasattr(os, "getuid") else "somebody"
    return f"{name} (command line)"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to ``host``."""
    from acm_workers.providers.http import key_hosts

    return key_hosts.is_loopback(host)
