"""`acm doctor`: checks of this installation, the store, the broker and a config's servers."""

import json
import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple
from urllib.parse import urlsplit

import typer

from acm_api.cli.common import (
    DEFAULT_CONFIG,
    AsJson,
    Assignments,
    EnvFile,
    load_config,
    load_env,
)
from acm_api.cli.view.output import echo
from acm_workers.errors import AcmError, RequestError

if TYPE_CHECKING:
    from acm_api.config.loading import LoadedConfig
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
        typer.Argument(help="Config to check as well; default: config.yaml, if it exists."),
    ] = None,
    given: Assignments = None,
    env_file: EnvFile = None,
    as_json: AsJson = False,
) -> None:
    """Check the store, the broker if one is set, and a config's folders, keys and models.

    Requests the list of models from each provider, which is free.
    """
    from acm_workers.settings import Settings

    if config is None and DEFAULT_CONFIG.exists():
        config = DEFAULT_CONFIG
    load_env(env_file, config)
    settings = Settings()
    checks = [_Check("python", True, platform.python_version()), _store(settings)]
    if settings.broker_url is not None:
        checks.append(_broker(settings))
    checks += _gpt_researcher(settings)
    checks += _forge(settings)
    if config is not None:
        checks += _config(config, settings, given)
    if as_json:
        echo(json.dumps({"checks": [check._asdict() for check in checks]}))
    else:
        for check in checks:
            echo(f"{'ok ' if check.ok else 'BAD'} {check.name}: {check.detail}")
    raise typer.Exit(0 if all(check.ok for check in checks) else 2)


def _store(settings: "Settings") -> _Check:
    from acm_api.cli.common import has_store
    from acm_api.files import readiness
    from acm_workers.store import schema
    from acm_workers.store.connection.database import Database

    if not has_store(settings):
        refused = readiness.folder_problem(settings.home)
        if refused is not None:
            return _Check("store", False, str(refused))
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


def _gpt_researcher(settings: "Settings") -> Iterator[_Check]:
    """Check the environment of GPT Researcher, if a config needs it."""
    from acm_workers.generators.children import installation

    found = installation.of(settings.gptr_environment)
    if settings.gptr_environment is None and not found.folder.exists():
        return
    problem = found.problem()
    version = f"{installation.GPT_RESEARCHER} in {found.folder}"
    yield _Check("GPT Researcher", problem is None, problem or version)
    yield _Check("network of GPT Researcher", True, _network_of_children())


def _network_of_children() -> str:
    from acm_workers.processes import own_network

    reason = own_network.why_not()
    if reason is None:
        return "its own, with its worker alone"
    return (
        f"that of this machine, because it cannot have its own ({reason});"
        " only its Python code is prevented from connecting to other hosts"
    )


def _forge(settings: "Settings") -> Iterator[_Check]:
    """Check the checkout of FilePromptForge configured on this machine, if any."""
    from acm_workers.generators.children.checkout import Checkout

    if settings.fpf_path is None:
        return
    found = Checkout(settings.fpf_path.expanduser().absolute())
    problem = found.problem()
    yield _Check("FilePromptForge", problem is None, problem or f"{found.folder} takes batches")


def _config(path: Path, settings: "Settings", given: list[str] | None) -> Iterator[_Check]:
    """Check a config and its servers."""
    calls_here = settings.broker_url is None  # rather than workers elsewhere
    from acm_api.config import provider_checks

    try:
        loaded = load_config(path, settings, given)
    except RequestError as error:
        for one in (error, *error.more):
            yield _Check("config", False, f"{one.where}: {one}" if one.where else str(one))
        return
    keys = "keys are set" if calls_here else "keys are on the workers' machines"
    yield _Check("config", True, f"{path}; its models can do what it asks, {keys}")
    for note in loaded.notes:
        yield _Check("config", True, note)
    yield _files(loaded, settings)
    wanted = provider_checks.called_models(loaded.config) if calls_here else {}
    for name, provider in loaded.config.providers.items():
        check = _server(name, provider, wanted.get(name, []))
        yield check if calls_here else _of_workers(check, provider)


def _files(loaded: "LoadedConfig", settings: "Settings") -> _Check:
    from datetime import UTC, datetime

    from acm_api.cli.view.formatting import count
    from acm_api.files import candidates, readiness
    from acm_workers.submit import expected_calls

    try:
        work = candidates.run_input("", loaded)
        calls = expected_calls(work, work.inputs, datetime.now(UTC))
        readiness.check(loaded.config, work.inputs, calls, settings.local_home)
    except RequestError as error:
        return _Check("files", False, "; ".join(map(str, (error, *error.more))))
    found = count(len(work.inputs), "document")
    return _Check("files", True, f"{found}; folders are writable and have space")


def _server(name: str, provider: "Provider", wanted: list[str]) -> _Check:
    """Request the list of models from a server.

    Args:
        wanted: Models that the server must have; without any, only the connection is checked.
    """
    from acm_api.config.nearest import nearest
    from acm_workers.providers import models
    from acm_workers.providers.http import endpoints

    title, place = f"provider {name}", urlsplit(provider.base_url).netloc
    try:
        trouble = endpoints.connection_problem(provider)
        if trouble is not None or not wanted:
            return _Check(title, trouble is None, trouble or f"{place} answers")
        found = models.find(provider, name, wanted)
    except AcmError as error:
        return _Check(title, False, str(error))
    if not found.unknown:
        taken = "" if provider.key_env is None else f" and accepts the key in {provider.key_env}"
        return _Check(title, True, f"{place} has {', '.join(wanted)}{taken}")
    told = []
    for model in found.unknown:
        close = nearest(model, found.known)
        told.append(model if close is None else f"{model} (did you mean {close}?)")
    return _Check(title, False, f"{place} does not have {', '.join(told)}")


def _of_workers(check: _Check, provider: "Provider") -> _Check:
    """Return the check of a server that only workers call; this machine need not reach it."""
    detail = check.detail if check.ok else f"cannot be reached from here ({check.detail})"
    variable = provider.key_env
    if variable is not None and not os.environ.get(variable, "").strip():
        detail += f"; {variable} is not set here"
    return _Check(check.name, True, detail)
