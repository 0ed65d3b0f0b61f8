"""Completing a draft: what the user left out and can be derived from what is there."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from acm_api.config import criteria, policies
from acm_api.config import draft as drafts
from acm_api.config.draft import Draft, Problem
from acm_api.config.source import Key
from schemas.config.provider import KNOWN
from schemas.config.ranking import Playoffs

JUDGES: tuple[Key, ...] = (("judges",), ("pairwise", "judges"), ("playoffs", "judges"))
"""Lists of judges: those that score, that compare, and that score combined candidates."""

MODELS: tuple[Key, ...] = (("runs",), *JUDGES, ("playoffs", "models"))
"""Lists whose entries name a provider and a model."""

JSONIFY: Key = ("jsonify",)
"""A section that names a provider and a model."""

_PATHS = (
    "input_folder", "output_folder", "winners_folder", "reports_folder", "instructions_file",
    "guidelines_file",
)  # fmt: skip
_RESEARCH = "openaidp"
_MANNER = ("background", "timeout_seconds")
"""What a built-in provider is like wherever it is."""


def complete(draft: Draft, folder: Path) -> None:
    """Fill in what ``draft`` leaves open; relative paths start at ``folder``.

    Raises:
        RequestError: A line of a criteria file cannot be read.
    """
    if draft.data.get("cache") is False:
        draft.data["cache"] = "off"  # YAML takes a bare off for false
    _paths(draft, folder)
    _providers(draft)
    _judges(draft)
    criteria.complete(draft, folder)
    policies.apply(draft)


def _paths(draft: Draft, folder: Path) -> None:
    for name in _PATHS:
        value = draft.data.get(name)
        if isinstance(value, str) and value.strip():
            draft.data[name] = str(_absolute(folder, value))
        elif isinstance(value, str):
            draft.problems.append(Problem((name,), f"{name} must not be empty"))
    output = draft.data.get("output_folder")
    for name in ("winners", "reports"):
        if isinstance(output, str) and f"{name}_folder" not in draft.data:
            draft.data[f"{name}_folder"] = str(Path(output).parent / name)
            draft.labels[(f"{name}_folder",)] = "default: beside output_folder"


def _absolute(folder: Path, value: str) -> Path:
    # Not Path.resolve: messages show links as the user named them.
    return Path(os.path.abspath(folder / os.path.expanduser(value)))


def _providers(draft: Draft) -> None:
    """Add the providers that need no definition, and complete those that change only a limit."""
    providers = draft.data.setdefault("providers", {})
    if not isinstance(providers, dict):
        return
    for name, known in KNOWN.items():
        own = providers.get(name)
        if own is None and _is_used(draft.data, name):
            providers[name] = known.model_dump(mode="json")
            draft.labels[("providers", name)] = f"built-in provider {name}"
        elif isinstance(own, dict):
            # With an address of its own it is another server, which must not get this one's key.
            fields = _MANNER if "base_url" in own else known.model_fields_set
            _inherit(draft, name, name, fields)
    for name, own in providers.items():
        if isinstance(own, dict):
            _research(draft, name, own)


def _research(draft: Draft, name: str, own: dict[str, Any]) -> None:
    """Understand the name of OpenAI's deep research as a dialect, and give it its time."""
    if own.get("dialect") == _RESEARCH:
        own["dialect"] = KNOWN[_RESEARCH].dialect
        own.setdefault("background", True)
    if own.get("background") is True:
        _inherit(draft, name, _RESEARCH, _MANNER)


def _inherit(draft: Draft, name: str, like: str, fields: Iterable[str]) -> None:
    """Complete a provider with fields of the built-in one that it is ``like``."""
    own, known = draft.data["providers"][name], KNOWN[like]
    for field in known.model_fields_set.intersection(fields) - own.keys():
        own[field] = getattr(known, field)
        draft.labels["providers", name, field] = f"built-in provider {like}"


def _is_used(data: dict[str, Any], provider: str) -> bool:
    if drafts.get(data, (*JSONIFY, "provider")) == provider:
        return True
    return any(entry.get("provider") == provider for _, entry in drafts.entries(data, *MODELS))


def _judges(draft: Draft) -> None:
    for key, judge in drafts.entries(draft.data, *JUDGES):
        if judge.get("name") is None and {"provider", "model"} <= judge.keys():
            judge["name"] = f"{judge['provider']}:{judge['model']}"
            draft.labels[*key, "name"] = "default: provider:model"
    usual = Playoffs.model_fields["iterations"].default
    for key, judge in drafts.entries(draft.data, ("playoffs", "judges")):
        if judge.get("iterations") is None:
            given = drafts.get(draft.data, ("playoffs", "iterations"))
            judge["iterations"] = usual if given is None else given
            draft.labels[*key, "iterations"] = "as playoffs.iterations"
