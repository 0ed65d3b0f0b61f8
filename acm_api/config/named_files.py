"""Files and folders that a draft names: absolute paths and contents."""

import json
import os
from pathlib import Path
from typing import Any

from acm_api.config import source
from acm_api.config.draft import JUDGES, ConfigDraft
from acm_api.config.source import Key, dotted
from schemas.config.judging import JudgePrompts
from schemas.config.programs import FilePromptForge

PATHS = (
    "input_folder", "output_folder", "winners_folder", "reports_folder", "instructions_file",
    "guidelines_file", "evaluation_folder",
)  # fmt: skip
_ANY_OBJECT = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
"""Replaces a schema that could not be read, so that further checks report no consequences."""


def read(draft: ConfigDraft, folder: Path) -> None:
    """Resolve paths relative to ``folder``, and read the named files."""
    _paths(draft, folder)
    _given_texts(draft, folder)
    for key, entry in draft.entries(("runs",)):
        _text(draft, folder, key, entry, "instructions")
    _text(draft, folder, ("playoffs",), draft.section("playoffs"), "instructions")
    for key, judge in draft.entries(*JUDGES):
        prompts = judge.get("prompts")
        if isinstance(prompts, dict):
            for name in JudgePrompts.model_fields:
                _text(draft, folder, (*key, "prompts"), prompts, name)
    _schemas(draft, folder)
    _checks(draft, folder)
    _forge(draft, folder)


def _paths(draft: ConfigDraft, folder: Path) -> None:
    for name in PATHS:
        value = draft.data.get(name)
        if isinstance(value, str) and value.strip():
            draft.data[name] = str(absolute(folder, value))
        elif isinstance(value, str):
            draft.problem((name,), f"{name} must not be empty")
    retriever = draft.section("retriever")
    if isinstance(retriever.get("folder"), str) and retriever["folder"].strip():
        retriever["folder"] = str(absolute(folder, retriever["folder"]))
    output = draft.data.get("output_folder")
    for name in ("winners", "reports"):
        if isinstance(output, str) and f"{name}_folder" not in draft.data:
            draft.data[f"{name}_folder"] = str(Path(output).parent / name)
            draft.labels[(f"{name}_folder",)] = "default: beside output_folder"


def _given_texts(draft: ConfigDraft, folder: Path) -> None:
    """Complete the entries of ``runs`` for existing texts."""
    for key, entry in draft.entries(("runs",)):
        given = entry.get("folder")
        if entry.get("type") != "files":
            if given is not None:
                message = "folder is for type: files; other types write their texts"
                draft.problem((*key, "folder"), message)
            continue
        if not isinstance(given, str) or not given.strip():
            message = "type: files needs folder, where the texts are"
            draft.problem((*key, "folder"), message)
            continue
        if source.files_are_refused():
            message = "type: files reads a folder, which a run that is made from texts has not"
            draft.problem((*key, "folder"), message)
            continue
        path = absolute(folder, given)
        entry["folder"] = str(path)
        if not path.is_dir():
            draft.problem((*key, "folder"), f"folder {path} does not exist")
        for name, value in (("provider", "files"), ("model", path.name)):
            if entry.get(name) is None:
                entry[name] = value
                draft.labels[*key, name] = "default: of texts in files"


def _schemas(draft: ConfigDraft, folder: Path) -> None:
    """Read the JSON schemas of generated texts from the files that the config names."""
    for key, entry in draft.entries(("runs",)):
        file = entry.get("schema")
        if isinstance(file, str):
            found = _schema(draft, folder, (*key, "schema"), file)
            entry["schema"] = found if found is not None else dict(_ANY_OBJECT)


def _checks(draft: ConfigDraft, folder: Path) -> None:
    """Read the files of checks (lists of links, schemas, functions), and set missing names."""
    for key, entry in draft.entries(("checks",)):
        if entry.get("name") is None and isinstance(entry.get("type"), str):
            entry["name"] = entry["type"]
            draft.labels[*key, "name"] = "default: its type"
        for name in ("source", "allowed"):
            if f"{name}_file" in entry:
                # What is wrong with the file is the only problem that is reported.
                _text(draft, folder, key, entry, name)
                entry.setdefault(name, "def check(text): ..." if name == "source" else "")
        if isinstance(entry.get("allowed"), str):
            lines = (line.partition(" #")[0].strip() for line in entry["allowed"].splitlines())
            entry["allowed"] = [line for line in lines if line and not line.startswith("#")]
        file = entry.pop("schema_file", entry.get("schema"))
        if isinstance(file, str):
            draft.sources[*key, "schema"] = (*key, "schema_file")
            found = _schema(draft, folder, (*key, "schema"), file)
            entry["schema"] = found if found is not None else {}


def _text(
    draft: ConfigDraft, folder: Path, section: Key, values: dict[str, Any], name: str
) -> None:
    """Read the value ``name`` of a section from the file in ``name_file``, if set."""
    key: Key = (*section, f"{name}_file")
    file = values.pop(f"{name}_file", None)
    if file is None:
        return
    if values.get(name) is not None:
        message = f"{dotted((*section, name))} and its file exclude each other; keep one of them"
        draft.problem(key, message)
        return
    if not isinstance(file, str) or not file.strip():
        draft.problem(key, f"{dotted(key)} must be the path of a file")
        return
    text = draft.read(key, absolute(folder, file))
    if text is not None:
        values[name] = text.strip()
        draft.sources[*section, name] = draft.sources.get(key, key)


def _schema(draft: ConfigDraft, folder: Path, key: Key, file: str) -> dict[str, Any] | None:
    """Return the JSON schema in a file; add a problem at ``key`` if the file has none."""
    text = draft.read(key, absolute(folder, file))
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        draft.problem(key, f"{file} is no JSON: {error}")
        return None
    if not isinstance(found, dict):
        draft.problem(key, f"{file} must hold one JSON schema, an object")
        return None
    return found


def _forge(draft: ConfigDraft, folder: Path) -> None:
    """Fill in the path of FilePromptForge if an entry uses this program."""
    section = draft.data.get("fpf")
    used = [key for key, one in draft.entries(("runs",)) if one.get("engine") == "external"]
    if used and source.files_are_refused():
        message = (
            "engine: external runs a program of a machine, which a run made from texts has not"
        )
        draft.problem((*used[0], "engine"), message)
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
        section["path"] = str(absolute(folder, path))
    if isinstance(python, str) and "/" in python:
        section["python"] = str(absolute(folder, python))


def absolute(folder: Path, value: str) -> Path:
    """Return the absolute path for a path relative to ``folder``."""
    # Not Path.resolve: messages show links as the user wrote them.
    return Path(os.path.abspath(folder / os.path.expanduser(value)))
