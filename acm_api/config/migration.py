"""Translates a config of the first version into a new config, with a comment on each decision."""

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from acm_api.config import (
    completion,
    default_judges,
    evaluator,
    loading,
    named_files,
    old_entries,
    old_requirements,
    source,
    version_1,
)
from acm_api.config.draft import MODE, ConfigDraft
from acm_api.config.source import YamlFile
from acm_workers.errors import RequestError
from schemas.config.provider import KNOWN

_WIDTH = 110


def migrated(
    old: Path,
    folder: Path,
    preset: str | None = None,
    environ: Mapping[str, str] | None = None,
    at: datetime | None = None,
) -> str:
    """Return the text of a config with the same meaning as ``old``.

    Values of the old file are kept under their new keys. Comments give the origin of each section,
    changes of meaning, and refused values.

    Args:
        old: A config, or a file of presets.
        folder: Folder of the new config, to which its paths are relative.
        preset: Name of a preset in ``old``.
        environ: See ``loading.load``.
        at: See ``loading.load``.

    Raises:
        RequestError: The file cannot be read, or the preset does not exist.
    """
    environ = os.environ if environ is None else environ
    main = source.read_yaml(old, repeated=True)
    main = _preset(main, preset) if preset is not None else main
    if not isinstance(main.data, dict):
        raise RequestError("a config must be a mapping of keys, such as runs:", f"{old}:1")
    draft = version_1.translate(main)
    base = old.absolute().parent
    evaluator.apply(draft, base)
    default_judges.choose(draft, environ)
    old_entries.judge_iterations(draft)
    named = set(draft.data.get("providers") or ())
    completion.complete(draft, base)
    old_requirements.require(draft, environ)
    problems = _problems(old, preset, environ, at)
    return "\n".join(_lines(draft, folder, named, draft.errors, problems)) + "\n"


def _preset(main: YamlFile, name: str) -> YamlFile:
    found = old_entries.presets(main.data) if isinstance(main.data, dict) else []
    if name not in found:
        known = ", ".join(found) or "none"
        raise RequestError(f"{main.path} has no preset {name} (its presets: {known})", "--preset")
    lines = {key[1:]: line for key, line in main.lines.items() if key[:1] == (name,)}
    return YamlFile(main.path, main.data[name], lines)


def _problems(
    old: Path, preset: str | None, environ: Mapping[str, str], at: datetime | None
) -> list[RequestError]:
    """Return the problems that prevent the unchanged config from running."""
    if preset is not None:
        return []  # its sections are checked when the new config is planned
    try:
        loading.load(old, environ, at, keys="later")
    except RequestError as error:
        return [error, *error.more]
    return []


def _lines(
    draft: ConfigDraft,
    folder: Path,
    named: set[str],
    errors: list[RequestError],
    problems: list[RequestError],
) -> Iterator[str]:
    places = {str(error): error.where for error in (*errors, *problems)}
    told = dict.fromkeys([*places, *(problem.message for problem in draft.problems)])
    name = draft.main.path.name
    yield f"# Made by `acm init --from {name}`; `acm plan` shows what it does and costs."
    for one in told:
        where = f" ({places[one]})" if places.get(one) else ""
        yield f"# TO DECIDE: {' '.join(one.split())}{where}"
    yield from (f"# Note: {' '.join(note.split())}" for note in draft.notes)
    for name, value in _data(draft, folder, named).items():
        yield ""
        yield from (f"# {line}" for line in _origins(draft, name))
        dumped = yaml.safe_dump({name: value}, sort_keys=False, allow_unicode=True, width=_WIDTH)
        yield dumped.rstrip("\n")


def _data(draft: ConfigDraft, folder: Path, named: set[str]) -> dict[str, Any]:
    """Return the values of the new config that differ from defaults."""
    data = dict(draft.data)
    for name in named_files.PATHS:
        if isinstance(data.get(name), str):
            data[name] = os.path.relpath(data[name], folder.absolute())
    for name in ("winners_folder", "reports_folder"):
        if (name,) in draft.labels:
            data.pop(name, None)
    providers = data.get("providers")
    if isinstance(providers, dict):
        data["providers"] = {
            name: _without_defaults(name, value)
            for name, value in providers.items()
            if name in named
        }
    for judges in (data.get("judges"), (data.get("pairwise") or {}).get("judges")):
        for judge in judges if isinstance(judges, list) else []:
            if judge.get("name") == f"{judge.get('provider')}:{judge.get('model')}":
                del judge["name"]
    _put_mode(draft, data)
    return {name: value for name, value in data.items() if value != {} and value is not None}


def _put_mode(draft: ConfigDraft, data: dict[str, Any]) -> None:
    """Keep the old keys that disable judging or scoring."""
    off = draft.judging_is_off
    if not off and draft.sources.get(("judges",)) != MODE:
        return
    pairwise = dict(data.get("pairwise") or {})
    judges = pairwise.pop("judges", None)
    pairwise.pop("enabled", None)
    data["pairwise"] = pairwise
    data["eval"] = {"auto_run": False} if off else {"auto_run": True, "mode": "pairwise"}
    if off:
        data["playoffs"] = {**(data.get("playoffs") or {})}
        data["playoffs"].pop("enabled", None)
    data["judges"] = None if off else judges


def _without_defaults(name: str, provider: Any) -> Any:
    """Return a provider without the values of the built-in provider."""
    known = KNOWN.get(name)
    if known is None or not isinstance(provider, dict):
        return provider
    shipped = known.model_dump(mode="json")
    if provider.get("base_url", known.base_url) != known.base_url:
        return provider
    return {key: value for key, value in provider.items() if shipped.get(key) != value}


def _origins(draft: ConfigDraft, name: str) -> list[str]:
    """Return the origins of the values of a section that do not come from the same key."""
    found = {
        f"{'.'.join(map(str, key))}: {draft.origin(key)}"
        for key in (*draft.sources, *draft.mounts, *draft.labels)
        if key[0] == name and "built-in" not in draft.origin(key)
    }
    return sorted(found)
