"""What differs between the configs of two runs; pure."""

import hashlib
import json
from collections.abc import Iterator
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
"""Keys that change no text and no score."""

_LONGEST = 60
_DIGEST = 12


def changes(a: Run, b: Run) -> list[ConfigChange]:
    """Return the values that differ, by key; texts are named by their digests."""
    old, new = _values(a), _values(b)
    return [
        ConfigChange(key=key, a=old.get(key), b=new.get(key))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


def same_scores(a: Config, b: Config) -> bool:
    """Return whether scores of both mean the same: the same judges by the same criteria."""
    return a.criteria == b.criteria and _scorers(a) == _scorers(b)


def _scorers(config: Config) -> list[str]:
    """Return what each scoring judge is, whatever its name and however often it scores."""
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
    """Yield each value below ``value`` by its key; what is absent is left out."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _leaves(f"{key}.{name}" if key else str(name), one)
    elif isinstance(value, list):
        for number, one in enumerate(value, start=1):
            yield from _leaves(f"{key}[{number}]", one)
    elif value is not None:
        yield key, _shown(value)


def _shown(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    return value if len(value) <= _LONGEST and value.isprintable() else _digest(value)


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{len(text)} characters, {digest}"
