"""Calls an evaluator for a result, and writes the answer.

Arguments: what to do (``evaluate``, ``validate`` or ``describe``), kind of the evaluator, folder
with its input, folder for its answer ``score.json``. The answer is one JSON object: ``value``,
``metrics``, ``sort_key``, ``message``; or ``invalid``, for code that is not to be run; or
``failed``, for an evaluator that does not work.
"""

import importlib.util
import json
import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from typing import Any, NoReturn

import codec  # type: ignore[import-not-found]  # lies beside this file

_MOST_TEXT = 2000


class ResultRejected(Exception):
    """The evaluator does not accept the result."""


class SubmittedResult:
    """The argument of an evaluator.

    Attributes:
        result: The returned or written result; the printed output, if the task requires that.
        code: Text of the submission.
        stdout: Standard output, truncated.
        stderr: Standard error output, truncated.
    """

    result: Any

    def __init__(self, about: dict[str, Any]) -> None:
        self.id: int = about["id"]
        self.version: int = about["version"]
        self.author: str = about["author"]
        self.title: str = about["title"]
        self.code: str = about["code"]
        self.stdout: str = about["stdout"]
        self.stderr: str = about["stderr"]

    def reject(self, message: str) -> NoReturn:
        """Reject the result as not valid, so that it gets no score."""
        raise ResultRejected(message)


def main(what: str, kind: str, inputs: str, outputs: str) -> None:
    """Call the evaluator and write its answer."""
    try:
        answer = _answer(what, kind, inputs)
        text = json.dumps(answer, allow_nan=False)
    except ResultRejected as error:
        text = json.dumps({"value": None, "message": str(error)[:_MOST_TEXT]})
    except codec.BadResult as error:
        text = json.dumps({"bad_result": str(error)[:_MOST_TEXT]})
    except BaseException as error:
        traceback.print_exc()
        told = f"{type(error).__name__}: {error}"[:_MOST_TEXT]
        text = json.dumps({"failed": told})
    with open(os.path.join(outputs, "score.json"), "r+") as file:
        file.truncate()
        file.write(text)


def _answer(what: str, kind: str, inputs: str) -> dict[str, Any]:
    with open(os.path.join(inputs, "submission.json"), encoding="utf-8") as file:
        about = json.load(file)
    if kind == "station":
        import station_shim  # type: ignore[import-not-found]

        station_shim.install(os.getcwd())
    module = _load(os.path.join(inputs, "evaluator.py"))
    if kind == "station":
        evaluator = station_shim.find(module)
        if what == "describe":
            return dict(station_shim.describe(evaluator))
        if what == "validate":
            return dict(station_shim.validate(evaluator, about["code"], about["author"]))
    submission = SubmittedResult(about)
    if what == "validate":
        return _validated(module, submission)
    if about["result"] == "stdout":
        submission.result = about["stdout"]
    else:
        paths = [os.path.join(inputs, name) for name in ("result.json", "result.npz")]
        submission.result = codec.read(*paths)
    if kind == "station":
        number = about["id"] if about["version"] == 1 else f"{about['id']}_v{about['version']}"
        return _scored(
            evaluator.evaluate_submission(submission.result, str(number), submission.author),
            is_station=True,
        )
    return _scored(module.evaluate(submission))


def _validated(module: Any, submission: SubmittedResult) -> dict[str, Any]:
    if not hasattr(module, "validate"):
        return {}
    try:
        message = module.validate(submission)
    except ResultRejected as error:
        message = str(error)
    return {"invalid": str(message)[:_MOST_TEXT]} if message else {}


def _load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("evaluator", path)
    assert spec is not None and spec.loader is not None  # noqa: PT018, S101  a Python file
    module = importlib.util.module_from_spec(spec)
    sys.modules["evaluator"] = module
    spec.loader.exec_module(module)
    return module


def _scored(found: Any, *, is_station: bool = False) -> dict[str, Any]:
    """Return the value, metrics, sort key and message that an evaluator returned."""
    if isinstance(found, tuple):
        accepted, value, details, *sort_key = found
        if not accepted:
            return {"value": None, "message": _message(details)}
        metrics = _metrics(details) if isinstance(details, dict) else {}
        key = None if not sort_key or sort_key[0] is None else [_number(k) for k in sort_key[0]]
        answer = {"value": _number(value), "metrics": metrics, "sort_key": key}
        return {**answer, "message": _message(details)}
    if is_station:
        raise TypeError(f"evaluate_submission returned a {type(found).__name__}, not a tuple")
    if not isinstance(found, dict):
        found = {"value": found} if not hasattr(found, "value") else vars(found)
    key = found.get("sort_key")
    value = found.get("value")
    return {
        "value": None if value is None else _number(value),
        "metrics": _metrics(found.get("metrics") or {}),
        "sort_key": None if key is None else [_number(one) for one in key],
        "message": str(found.get("message") or "")[:_MOST_TEXT],
    }


def _number(value: Any) -> float:
    """Return a number as a score; booleans and texts are refused."""
    if hasattr(value, "item") and getattr(value, "size", 1) == 1:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"a score is a number, not {value!r}")
    if value - value != 0:
        raise ValueError(f"a score is a finite number, not {value}")
    return float(value)


def _metrics(details: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, value in details.items():
        if name == "Message":
            continue
        # Pairs of a formatted and a raw value, as older evaluators return them.
        raw = value[1] if isinstance(value, tuple) and len(value) == 2 else value
        if hasattr(raw, "item") and getattr(raw, "size", 1) == 1:
            raw = raw.item()
        if isinstance(raw, float) and raw - raw != 0:
            raw = str(raw)
        found[str(name)] = raw if isinstance(raw, bool | int | float | str) else str(raw)
    return found


def _message(details: Any) -> str:
    if isinstance(details, dict):
        details = details.get("Message", "")
    return str(details or "")[:_MOST_TEXT]


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
