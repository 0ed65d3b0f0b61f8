"""Completing the criteria of a draft: from names and files to whole entries."""

import json
import os
from pathlib import Path
from typing import Any

from acm_api.config import draft as drafts
from acm_api.config import source
from acm_api.config.draft import Draft, Problem
from acm_api.config.source import Key, Located, dotted
from acm_workers.errors import RequestError
from schemas.config.judging import DEFAULT_CRITERIA, Criterion

SECTIONS: tuple[Key, ...] = ((), ("playoffs",))
"""Sections that may hold criteria, or name a file of them."""

_KNOWN = {criterion.name: criterion for criterion in DEFAULT_CRITERIA}
_SCALE = ("min", "max", "step")
_OTHER_WORDS = {"min_score": "min", "max_score": "max"}


def complete(draft: Draft, folder: Path) -> None:
    """Turn files and names into criteria, and give known names their weight and description.

    Raises:
        RequestError: A line of a criteria file cannot be read, or its scale is none.
    """
    for section in SECTIONS:
        _read(draft, folder, section)
        criteria = drafts.get(draft.data, (*section, "criteria"))
        if isinstance(criteria, list):
            for index in range(len(criteria)):
                _entry(draft, criteria, (*section, "criteria", index))


def _read(draft: Draft, folder: Path, section: Key) -> None:
    place = drafts.get(draft.data, section)
    file = place.pop("criteria_file", None) if isinstance(place, dict) else None
    if file is None:
        return
    key: Key = (*section, "criteria_file")
    if place.get("criteria") is not None:
        other = dotted((*section, "criteria"))
        message = f"{dotted(key)} and {other} exclude each other; keep one of them"
        draft.problems.append(Problem(key, message))
        return
    if not isinstance(file, str) or not file.strip():
        draft.problems.append(Problem(key, f"{dotted(key)} must be the path of a file"))
        return
    path = Path(os.path.abspath(folder / os.path.expanduser(file)))
    try:
        located = source.read_yaml(path)
    except RequestError as error:
        if error.where != str(path):
            raise  # it names a line of that file, which helps more than the key that names it
        draft.problems.append(Problem(key, str(error)))
        return
    mount(draft, located, section)


def mount(draft: Draft, located: Located, section: Key = ()) -> None:
    """Put the criteria of a file into a section: a list, or one named criteria with its scale.

    Raises:
        RequestError: Its scale is none.
    """
    data: Any = located.data
    inner: Key = ()
    scale: dict[str, Any] = {}
    if isinstance(data, dict) and "criteria" in data and data.keys() <= {"criteria", *_SCALE}:
        scale = {name: data[name] for name in _SCALE if data.get(name) is not None}
        data, inner = data["criteria"], ("criteria",)
    if not isinstance(data, list):
        message = (
            f"{located.file} must hold a list named criteria, and nothing else"
            " but the scale of all: min, max, step"
        )
        draft.problems.append(Problem((*section, "criteria_file"), message))
        return
    # At its own place and not at the first criterion, unless criteria have scales of their own.
    wrong = _wrong(scale)
    if wrong and not any(isinstance(entry, dict) and entry.keys() & {*_SCALE} for entry in data):
        name, message = wrong
        raise RequestError(message, f"{located.file}:{located.lines[(name,)]} ({name})")
    key: Key = (*section, "criteria")
    drafts.get(draft.data, section)["criteria"] = data
    draft.mounts[key] = (located, inner)
    for index, entry in enumerate(data):
        if isinstance(entry, str):
            data[index] = entry = {"name": entry}
            draft.sources[*key, index, "name"] = (*key, index)
        for name in scale.keys() - entry.keys() if isinstance(entry, dict) else ():
            entry[name] = scale[name]
            draft.labels[*key, index, name] = f"{located.file.name}:{located.lines[(name,)]}"


def _wrong(scale: dict[str, Any]) -> tuple[str, str] | None:
    """Return what is wrong with a scale of all criteria: at which key, and why."""
    for name, value in scale.items():
        if isinstance(value, bool) or not isinstance(value, int):
            return name, f"{name} must be a whole number, not {json.dumps(value)}"
    whole = {name: Criterion.model_fields[name].default for name in _SCALE} | scale
    if whole["step"] < 1:
        return "step", f"step must be at least 1, not {whole['step']}"
    if whole["min"] + whole["step"] <= whole["max"]:
        return None
    message = "max must be at least one step above min"
    if "max" in scale:
        return "max", message
    return next(iter(scale)), f"{message} (max is {whole['max']} where it is not given)"


def _entry(draft: Draft, criteria: list[Any], key: Key) -> None:
    """Turn a name into a criterion, and add what is known of it."""
    index = int(key[-1])
    if isinstance(criteria[index], str):
        criteria[index] = {"name": criteria[index]}
        draft.sources[*key, "name"] = key
    criterion = criteria[index]
    if not isinstance(criterion, dict):
        return
    for word, name in _OTHER_WORDS.items():
        if word in criterion and name not in criterion:
            criterion[name] = criterion.pop(word)
            draft.sources[*key, name] = (*key, word)
    known = _KNOWN.get(str(criterion.get("name")))
    for field in ("weight", "description") if known is not None else ():
        if field not in criterion:
            criterion[field] = getattr(known, field)
            draft.labels[*key, field] = f"default of {criterion['name']}"
