"""Completing a draft: defaults, built-in providers, criteria files and limits of policies."""

import contextlib
import json
import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from acm_api.config import prompt_variants, source
from acm_api.config.draft import ConfigDraft, Problem
from acm_api.config.source import Key, YamlFile, dotted
from acm_workers.errors import RequestError
from acm_workers.providers.catalog import research
from schemas.config.judging import DEFAULT_CRITERIA, Criterion, JudgePrompts
from schemas.config.programs import FilePromptForge
from schemas.config.provider import KNOWN, Provider
from schemas.config.ranking import Playoffs
from schemas.config.research import RESEARCH_DEFAULTS, Research

JUDGES: tuple[Key, ...] = (("judges",), ("pairwise", "judges"), ("playoffs", "judges"))
"""Lists of judges: those that score, that compare, and that score combined candidates."""

MODELS: tuple[Key, ...] = (("runs",), *JUDGES, ("playoffs", "models"))
"""Lists whose entries name a provider and a model."""

JSONIFY: Key = ("jsonify",)
"""A section that names a provider and a model."""

LIMIT_BOUNDS = {
    "requests_per_minute": "requests_per_minute_cap",
    "tokens_per_minute": "tokens_per_minute_cap",
    "max_in_flight": "max_in_flight_cap",
    "launch_delay_seconds": "launch_delay_seconds_min",
}
"""Limits of a provider, and the keys of policies that bound them."""

_PATHS = (
    "input_folder", "output_folder", "winners_folder", "reports_folder", "instructions_file",
    "guidelines_file", "evaluation_folder",
)  # fmt: skip
_DEEP_RESEARCH = "openaidp"
_BACKGROUND_FIELDS = ("background", "timeout_seconds")
"""Fields that a provider takes over from the built-in one even with another address."""

_DEFAULT_CRITERIA = {criterion.name: criterion for criterion in DEFAULT_CRITERIA}
_SCALE = ("min", "max", "step")
_CRITERION_ALIASES = {"min_score": "min", "max_score": "max"}

_ANY_OBJECT = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
"""Stands for a schema that could not be read, so that its other checks say nothing of it."""


def complete(draft: ConfigDraft, folder: Path) -> None:
    """Fill in the values that ``draft`` leaves out; relative paths start at ``folder``.

    Raises:
        RequestError: A line of a criteria file cannot be read, or its scale is not valid.
    """
    if draft.data.get("cache") is False:
        draft.data["cache"] = "off"  # YAML reads a bare off as false
    prompt_variants.expand(draft, folder)
    _paths(draft, folder)
    _given_texts(draft, folder)
    for key, entry in _entries(draft, ("runs",)):
        _text_of_file(draft, folder, key, entry, "instructions")
    _combine_instructions(draft, folder)
    _own_prompts(draft, folder)
    _schemas(draft, folder)
    _checks(draft, folder)
    _providers(draft)
    _judges(draft)
    _research(draft)
    _forge(draft, folder)
    for section in ((), ("playoffs",)):
        _criteria_file(draft, folder, section)
        criteria = _section(draft, *section).get("criteria")
        if isinstance(criteria, list):
            for index in range(len(criteria)):
                _criterion(draft, criteria, (*section, "criteria", index))
    _limits(draft)


