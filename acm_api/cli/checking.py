"""What the doctor looks at: this installation, store and broker, and a config's servers."""

import json
import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import typer

from acm_api.cli.options import DEFAULT_CONFIG
from acm_api.config import loading
from acm_workers.errors import AcmError, RequestError
from acm_workers.settings import Settings
from acm_workers.store import schema
from acm_workers.store.connection.database import Database
from schemas.config.provider import Provider


class Finding(NamedTuple):
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str


def doctor(config: Path | None, *, as_json: bool) -> int:
    """Print what was found; return 0 if all is well, else 2."""
    if config is None and DEFAULT_CONFIG.exists():
        config = DEFAULT_CONFIG
    settings = Settings()
    findings = [_python(), _store(settings)]
    if settings.broker_url is not None:
        findings.append(_broker(settings))
    if config is not None:
        findings += _config(config, here=settings.broker_url is None)
    if as_json:
        typer.echo(json.dumps({"checks": [finding._asdict() for finding in findings]}))
    else:
        for finding in findings:
            typer.echo(f"{'ok ' if finding.ok else 'BAD'} {finding.name}: {finding.detail}")
    return 0 if all(finding.ok for finding in findings) else 2


def _python() -> Finding:
    return Finding("python", True, platform.python_version())


def _store(settings: Settings) -> Finding:
    if settings.database_url is None and not (settings.home / "acm.db").exists():
        place = settings.home if settings.home.exists() else settings.home.parent
        writable = os.access(place, os.W_OK)
        detail = f"{settings.home / 'acm.db'} is made by the first run"
        return Finding("store", writable, detail if writable else f"{place} is not writable")
    try:
        database = Database(settings.store_url)
        step = schema.version(database)
        database.close()
        schema.refuse_newer(step)
    except AcmError as error:
        return Finding("store", False, str(error))
    if step != schema.HEAD:
        return Finding("store", False, f"at step {step}; run `acm db upgrade`")
    return Finding("store", True, f"up to date (step {step})")


def _broker(settings: Settings) -> Finding:
    from acm_workers import broker

    try:
        broker.check(settings)
    except AcmError as error:
        return Finding("broker", False, str(error))
    return Finding("broker", True, f"{broker.place(settings)} answers")


def _config(path: Path, *, here: bool) -> Iterator[Finding]:
    """Look at a config and its servers.

    Args:
        here: Whether this machine calls them, and not workers, that may be elsewhere.
    """
    try:
        loaded = loading.load(path, keys=here)
    except RequestError as error:
        for one in (error, *error.more):
            yield Finding("config", False, f"{one.where}: {one}" if one.where else str(one))
        return
    keys = "keys are set" if here else "keys are with the workers"
    yield Finding("config", True, f"{path}; its models can do what it asks, {keys}")
    for note in loaded.notes:
        yield Finding("config", True, note)
    for name, provider in loaded.config.providers.items():
        found = _reachable(name, provider)
        yield found if here else _seen_from_here(found, provider)


def _seen_from_here(found: Finding, provider: Provider) -> Finding:
    """Return what was found of a server that workers call: nothing of it is wrong here."""
    detail = found.detail if found.ok else f"cannot be reached from here ({found.detail})"
    variable = provider.key_env
    if variable is not None and not os.environ.get(variable, "").strip():
        detail += f"; {variable} is not set here"
    return Finding(found.name, True, detail)


def _reachable(name: str, provider: Provider) -> Finding:
    from acm_workers.providers.http import addresses, reachability

    try:
        trouble = reachability.trouble(provider)
    except RequestError as error:
        trouble = str(error)
    place = addresses.place(provider.base_url)
    return Finding(f"provider {name}", trouble is None, trouble or f"{place} answers")
