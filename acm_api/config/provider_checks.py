"""Checks of a config's providers: names, addresses, keys, and the limits that policies set."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from acm_api.config.completion import LIMIT_BOUNDS
from acm_api.config.draft import JSONIFY, MODELS, Problem
from acm_api.config.nearest import nearest
from acm_api.config.source import Key
from acm_workers.errors import RequestError
from acm_workers.providers.http import key_hosts
from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.config.policies import LimitBounds
from schemas.config.provider import KNOWN, Provider
from schemas.config.variant import Model, Variant

Keys = Literal["here", "later", "workers"]
"""Where keys must be set: in this process, in it when a run starts, or only on workers."""

_Entries = Sequence[Variant | Judge | Model]

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class _Reference(NamedTuple):
    """A reference to a model in a config."""

    key: Key
    provider: str
    model: str


def problems(
    config: Config, environ: Mapping[str, str], *, writes: bool = True, keys: Keys = "here"
) -> list[Problem]:
    """Return the problems of a config's providers and of the references to them.

    Args:
        environ: Environment variables, for the keys.
        writes: See ``called``.
        keys: The machines on which the keys must be set.
    """
    found = [*_reference_problems(config), *_provider_problems(config)]
    calls = called(config, writes=writes)
    if keys == "workers":
        found += _never_keys(config, calls)
    else:
        found += _refused_keys(config, environ, calls)
    if keys == "here":
        found += _missing_keys(config, environ, calls)
    return found + [Problem(key, message) for key, message, enforced in _beyond(config) if enforced]


def notes(config: Config, environ: Mapping[str, str], *, writes: bool, keys: Keys) -> Iterator[str]:
    """Yield notes about limits and keys of providers; arguments as in ``problems``."""
    for _, message, enforced in _beyond(config):
        if not enforced:
            yield f"{message}; not enforced"
    yield from _unencrypted(config)
    if keys == "later":
        for problem in _missing_keys(config, environ, called(config, writes=writes)):
            yield f"{problem.message}; run, resume, rejudge and doctor need it"
    for name, provider in config.providers.items() if keys == "workers" else ():
        refused = key_hosts.refusal(provider, {}, shared=True)
        if refused is not None:
            yield f"provider {name}: unless workers allow it, {refused}"


def with_addresses(config: Config) -> Config:
    """Return ``config`` without the providers whose address is invalid."""
    sound = {
        name: provider
        for name, provider in config.providers.items()
        if _address_problem(provider.base_url) is None
    }
    return config.model_copy(update={"providers": sound})


def _unencrypted(config: Config) -> Iterator[str]:
    for name in sorted(called(config)):
        parts = urlsplit(config.providers[name].base_url)
        host = parts.hostname or ""
        if parts.scheme == "http" and not key_hosts.is_loopback(host):
            yield (
                f"provider {name}: its key and all texts go to {host} unencrypted, over http://;"
                " use https:// unless you trust every network between"
            )


def _references(config: Config) -> Iterator[_Reference]:
    lists: tuple[_Entries, ...] = (
        config.runs,
        config.judges,
        config.pairwise.judges or (),
        config.playoffs.judges or (),
        config.playoffs.models or (),
    )
    for key, entries in zip(MODELS, lists, strict=True):
        for index, entry in enumerate(entries):
            if not isinstance(entry, Variant) or entry.calls_provider:
                yield _Reference((*key, index), entry.provider, entry.model)
    if config.jsonify is not None:
        yield _Reference(JSONIFY, config.jsonify.provider, config.jsonify.model)


def called(config: Config, *, writes: bool = True) -> set[str]:
    """Return the providers that a run calls.

    Args:
        writes: Whether the run writes candidates; false if it judges candidates of another run.
    """
    judges = (*config.scoring_judges, *config.comparing_judges)
    combining = config.playoffs.enabled or not writes
    if combining:
        judges += config.judges_of(combined=True)
    models = (config.playoffs.models or ()) if config.playoffs.enabled else ()
    writers: _Entries = (*config.calling_writers, *models) if writes else ()
    entries: _Entries = (*writers, *judges)
    # It is called only if a judge's model refuses a schema, which is not known before.
    jsonify = {config.jsonify.provider} if config.jsonify is not None else set()
    return {entry.provider for entry in entries} | jsonify


def called_models(config: Config) -> dict[str, list[str]]:
    """Return the models that a run calls, by provider."""
    calls, found = called(config), dict[str, dict[str, None]]()
    for reference in _references(config):
        if reference.provider in calls:
            found.setdefault(reference.provider, {})[reference.model] = None
    return {name: list(models) for name, models in found.items()}


def _reference_problems(config: Config) -> Iterator[Problem]:
    known = {*config.providers, *KNOWN}
    for reference in _references(config):
        if reference.provider not in config.providers:
            close = nearest(reference.provider, known)
            meant = "" if close is None else f"; did you mean {close}?"
            message = (
                f"unknown provider {reference.provider}{meant} (known: {', '.join(sorted(known))})"
            )
            yield Problem((*reference.key, "provider"), message)
        if not reference.model.strip():
            yield Problem((*reference.key, "model"), "model must not be empty")


def _provider_problems(config: Config) -> Iterator[Problem]:
    for name, provider in config.providers.items():
        key: Key = ("providers", name)
        if not _NAME.fullmatch(name):  # queues are named after providers
            message = f"provider {name!r} needs a name of letters, digits, dots and dashes"
            yield Problem(key, message)
        wrong = _address_problem(provider.base_url)
        if wrong is not None:
            yield Problem((*key, "base_url"), f"base_url of provider {name} {wrong}")
        elif provider.key_env is None and not key_hosts.is_loopback(
            urlsplit(provider.base_url).hostname or ""
        ):
            message = (
                f"provider {name} needs key_env, the name of the environment variable with its "
                "key; only servers on this machine go without"
            )
            yield Problem(key, message)
        # The value is not shown: it may be the key itself.
        if provider.key_env is not None and not _VARIABLE.fullmatch(provider.key_env):
            message = f"key_env of provider {name} must be the name of an environment variable"
            yield Problem((*key, "key_env"), message)


def _address_problem(base_url: str) -> str | None:
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is not a valid address"
    if parts.scheme not in ("http", "https") or not host:
        return "must begin with http:// or https:// and name a host"
    if parts.username is not None or parts.password is not None:
        return "must not contain a user name or password"
    if "?" in base_url or "#" in base_url:
        return "must end with its path, without ? or #"
    if any(char.isspace() for char in base_url):
        return "must not contain blanks"
    return None


def _refused_keys(config: Config, environ: Mapping[str, str], calls: set[str]) -> Iterator[Problem]:
    """Yield a problem for each key that must not be sent to its provider."""
    for name, provider in _with_keys(config, calls):
        refused = _key_refusal(provider, environ)
        if refused is not None:
            yield Problem(("providers", name, "key_env"), f"provider {name}: {refused}")


def _missing_keys(config: Config, environ: Mapping[str, str], calls: set[str]) -> Iterator[Problem]:
    """Yield a problem for each key that is missing or not valid."""
    first = {reference.provider: reference.key for reference in reversed(list(_references(config)))}
    for name, provider in _with_keys(config, calls):
        if _key_refusal(provider, environ) is not None:
            continue
        key = _place(("providers", name, "key_env"), provider, first[name])
        value = environ.get(provider.key_env or "", "")
        about = f"environment variable {provider.key_env}, the key of provider {name},"
        if not value.strip():
            yield Problem(key, f"{about} is not set")
        elif value[0] == value[-1] and value[0] in "\"'":
            yield Problem(key, f"{about} is in quotes")
        elif not value.isascii() or not value.isprintable() or " " in value:
            yield Problem(key, f"{about} holds blanks or line breaks")


def _with_keys(config: Config, calls: set[str]) -> Iterator[tuple[str, Provider]]:
    for name, provider in config.providers.items():
        variable = provider.key_env
        if name in calls and variable is not None and _VARIABLE.fullmatch(variable):
            yield name, provider


def _never_keys(config: Config, calls: set[str]) -> Iterator[Problem]:
    """Yield a problem for each ``key_env`` that names a setting of ACM, which is never sent."""
    for name, provider in config.providers.items():
        if name in calls and key_hosts.is_setting(provider):
            refused = key_hosts.refusal(provider, {})
            yield Problem(("providers", name, "key_env"), f"provider {name}: {refused}")


def _key_refusal(provider: Provider, environ: Mapping[str, str]) -> str | None:
    try:
        return key_hosts.refusal(provider, environ)
    except RequestError as error:
        return str(error)


def _place(key: Key, provider: Provider, first_use: Key) -> Key:
    """Return the definition of a provider's key, or the first use of a built-in provider."""
    built_in = provider == KNOWN.get(str(key[1]))
    return (*first_use, "provider") if built_in else key


def _beyond(config: Config) -> Iterator[tuple[Key, str, bool]]:
    """Yield limits beyond policy bounds: key, message, and whether the bound is enforced."""
    for name, provider in config.providers.items():
        bounds = config.policies.of(name)
        if bounds is None:
            continue
        for limit in LIMIT_BOUNDS:
            excess = _excess(provider, bounds, limit)
            if excess is not None:
                key: Key = ("providers", name, limit)
                yield key, f"{limit} of provider {name} {excess} that policies set", bounds.enforce


def _excess(provider: Provider, bounds: LimitBounds, limit: str) -> str | None:
    value, bound = getattr(provider, limit), getattr(bounds, LIMIT_BOUNDS[limit])
    if bound is None:
        return None
    if limit == "launch_delay_seconds":
        return None if value >= bound else f"is {value:g}, below the {bound:g}"
    if value is None:
        return f"is not set, above the {bound:g}"
    return None if value <= bound else f"is {value:g}, above the {bound:g}"
