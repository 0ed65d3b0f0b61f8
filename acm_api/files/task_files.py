"""Reads tasks for code submissions from YAML, with the evaluators in the same folder."""

from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import ValidationError

from acm_api.config.nearest import nearest
from acm_workers.errors import RequestError
from schemas.submissions import SubmissionTask

_KNOWN = [name for name in SubmissionTask.model_fields if name != "run_id"] + ["config"]
_STATION_KEYS = {"id", "title", "content", "parallel_evaluation_enabled"}


class TaskFromFile(NamedTuple):
    """A task that was read from a file.

    Attributes:
        config: The config with judges, providers and budget of the task; absent without one.
    """

    task: SubmissionTask
    config: Path | None


def load(path: Path) -> list[TaskFromFile]:
    """Return the tasks in a file, which may be Station's ``research_tasks.yaml``.

    Raises:
        RequestError: The file cannot be read, or a task is not valid.
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


def _task(entry: Any, path: Path) -> TaskFromFile:
    if not isinstance(entry, dict):
        raise RequestError(f"a task is a mapping, not {entry!r}", str(path))
    if "key" not in entry and "id" in entry:
        entry = _of_station(entry, path)
    where = f"{path}: task {entry.get('key', '?')}"
    unknown = [key for key in entry if key not in _KNOWN]
    if unknown:
        close = nearest(str(unknown[0]), _KNOWN)
        hint = f"; did you mean {close}?" if close else ""
        raise RequestError(f"unknown key {unknown[0]}{hint}", where)
    config = entry.get("config")
    if config is not None and not isinstance(config, str):
        raise RequestError("config: it is the path of a config file", where)
    evaluator = entry.get("evaluator")
    if evaluator == "judge":
        evaluator = {"kind": "judge"}
    elif isinstance(evaluator, str):
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
    values = {key: value for key, value in entry.items() if key != "config"}
    try:
        task = SubmissionTask.model_validate({**values, "evaluator": evaluator})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise RequestError(f"{key}: {first['msg']}", where) from error
    if config is not None and not task.asks_models:
        raise RequestError("config: only a judge or a debugger of kind llm needs one", where)
    return TaskFromFile(task, None if config is None else path.parent / config)


def _of_station(entry: dict[str, Any], path: Path) -> dict[str, Any]:
    """Convert a task of Station, whose evaluator is in the folder ``evaluators``."""
    number = entry["id"]
    return {
        "key": f"task-{number}",
        "title": str(entry.get("title", "")),
        "description": str(entry.get("content", "")),
        "parallel": None if entry.get("parallel_evaluation_enabled", True) else 1,
        "evaluator": {"kind": "station", "file": f"evaluators/task_{number}_evaluator.py"},
        **{key: value for key, value in entry.items() if key not in _STATION_KEYS},
    }
