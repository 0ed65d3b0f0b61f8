"""Checks of a config's entries for GPT Researcher: options, providers, and the retriever."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from acm_api.config.draft import Problem
from acm_api.config.source import Key
from acm_workers.errors import RequestError
from acm_workers.generators import programs
from schemas.config.config import Config
from schemas.config.research import RESEARCH_DEFAULTS, RETRIEVER, Retriever
from schemas.config.variant import RequiredEvidence, Variant

_COMPATIBLE = ("openai_chat", "openai")
"""Dialects of servers with chat completions, which GPT Researcher needs."""

_ANY_TYPE = frozenset({"embedding", "max_calls"})
_OWN_CALLS = ("effort", "max_searches", "max_tokens", "temperature")
"""Parameters of the call that ``fpf`` makes."""


def problems(config: Config, environ: Mapping[str, str], *, here: bool) -> Iterator[Problem]:
    """Yield the problems of entries for GPT Researcher.

    Args:
        environ: Environment variables, for the path of GPT Researcher's environment and the
            retriever's key.
        here: Whether GPT Researcher runs on this machine and not on workers.
    """
    for index, variant in enumerate(config.runs):
        key: Key = ("runs", index)
        if variant.type not in RESEARCH_DEFAULTS:
            if variant.research is not None:
                yield Problem((*key, "research"), "research is for types gptr, dr and ma")
            continue
        yield from _options(key, variant)
        yield from _provider(config, key, variant)
    first = _first(config)
    if first is None:
        return
    if config.retriever is None:
        message = (
            f"type {config.runs[first].type} searches, and there is no retriever: name one, such as"
            " retriever: {type: folder, folder: sources}"
        )
        yield Problem(("runs", first, "type"), message)
    else:
        yield from _retriever(config.retriever)
        if config.retriever.is_booked and RETRIEVER in config.providers:
            message = "searches are booked under this name: give the provider another one"
            yield Problem(("providers", RETRIEVER), message)
    if here:
        yield from _installation(config, first, environ)


def _first(config: Config) -> int | None:
    """Return the index of the first entry that GPT Researcher writes."""
    found = (index for index, one in enumerate(config.runs) if one.type in RESEARCH_DEFAULTS)
    return next(found, None)


def _installation(config: Config, first: int, environ: Mapping[str, str]) -> Iterator[Problem]:
    try:
        programs.installed(config.runs[first].type, environ)
    except RequestError as error:
        yield Problem(("runs", first, "type"), str(error))
    variable = None if config.retriever is None else config.retriever.key_env
    if variable is not None and not environ.get(variable, "").strip():
        message = f"environment variable {variable}, the key of the retriever, is not set"
        yield Problem(("retriever", "key_env"), message)


def _options(key: Key, variant: Variant) -> Iterator[Problem]:
    assert variant.child_kind is not None and variant.research is not None  # noqa: S101, PT018  completed
    known = RESEARCH_DEFAULTS[variant.child_kind].keys() | _ANY_TYPE
    for name, value in variant.research:
        if value is not None and name not in known:
            said = f"{name} is not for type {variant.type}, which knows {', '.join(sorted(known))}"
            yield Problem((*key, "research", name), said)
    for name in _OWN_CALLS:
        if getattr(variant, name) is not None:
            said = f"{name} is for type fpf: type {variant.type} makes its calls itself"
            yield Problem((*key, name), said)
    if variant.require != RequiredEvidence():
        said = f"require is for type fpf: type {variant.type} always searches, with the retriever"
        yield Problem((*key, "require"), said)


def _provider(config: Config, key: Key, variant: Variant) -> Iterator[Problem]:
    provider = config.providers.get(variant.provider)
    if provider is None:
        return
    if provider.dialect not in _COMPATIBLE:
        message = (
            f"type {variant.type} needs an OpenAI-compatible server, and {variant.provider} speaks"
            f" {provider.dialect}; name one that does, such as openai or openrouter"
        )
        yield Problem((*key, "provider"), message)
    elif provider.background:
        message = (
            f"type {variant.type} cannot wait for answers in the background, as {variant.provider}"
            " makes them"
        )
        yield Problem((*key, "provider"), message)


def _retriever(retriever: Retriever) -> Iterator[Problem]:
    needs = {"folder": ("folder",), "searxng": ("url",), "tavily": ("key_env",)}[retriever.type]
    takes = {
        "folder": (), "searxng": ("usd_per_search",), "tavily": ("url", "usd_per_search")
    }[retriever.type]  # fmt: skip
    for name in needs:
        if getattr(retriever, name) is None:
            message = f"a retriever of type {retriever.type} needs {name}"
            yield Problem(("retriever",), message)
    for name in ("folder", "url", "key_env", "usd_per_search"):
        if getattr(retriever, name) is not None and name not in (*needs, *takes):
            message = f"{name} is not for a retriever of type {retriever.type}; leave it out"
            yield Problem(("retriever", name), message)
    if retriever.type == "folder" and retriever.folder is not None:
        yield from _folder(Path(retriever.folder))
    if retriever.url is not None:
        parts = urlsplit(retriever.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            message = "url of the retriever must begin with http:// or https://, and name a host"
            yield Problem(("retriever", "url"), message)


def _folder(folder: Path) -> Iterator[Problem]:
    if not folder.is_dir():
        why = "is no folder" if folder.exists() else "does not exist"
        yield Problem(("retriever", "folder"), f"folder of the retriever {folder} {why}")
    elif next((one for one in folder.rglob("*") if one.is_file()), None) is None:
        yield Problem(("retriever", "folder"), f"folder of the retriever {folder} has no file")
