"""The names that evaluators of Station import, so that their files run unchanged.

The module provides the names that such evaluators use: a base class, a few names of folders, and a
helper for files. Folders for their output are inside the sandbox and are deleted with it.
"""

import os
import sys
import types
from typing import Any

_CONSTANTS = {
    "ROOMS_DIR_NAME": "rooms",
    "SHORT_ROOM_NAME_RESEARCH": "research",
    "RESEARCH_INTERNAL_DIR": "internal",
    "RESEARCH_EVALUATORS_DIR": "evaluators",
    "RESEARCH_STORAGE_DIR": "storage",
    "RESEARCH_STORAGE_BASE_PATH": "storage",
    "RESEARCH_STORAGE_SHARED_DIR": "shared",
    "RESEARCH_STORAGE_SYSTEM_DIR": "system",
    "RESEARCH_SCORE_NA": "n.a.",
    "RESEARCH_SCORE_PENDING": "pending",
}


class ResearchTaskEvaluator:
    """The base class of Station's evaluators."""

    def __init__(self, task_id: Any = None) -> None:
        self.task_id = task_id

    def evaluate_submission(self, result: Any, eval_id: Any = None, author: Any = None) -> Any:
        """Return whether the result is accepted, its score, and details."""
        raise NotImplementedError

    def get_expected_function_name(self) -> str:
        """Return the name of the submission's function."""
        raise NotImplementedError

    def get_task_description(self) -> str:
        """Return the description of the task."""
        return ""

    def get_execution_mode(self) -> str:
        """Return ``function`` or ``command``."""
        return "function"

    def get_submission_filename(self) -> str:
        """Return the name of the file that the code is written to."""
        return "submission.py"

    def get_execution_command(self) -> str:
        """Return the command of mode ``command``."""
        return "python submission.py"

    def get_secondary_metrics_format(self) -> "dict[str, str | None] | None":
        """Return the format of each secondary metric."""
        return None

    def validate_submission_code(
        self, content: str, author: str, agent_module: Any = None
    ) -> "tuple[bool, str | None]":
        """Return whether the code may run, and the reason if not."""
        return True, None


def install(folder: str) -> None:
    """Register ``station`` and the modules that evaluators import from it."""
    station = types.ModuleType("station")
    constants = types.ModuleType("station.constants")
    vars(constants).update(_CONSTANTS, BASE_STATION_DATA_PATH=os.path.join(folder, "station_data"))
    files = types.ModuleType("station.file_io_utils")
    vars(files)["ensure_dir_exists"] = lambda path: os.makedirs(path, exist_ok=True)
    research = types.ModuleType("station.eval_research")
    base = types.ModuleType("station.eval_research.base_evaluator")
    vars(base)["ResearchTaskEvaluator"] = ResearchTaskEvaluator
    vars(station).update(constants=constants, file_io_utils=files, eval_research=research)
    vars(research)["base_evaluator"] = base
    for module in (station, constants, files, research, base):
        vars(module)["__path__"] = []
        sys.modules[module.__name__] = module


def find(module: Any) -> Any:
    """Return an instance of the evaluator that a file defines.

    Raises:
        LookupError: The file defines no evaluator, or several.
    """
    found = [
        value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, ResearchTaskEvaluator)
        and value is not ResearchTaskEvaluator
        and value.__module__ == module.__name__
    ]
    if len(found) != 1:
        names = ", ".join(value.__name__ for value in found) or "none"
        raise LookupError(f"an evaluator of Station is one class Task<N>Evaluator, not {names}")
    return found[0]()


def describe(evaluator: Any) -> dict[str, Any]:
    """Return the execution mode that an evaluator declares."""
    mode = evaluator.get_execution_mode()
    return {
        "mode": mode,
        "function": evaluator.get_expected_function_name() if mode == "function" else None,
        "filename": evaluator.get_submission_filename(),
        "command": evaluator.get_execution_command() if mode == "command" else None,
        "description": evaluator.get_task_description(),
        "metrics": evaluator.get_secondary_metrics_format() or {},
    }


def validate(evaluator: Any, code: str, author: str) -> dict[str, Any]:
    """Return why the code must not be run; None if it may run."""
    valid, message = evaluator.validate_submission_code(code, author, None)
    return {} if valid else {"invalid": str(message)[:2000]}