def _section(draft: ConfigDraft, *names: str) -> dict[str, Any]:
    """Return the mapping at ``names``; an empty one if there is none."""
    value: Any = draft.data
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _entries(draft: ConfigDraft, *lists: Key) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Yield the key and the value of each mapping in ``lists``."""
    for key in lists:
        *outer, name = (str(part) for part in key)
        entries = _section(draft, *outer).get(name)
        for index, entry in enumerate(entries if isinstance(entries, list) else []):
            if isinstance(entry, dict):
                yield (*key, index), entry


def _paths(draft: ConfigDraft, folder: Path) -> None:
    for name in _PATHS:
        value = draft.data.get(name)
        if isinstance(value, str) and value.strip():
            draft.data[name] = str(_absolute(folder, value))
        elif isinstance(value, str):
            draft.problems.append(Problem((name,), f"{name} must not be empty"))
    retriever = _section(draft, "retriever")
    if isinstance(retriever.get("folder"), str) and retriever["folder"].strip():
        retriever["folder"] = str(_absolute(folder, retriever["folder"]))
    output = draft.data.get("output_folder")
    for name in ("winners", "reports"):
        if isinstance(output, str) and f"{name}_folder" not in draft.data:
            draft.data[f"{name}_folder"] = str(Path(output).parent / name)
            draft.labels[(f"{name}_folder",)] = "default: beside output_folder"


def _combine_instructions(draft: ConfigDraft, folder: Path) -> None:
    """Read the instructions to combine from the file that the config names, if it does."""
    _text_of_file(draft, folder, ("playoffs",), _section(draft, "playoffs"), "instructions")


def _own_prompts(draft: ConfigDraft, folder: Path) -> None:
    """Read the templates of judges from the files that the config names, if it does."""
    for key, judge in _entries(draft, *JUDGES):
        values = judge.get("prompts")
        if isinstance(values, dict):
            for name in JudgePrompts.model_fields:
                _text_of_file(draft, folder, (*key, "prompts"), values, name)


def _schemas(draft: ConfigDraft, folder: Path) -> None:
    """Read the JSON schemas of generated texts from the files that the config names."""
    for key, entry in _entries(draft, ("runs",)):
        file = entry.get("schema")
        if isinstance(file, str):
            found = _json_of_file(draft, folder, (*key, "schema"), file)
            entry["schema"] = found if found is not None else dict(_ANY_OBJECT)


def _json_of_file(draft: ConfigDraft, folder: Path, key: Key, file: str) -> dict[str, Any] | None:
    """Return the JSON schema in a file; a problem at ``key`` is added if there is none."""
    try:
        found = json.loads(source.read_text(_absolute(folder, file)))
    except RequestError as error:
        draft.problems.append(Problem(key, str(error)))
        return None
    except (ValueError, RecursionError) as error:
        draft.problems.append(Problem(key, f"{file} is no JSON: {error}"))
        return None
    if not isinstance(found, dict):
        draft.problems.append(Problem(key, f"{file} must hold one JSON schema, an object"))
        return None
    return found


def _checks(draft: ConfigDraft, folder: Path) -> None:
    """Read what checks have in files: lists of links, schemas and functions; and name each."""
    for key, entry in _entries(draft, ("checks",)):
        if entry.get("name") is None and isinstance(entry.get("type"), str):
            entry["name"] = entry["type"]
            draft.labels[*key, "name"] = "default: its type"
        for name in ("source", "allowed"):
            if f"{name}_file" in entry:
                # What is wrong with the file is the only fault that is told.
                _text_of_file(draft, folder, key, entry, name)
                entry.setdefault(name, "def check(text): ..." if name == "source" else "")
        if isinstance(entry.get("allowed"), str):
            lines = (line.partition(" #")[0].strip() for line in entry["allowed"].splitlines())
            entry["allowed"] = [line for line in lines if line and not line.startswith("#")]
        file = entry.pop("schema_file", entry.get("schema"))
        if isinstance(file, str):
            draft.sources[*key, "schema"] = (*key, "schema_file")
            found = _json_of_file(draft, folder, (*key, "schema"), file)
            entry["schema"] = found if found is not None else {}


def _text_of_file(
    draft: ConfigDraft, folder: Path, section: Key, values: dict[str, Any], name: str
) -> None:
    """Read the value ``name`` of a section from the file that ``name_file`` gives, if it does."""
    key: Key = (*section, f"{name}_file")
    file = values.pop(f"{name}_file", None)
    if file is None:
        return
    if values.get(name) is not None:
        message = f"{dotted((*section, name))} and its file exclude each other; keep one of them"
        draft.problems.append(Problem(key, message))
        return
    if not isinstance(file, str) or not file.strip():
        draft.problems.append(Problem(key, f"{dotted(key)} must be the path of a file"))
        return
    try:
        values[name] = source.read_text(_absolute(folder, file)).strip()
        draft.sources[*section, name] = draft.sources.get(key, key)
    except RequestError as error:
        draft.problems.append(Problem(key, str(error)))


def _given_texts(draft: ConfigDraft, folder: Path) -> None:
    """Complete the entries of ``runs`` for existing texts."""
    for key, entry in _entries(draft, ("runs",)):
        given = entry.get("folder")
        if entry.get("type") != "files":
            if given is not None:
                message = "folder is for type: files; other types write their texts"
                draft.problems.append(Problem((*key, "folder"), message))
            continue
        if not isinstance(given, str) or not given.strip():
            message = "type: files needs folder, where the texts are"
            draft.problems.append(Problem((*key, "folder"), message))
            continue
        if source.files_are_refused():
            message = "type: files reads a folder, which a run that is made from texts has not"
            draft.problems.append(Problem((*key, "folder"), message))
            continue
        path = _absolute(folder, given)
        entry["folder"] = str(path)
        if not path.is_dir():
            draft.problems.append(Problem((*key, "folder"), f"folder {path} does not exist"))
        for name, value in (("provider", "files"), ("model", path.name)):
            if entry.get(name) is None:
                entry[name] = value
                draft.labels[*key, name] = "default: of texts in files"


def _absolute(folder: Path, value: str) -> Path:
    # Not Path.resolve: messages show links as the user wrote them.
    return Path(os.path.abspath(folder / os.path.expanduser(value)))


def _providers(draft: ConfigDraft) -> None:
    """Add built-in providers that are used, and complete those that a config only adjusts."""
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
    if _section(draft, "jsonify").get("provider") == provider:
        return True
    return any(
        entry.get("provider") == provider
        for _, entry in _entries(draft, *MODELS)
        if entry.get("type") != "files" and entry.get("engine") != "external"
    )


def _judges(draft: ConfigDraft) -> None:
    for key, judge in _entries(draft, *JUDGES):
        if judge.get("name") is None and not {"provider", "model"} <= judge.keys():
            judge["name"] = dotted(key)  # the missing key is the mistake
        elif judge.get("name") is None:
            judge["name"] = f"{judge['provider']}:{judge['model']}"
            draft.labels[*key, "name"] = "default: provider:model"
    iterations = _section(draft, "playoffs").get("iterations")
    if iterations is None:
        iterations = Playoffs.model_fields["iterations"].default
    for key, judge in _entries(draft, ("playoffs", "judges")):
        if judge.get("iterations") is None:
            judge["iterations"] = iterations
            draft.labels[*key, "iterations"] = "as playoffs.iterations"


def _research(draft: ConfigDraft) -> None:
    """Fill in missing options of GPT Researcher's entries; each type has its own options."""
    for key, entry in _entries(draft, ("runs",)):
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


