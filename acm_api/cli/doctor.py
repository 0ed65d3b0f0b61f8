"""`acm doctor`: checks of this installation, the store, the broker and a config's servers."""

import json
import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple
from urllib.parse import urlsplit

import typer

from acm_api.cli.common import DEFAULT_CONFIG, AsJson
from acm_api.cli.view.output import echo
from acm_workers.errors import AcmError, RequestError

if TYPE_CHECKING:
    from acm_workers.settings import Settings
    from schemas.config.provider import Provider


class _Check(NamedTuple):
    """The outcome of one check."""

    name: str
    ok: bool
    detail: str


def doctor(
    config: Annotated[
        Path | None,
        typer.Argument(help="Config to check as well; config.yaml if it is there. Costs nothing."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the store, the broker if there is one, and a config's keys and servers."""
    from acm_workers.settings import Settings

    if config is None and DEFAULT_CONFIG.exists():
        config = DEFAULT_CONFIG
    settings = Settings()
    checks = [_Check("python", True, platform.python_version()), _store(settings)]
    if settings.broker_url is not None:
        checks.append(_broker(settings))
    if config is not None:
        checks += _config(config, calls_here=settings.broker_url is None)
    if as_json:
        echo(json.dumps({"checks": [check._asdict() for check in checks]}))
    else:
        for check in checks:
            echo(f"{'ok ' if check.ok else 'BAD'} {check.name}: {check.detail}")
    raise typer.Exit(0 if all(check.ok for check in checks) else 2)


def _store(settings: "Settings") -> _Check:
    from acm_api.cli.common import has_store
    from acm_workers.store import schema
    from acm_workers.store.connection.database import Database

    if not has_store(settings):
        folder = settings.home if settings.home.exists() else settings.home.parent
        if not os.access(folder, os.W_OK):
            return _Check("store", False, f"{folder} is not writable")
        return _Check("store", True, f"the first run creates {settings.home / 'acm.db'}")
    try:
        database = Database(settings.store_url)
        step = schema.version(database)
        database.close()
        schema.refuse_newer(step)
    except AcmError as error:
        return _Check("store", False, str(error))
    if step != schema.HEAD:
        return _Check("store", False, f"at step {step}; run `acm db upgrade`")
    return _Check("store", True, f"up to date (step {step})")


def _broker(settings: "Settings") -> _Check:
    from acm_workers import broker

    try:
        broker.check(settings)
    except AcmError as error:
        return _Check("broker", False, str(error))
    return _Check("broker", True, f"{broker.place(settings)} answers")


def _config(path: Path, *, calls_here: bool) -> Iterator[_Check]:
    """Check a config and its servers.

    Args:
        calls_here: Whether this machine calls the servers, rather than workers elsewhere.
    """
    from acm_api.config import loading

    try:
        loaded = loading.load(path, keys=calls_here)
    except RequestError as error:
        for one in (error, *error.more):
            yield _Check("config", False, f"{one.where}: {one}" if one.where else str(one))
        return
    keys = "keys are set" if calls_here else "keys are with the workers"
    yield _Check("config", True, f"{path}; its models can do what it asks, {keys}")
    for note in loaded.notes:
        yield _Check("config", True, note)
    for name, provider in loaded.config.providers.items():
        check = _server(name, provider)
        yield check if calls_here else _of_workers(check, provider)


def _server(name: str, provider: "Provider") -> _Check:
    from acm_workers.providers.http import endpoints

    try:
        trouble = endpoints.connection_problem(provider)
    except RequestError as error:
        trouble = str(error)
    detail = trouble or f"{urlsplit(provider.base_url).netloc} answers"
    return _Check(f"provider {name}", trouble is None, detail)


def _of_workers(check: _Check, provider: "Provider") -> _Check:
    """Return the check of a server that only workers call: a failure here is no failure there."""
    detail = check.detail if check.ok else f"cannot be reached from here ({check.detail})"
    variable = provider.key_env
    if variable is not None and not os.environ.get(variable, "").strip():
        detail += f"; {variable} is not set here"
    return _Check(check.name, True, detail)
