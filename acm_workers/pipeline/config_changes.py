"""Differences between the configs of two runs; pure."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from schemas.config.config import Config
from schemas.config.judging import Judge
from schemas.run import Run
from schemas.run_difference import ConfigChange

_UNSHOWN = (
    "input_folder", "output_folder", "winners_folder", "reports_folder", "evaluation_folder",
    "instructions_file", "guidelines_file", "budget_usd", "policies", "report", "cache", "skip",
    "one_file_only", "concurrency", "retries",
)  # fmt: skip
"""Keys that do not affect texts and scores."""

_ENTRY = re.compile(r"(?:runs|judges|criteria)\[[^\]]*\]")
_THERE = "in the config"
_LONGEST = 60
_DIGEST = 12


def changes(a: Run, b: Run) -> list[ConfigChange]:
    """Return the values that differ, by key; texts are named by their digests.

    Entries of lists are identified by name or model, so that an added entry is a single change.
    """
    old, new = _values(a), _values(b)
    only_a, only_b = _entries(old) - _entries(new), _entries(new) - _entries(old)
    found = [
        *(ConfigChange(key=entry, a=_THERE, b=None) for entry in only_a),
        *(ConfigChange(key=entry, a=None, b=_THERE) for entry in only_b),
        *(
            ConfigChange(key=key, a=old.get(key), b=new.get(key))
            for key in old.keys() | new.keys()
            if old.get(key) != new.get(key) and _entry(key) not in only_a | only_b
        ),
    ]
    return sorted(found, key=lambda change: change.key)


def same_scores(a: Config, b: Config) -> bool:
    """Return whether scores of both are comparable: the same judges use the same criteria."""
    return a.criteria == b.criteria and _scorers(a) == _scorers(b)


def _scorers(config: Config) -> list[str]:
    """Return each scoring judge without its name and iterations."""
    return sorted(_scorer(judge, config) for judge in config.scoring_judges)


def _scorer(judge: Judge, config: Config) -> str:
    values = judge.model_dump(mode="json", exclude={"name", "iterations", "delivery"})
    provider = config.providers.get(judge.provider)  # imported runs have none
    where = None if provider is None else [provider.dialect, provider.base_url]
    return json.dumps([values, where], sort_keys=True)


def _values(run: Run) -> dict[str, str]:
    config = run.config.model_dump(mode="json", by_alias=True, exclude=set(_UNSHOWN))
    config["providers"] = {
        name: {"dialect": provider.dialect} for name, provider in run.config.providers.items()
    }
    found = dict(_leaves("", config))
    found["instructions"] = _digest(run.instructions)
    if run.guidelines is not None:
        found["guidelines"] = _digest(run.guidelines)
    return found


def _leaves(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield each value below ``value`` by its key; absent values are left out."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _leaves(f"{key}.{name}" if key else str(name), one)
    elif isinstance(value, list):
        seen: Counter[str] = Counter()
        for number, one in enumerate(value, start=1):
            name = _name(one) or str(number)
            seen[name] += 1
            which = name if seen[name] == 1 else f"{name} #{seen[name]}"
            yield from _leaves(f"{key}[{which}]", one)
    elif value is not None:
        yield key, _shown(value)


def _name(entry: Any) -> str | None:
    """Return the name of a list entry, or else its provider and model."""
    if not isinstance(entry, dict):
        return None
    if entry.get("name"):
        return str(entry["name"])
    parts = [entry.get("provider"), entry.get("model")]
    kind, prompt = entry.get("type"), entry.get("prompt")
    named = ":".join(str(part) for part in parts if part)
    return " ".join(one for one in (named, kind if kind != "fpf" else None, prompt) if one) or None


def _entry(key: str) -> str | None:
    """Return the list entry that contains a key; None if no entry contains it."""
    found = _ENTRY.match(key)
    return None if found is None else found.group()


def _entries(values: Mapping[str, str]) -> set[str]:
    return {entry for key in values if (entry := _entry(key)) is not None}


def _shown(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    return value if len(value) <= _LONGEST and value.isprintable() else _digest(value)


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{len(text)} characters, {digest}"
