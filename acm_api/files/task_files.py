"""Reads tasks for code submissions from YAML, with the evaluators that lie beside them."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from acm_api.config.nearest import nearest
from acm_workers.errors import RequestError
from schemas.submissions import SubmissionTask

_STATION_KEYS = {"id", "title", "content", "parallel_evaluation_enabled"}


def load(path: Path) -> list[SubmissionTask]:
    """Return the tasks of a file; those of Station's ``research_tasks.yaml`` too.

    Raises:
        RequestError: The file cannot be read, or a task in it is wrong.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"the tasks cannot be read: {error}", str(path)) from error
    except yaml.YAMLError as error:
        raise RequestError(f"this is no YAML: {error}", str(path)) from error
    entries = content.get("tasks", content) if isinstance(content, dict) else content
    if isinstance(entries, dict):
        entries = [{"key": key, **(value or {})} for key, value in entries.items()]
    if not isinstance(entries, list) or not entries:
        raise RequestError("a file of tasks holds a list `tasks:`", str(path))
    return [_task(entry, path) for entry in entries]


def _task(entry: Any, path: Path) -> SubmissionTask:
    if not isinstance(entry, dict):
        raise RequestError(f"a task is a mapping, not {entry!r}", str(path))
    if "key" not in entry and "id" in entry:
        entry = _of_station(entry, path)
    where = f"{path}: task {entry.get('key', '?')}"
    unknown = [key for key in entry if key not in SubmissionTask.model_fields]
    if unknown:
        close = nearest(str(unknown[0]), list(SubmissionTask.model_fields))
        hint = f"; did you mean {close}?" if close else ""
        raise RequestError(f"unknown key {unknown[0]}{hint}", where)
    evaluator = entry.get("evaluator")
    if isinstance(evaluator, str):
        evaluator = {"file": evaluator}
    if isinstance(evaluator, dict) and "file" in evaluator:
        file = path.parent / str(evaluator["file"])
        rest = {name: value for name, value in evaluator.items() if name != "file"}
        try:
            evaluator = {**rest, "source": file.read_text(encoding="utf-8-sig")}
        except (OSError, UnicodeDecodeError) as error:
            raise RequestError(f"the evaluator cannot be read: {error}", where) from error
        if "ResearchTaskEvaluator" in evaluator["source"]:
            evaluator.setdefault("kind", "station")
    try:
        return SubmissionTask.model_validate({**entry, "evaluator": evaluator})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise RequestError(f"{key}: {first['msg']}", where) from error


def _of_station(entry: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return a task of Station in our words; its evaluator lies in the folder ``evaluators``."""
    number = entry["id"]
    return {
        "key": f"task-{number}",
        "title": str(entry.get("title", "")),
        "description": str(entry.get("content", "")),
        "parallel": None if entry.get("parallel_evaluation_enabled", True) else 1,
        "evaluator": {"kind": "station", "file": f"evaluators/task_{number}_evaluator.py"},
        **{key: value for key, value in entry.items() if key not in _STATION_KEYS},
    }