def _forge(draft: ConfigDraft, folder: Path) -> None:
    """Fill in the path of FilePromptForge, if an entry uses it."""
    section = draft.data.get("fpf")
    used = [key for key, one in _entries(draft, ("runs",)) if one.get("engine") == "external"]
    if used and source.files_are_refused():
        message = (
            "engine: external runs a program of a machine, which a run made from texts has not"
        )
        draft.problems.append(Problem((*used[0], "engine"), message))
    if not used:
        if isinstance(section, dict):
            draft.notes.append("fpf has no effect: no entry of runs has engine: external")
            del draft.data["fpf"]
        return
    if section is None:
        section = draft.data["fpf"] = {}
        draft.labels[("fpf",)] = "default: FilePromptForge beside the folder of the config"
    if not isinstance(section, dict):
        return
    path, python = section.get("path"), section.get("python")
    if path is None or (isinstance(path, str) and not path.strip()):
        path = FilePromptForge.model_fields["path"].default
        draft.labels["fpf", "path"] = "default: beside the folder of the config"
    if isinstance(path, str):
        section["path"] = str(_absolute(folder, path))
    if isinstance(python, str) and "/" in python:
        section["python"] = str(_absolute(folder, python))


def _criteria_file(draft: ConfigDraft, folder: Path, section: tuple[str, ...]) -> None:
    """Read the criteria of a section from the file that it names, if it does."""
    values = _section(draft, *section)
    file = values.pop("criteria_file", None)
    if file is None:
        return
    key: Key = (*section, "criteria_file")
    if values.get("criteria") is not None:
        other = dotted((*section, "criteria"))
        message = f"{dotted(key)} and {other} exclude each other; keep one of them"
        draft.problems.append(Problem(key, message))
        return
    if not isinstance(file, str) or not file.strip():
        draft.problems.append(Problem(key, f"{dotted(key)} must be the path of a file"))
        return
    path = _absolute(folder, file)
    try:
        criteria = source.read_yaml(path)
    except RequestError as error:
        if error.where != str(path):
            raise  # it names a line of that file
        draft.problems.append(Problem(key, str(error)))
        return
    mount_criteria(draft, criteria, section)


