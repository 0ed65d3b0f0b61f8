"""Completion of a draft: prompts, named files, providers, defaults, limits and criteria."""

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from acm_api.config import criteria, named_files, prompt_variants
from acm_api.config.draft import JUDGES, MODELS, ConfigDraft
from acm_api.config.source import dotted
from acm_workers.providers.catalog import research
from schemas.config.provider import KNOWN, Provider
from schemas.config.ranking import Playoffs
from schemas.config.research import RESEARCH_DEFAULTS, Research

LIMIT_BOUNDS = {
    "requests_per_minute": "requests_per_minute_cap",
    "tokens_per_minute": "tokens_per_minute_cap",
    "max_in_flight": "max_in_flight_cap",
    "launch_delay_seconds": "launch_delay_seconds_min",
}
"""Limits of a provider, and the keys of policies with their upper bounds."""

_DEEP_RESEARCH = "openaidp"
_BACKGROUND_FIELDS = ("background", "timeout_seconds")
"""Fields that a provider inherits from the built-in one even if its address differs."""


def complete(draft: ConfigDraft, folder: Path) -> None:
    """Fill in the missing values of ``draft``; paths are relative to ``folder``.

    Raises:
        RequestError: A line of a criteria file cannot be read, or the file's scale is not valid.
    """
    if draft.data.get("cache") is False:
        draft.data["cache"] = "off"  # YAML reads a bare off as false
    prompt_variants.expand(draft, folder)
    named_files.read(draft, folder)
    _providers(draft)
    _judges(draft)
    _limits(draft)
    _research(draft)
    criteria.complete(draft, folder)


def _providers(draft: ConfigDraft) -> None:
    """Add the built-in providers that are used, and complete partial definitions of them."""
    providers = draft.data.setdefault("providers", {})
    if not isinstance(providers, dict):
        return
    for name, known in KNOWN.items():
        own = providers.get(name)
        if own is None and _is_used(draft, name):
            providers[name] = known.model_dump(mode="json")
            draft.labels[("providers", name)] = f"built-in provider {name}"
        elif isinstance(own, dict):
            # With another address it is another server, which must not get this one's key.
            fields = _BACKGROUND_FIELDS if "base_url" in own else known.model_fields_set
            _inherit(draft, name, name, fields)
    for name, own in providers.items():
        if isinstance(own, dict):
            _deep_research(draft, name, own)


def _deep_research(draft: ConfigDraft, name: str, own: dict[str, Any]) -> None:
    """Accept the name of OpenAI's deep research as a dialect; apply its timeout."""
    if own.get("dialect") == _DEEP_RESEARCH:
        own["dialect"] = KNOWN[_DEEP_RESEARCH].dialect
        own.setdefault("background", True)
    if own.get("background") is True:
        _inherit(draft, name, _DEEP_RESEARCH, _BACKGROUND_FIELDS)


def _inherit(draft: ConfigDraft, name: str, like: str, fields: Iterable[str]) -> None:
    """Complete a provider with ``fields`` of the built-in provider ``like``."""
    own, known = draft.data["providers"][name], KNOWN[like]
    for field in known.model_fields_set.intersection(fields) - own.keys():
        own[field] = getattr(known, field)
        draft.labels["providers", name, field] = f"built-in provider {like}"


def _is_used(draft: ConfigDraft, provider: str) -> bool:
    if draft.section("jsonify").get("provider") == provider:
        return True
    return any(
        entry.get("provider") == provider
        for _, entry in draft.entries(*MODELS)
        if entry.get("type") != "files" and entry.get("engine") != "external"
    )


def _judges(draft: ConfigDraft) -> None:
    for key, judge in draft.entries(*JUDGES):
        if judge.get("name") is None and not {"provider", "model"} <= judge.keys():
            judge["name"] = dotted(key)  # the missing key is the mistake
        elif judge.get("name") is None:
            judge["name"] = f"{judge['provider']}:{judge['model']}"
            draft.labels[*key, "name"] = "default: provider:model"
    iterations = draft.section("playoffs").get("iterations")
    if iterations is None:
        iterations = Playoffs.model_fields["iterations"].default
    for key, judge in draft.entries(("playoffs", "judges")):
        if judge.get("iterations") is None:
            judge["iterations"] = iterations
            draft.labels[*key, "iterations"] = "as playoffs.iterations"


def _research(draft: ConfigDraft) -> None:
    """Fill in missing options of GPT Researcher's entries; each type has its own options."""
    for key, entry in draft.entries(("runs",)):
        kind = entry.get("type")
        if kind not in RESEARCH_DEFAULTS:
            continue
        own = entry.setdefault("research", {})
        if not isinstance(own, dict):
            continue
        for name, value in RESEARCH_DEFAULTS[kind].items():
            if own.get(name) is None:
                own[name] = value
                draft.labels[*key, "research", name] = f"default of type {kind}"
        if own.get("max_calls") is None:
            with contextlib.suppress(ValidationError):  # which is reported later
                options = Research.model_validate({**own, "max_calls": 1})
                own["max_calls"] = research.most_calls(kind, options)
                draft.labels[*key, "research", "max_calls"] = "four times the usual number"


def _limits(draft: ConfigDraft) -> None:
    """Set missing limits to the values enforced by policies."""
    policies = draft.section("policies", "providers")
    for name, provider in draft.section("providers").items():
        entry = name if name in policies else "*"
        bounds = policies.get(entry)
        if not isinstance(provider, dict) or not isinstance(bounds, dict):
            continue
        if bounds.get("enforce", True) is not True:
            continue
        for limit, bound in LIMIT_BOUNDS.items():
            value = bounds.get(bound)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if provider.get(limit) is None and is_number:
                if limit == "max_in_flight":  # the only limit with a default
                    value = min(Provider.model_fields[limit].default, value)
                provider[limit] = value
                draft.labels["providers", name, limit] = f"policies.providers.{entry}"
