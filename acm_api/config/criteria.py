"""Criteria of a draft: reading files, common scales, and defaults of known criteria."""

import json
import math
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from acm_api.config import source
from acm_api.config.draft import ConfigDraft
from acm_api.config.named_files import absolute
from acm_api.config.source import Key, YamlFile, dotted
from acm_workers.errors import RequestError
from schemas.config.judging import DEFAULT_CRITERIA, Criterion

_DEFAULT_CRITERIA = {criterion.name: criterion for criterion in DEFAULT_CRITERIA}
_SCALE = ("min", "max", "step")
_CRITERION_ALIASES = {"min_score": "min", "max_score": "max"}

_LOWEST, _HIGHEST = 1, 5
"""Lowest and highest score in llm-doc-eval."""


def complete(draft: ConfigDraft, folder: Path) -> None:
    """Read criteria from the files that a draft names, and apply defaults to known criteria.

    Raises:
        RequestError: A line of a file cannot be read, or the file's scale is not valid.
    """
    for section in ((), ("playoffs",)):
        _file(draft, folder, section)
        listed = draft.section(*section).get("criteria")
        if isinstance(listed, list):
            for index in range(len(listed)):
                _criterion(draft, listed, (*section, "criteria", index))


def _file(draft: ConfigDraft, folder: Path, section: tuple[str, ...]) -> None:
    """Read the criteria of a section from the file that the section names, if any."""
    values = draft.section(*section)
    file = values.pop("criteria_file", None)
    if file is None:
        return
    key: Key = (*section, "criteria_file")
    if values.get("criteria") is not None:
        other = dotted((*section, "criteria"))
        message = f"{dotted(key)} and {other} exclude each other; keep one of them"
        draft.problem(key, message)
        return
    if not isinstance(file, str) or not file.strip():
        draft.problem(key, f"{dotted(key)} must be the path of a file")
        return
    path = absolute(folder, file)
    try:
        found = source.read_yaml(path)
    except RequestError as error:
        if error.where != str(path):
            raise  # it names a line of that file
        draft.problem(key, str(error))
        return
    mount(draft, found, section)


def mount(draft: ConfigDraft, file: YamlFile, section: tuple[str, ...] = ()) -> None:
    """Put the criteria of a file into a section.

    The file contains a list, or a mapping with a list ``criteria`` and a common scale.

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
        draft.problem((*section, "criteria_file"), message)
        return
    # Reported at the scale and not at the first criterion, unless criteria have own scales.
    wrong = _scale_fault(scale)
    if wrong and not any(isinstance(entry, dict) and entry.keys() & {*_SCALE} for entry in data):
        name, message = wrong
        raise RequestError(message, f"{file.path}:{file.lines[(name,)]} ({name})")
    key: Key = (*section, "criteria")
    draft.section(*section)["criteria"] = data
    draft.mounts[key] = (file, inner)
    for index, entry in enumerate(data):
        if isinstance(entry, str):
            data[index] = entry = {"name": entry}
            draft.sources[*key, index, "name"] = (*key, index)
        for name in scale.keys() - entry.keys() if isinstance(entry, dict) else ():
            entry[name] = scale[name]
            draft.labels[*key, index, name] = f"{file.path.name}:{file.lines[(name,)]}"


def _scale_fault(scale: dict[str, Any]) -> tuple[str, str] | None:
    """Return the key and message of a problem with the common scale; None without a problem."""
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
    """Convert a name to a criterion, and apply the defaults of known criteria."""
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


def scale_of_llm_doc_eval(draft: ConfigDraft) -> None:
    """Set the scale of llm-doc-eval on criteria without a scale."""
    for key, entry in draft.entries(("criteria",)):
        if not {"min", "max", "min_score", "max_score"} & entry.keys():
            entry["min"], entry["max"] = _LOWEST, _HIGHEST
            for name in ("min", "max"):
                draft.labels[*key, name] = "llm-doc-eval's scale"