def mount_criteria(draft: ConfigDraft, file: YamlFile, section: tuple[str, ...] = ()) -> None:
    """Put the criteria of a file into a section.

    The file contains a list, or a mapping with a list named criteria and their common scale.

    Raises:
        RequestError: The scale is not valid.
    """
    data: Any = file.data
    inner: Key = ()
    scale: dict[str, Any] = {}
    if isinstance(data, dict) and "criteria" in data and data.keys() <= {"criteria", *_SCALE}:
        scale = {name: data[name] for name in _SCALE if data.get(name) is not None}
        data, inner = data["criteria"], ("criteria",)
    if not isinstance(data, list):
        message = (
            f"{file.path} must hold a list named criteria, and nothing else"
            " but the scale of all: min, max, step"
        )
        draft.problems.append(Problem((*section, "criteria_file"), message))
        return
    # Reported at the scale and not at the first criterion, unless criteria have own scales.
    wrong = _scale_fault(scale)
    if wrong and not any(isinstance(entry, dict) and entry.keys() & {*_SCALE} for entry in data):
        name, message = wrong
        raise RequestError(message, f"{file.path}:{file.lines[(name,)]} ({name})")
    key: Key = (*section, "criteria")
    _section(draft, *section)["criteria"] = data
    draft.mounts[key] = (file, inner)
    for index, entry in enumerate(data):
        if isinstance(entry, str):
            data[index] = entry = {"name": entry}
            draft.sources[*key, index, "name"] = (*key, index)
        for name in scale.keys() - entry.keys() if isinstance(entry, dict) else ():
            entry[name] = scale[name]
            draft.labels[*key, index, name] = f"{file.path.name}:{file.lines[(name,)]}"


def _scale_fault(scale: dict[str, Any]) -> tuple[str, str] | None:
    """Return the key and the message of a fault in the scale of all criteria, if there is one."""
    for name, value in scale.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            return name, f"{name} must be a number, not {json.dumps(value)}"
    if scale.get("step", 1) <= 0:
        return "step", f"step must be greater than 0, not {scale['step']}"
    try:
        Criterion(name="every one", **scale)
    except ValidationError as error:
        message = str(error.errors()[0]["ctx"]["error"])
    else:
        return None
    if "max" in scale:
        return "max", message
    most = Criterion.model_fields["max"].default
    return next(iter(scale)), f"{message} (max is {most} where it is not given)"


def _criterion(draft: ConfigDraft, criteria: list[Any], key: Key) -> None:
    """Convert a name to a criterion, and apply the defaults of a known one."""
    index = int(key[-1])
    if isinstance(criteria[index], str):
        criteria[index] = {"name": criteria[index]}
        draft.sources[*key, "name"] = key
    criterion = criteria[index]
    if not isinstance(criterion, dict):
        return
    for alias, name in _CRITERION_ALIASES.items():
        if alias in criterion and name not in criterion:
            criterion[name] = criterion.pop(alias)
            draft.sources[*key, name] = (*key, alias)
    known = _DEFAULT_CRITERIA.get(str(criterion.get("name")))
    for field in ("weight", "description") if known is not None else ():
        if field not in criterion:
            criterion[field] = getattr(known, field)
            draft.labels[*key, field] = f"default of {criterion['name']}"


def _limits(draft: ConfigDraft) -> None:
    """Set limits that a config leaves out to the values that its policies enforce."""
    policies = _section(draft, "policies", "providers")
    for name, provider in _section(draft, "providers").items():
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
