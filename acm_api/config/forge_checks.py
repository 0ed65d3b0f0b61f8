"""Checks of entries that FilePromptForge writes: unsupported options, and its path."""

import re
from collections.abc import Iterator, Mapping

from acm_api.config.draft import Problem
from acm_api.config.source import Key
from acm_workers.errors import RequestError
from acm_workers.generators import programs
from schemas.config.config import Config
from schemas.config.variant import RequiredEvidence, Variant

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OWN_CALLS = ("temperature", "max_searches")


def problems(config: Config, environ: Mapping[str, str], *, here: bool) -> Iterator[Problem]:
    """Yield the problems of entries that FilePromptForge writes.

    Args:
        environ: Environment variables, for the path of FilePromptForge.
        here: Whether FilePromptForge runs on this machine and not on workers.
    """
    first: Key | None = None
    for index, variant in enumerate(config.runs):
        if variant.engine == "external":
            key: Key = ("runs", index)
            first = first or key
            yield from _entry(key, variant)
    if first is None or config.fpf is None:
        return
    for name in config.fpf.variables:
        if not _VARIABLE.fullmatch(name) or name.upper().startswith("ACM_"):
            message = f"fpf.variables: {name} is no name of a variable that it may have"
            yield Problem(("fpf", "variables"), message)
    if config.budget_usd is not None:
        message = (
            "budget_usd cannot hold with engine: external: what FilePromptForge spends is known"
            " only afterwards, if at all; leave one of them out"
        )
        yield Problem(("budget_usd",), message)
    if here:
        try:
            programs.forge(config.fpf, environ)
        except RequestError as error:
            yield Problem((*first, "engine"), str(error))


def notes(config: Config) -> Iterator[str]:
    """Yield notes on entries that FilePromptForge writes."""
    texts = sum(one.iterations for one in config.runs if one.engine == "external")
    if not texts:
        return
    what = "text is" if texts == 1 else "texts are"
    yield (
        f"{texts} {what} written by FilePromptForge for each document, by its own keys and limits;"
        " it says afterwards what they cost, if it knows"
    )
    alone = not config.calling_writers and config.playoffs.models is None
    if alone and config.playoffs.enabled:
        yield "nothing is combined: name playoffs.models, as no model of a provider writes texts"


def _entry(key: Key, variant: Variant) -> Iterator[Problem]:
    if variant.type != "fpf":
        message = f"engine: external is for type fpf, not for type {variant.type}"
        yield Problem((*key, "engine"), message)
        return
    if variant.require != RequiredEvidence():
        message = (
            "require: FilePromptForge demands search and thinking of every answer, and checks them"
            " itself; leave it out"
        )
        yield Problem((*key, "require"), message)
    if variant.json_schema is not None:
        message = "schema: texts that FilePromptForge writes are not held to a schema; leave it out"
        yield Problem((*key, "schema"), message)
    for name in _OWN_CALLS:
        if getattr(variant, name) is not None:
            message = f"{name} of FilePromptForge is in its fpf_config.yaml; leave it out here"
            yield Problem((*key, name), message)
    for name, value in (("provider", variant.provider), ("model", variant.model)):
        if not value.strip() or not value.isprintable():
            yield Problem((*key, name), f"{name} must be a name that FilePromptForge knows")
