"""Calls the function of a check with a text, and writes the result.

Arguments: name of the function, folder with ``check.py`` and ``text.txt``, folder for its answer
``score.json``: one JSON object with ``score`` and ``reason``; or ``failed``.
"""

import importlib.util
import json
import os
import sys
import traceback
from typing import Any

_MOST_TEXT = 2000


def main(name: str, inputs: str, outputs: str) -> None:
    """Call the function and write its answer."""
    try:
        answer = json.dumps(_checked(_load(os.path.join(inputs, "check.py")), name, inputs))
    except BaseException as error:  # also exit() within the function
        traceback.print_exc()
        answer = json.dumps({"failed": f"{type(error).__name__}: {error}"[:_MOST_TEXT]})
    with open(os.path.join(outputs, "score.json"), "r+") as file:
        file.truncate()
        file.write(answer)


def _checked(module: Any, name: str, inputs: str) -> dict[str, Any]:
    function = getattr(module, name, None)
    if not callable(function):
        raise TypeError(f"the file defines no function {name}()")
    with open(os.path.join(inputs, "text.txt"), encoding="utf-8", newline="") as file:
        found = function(file.read())
    told = found if isinstance(found, dict) else {"score": found}
    score = told.get("score", told.get("passed"))
    if isinstance(score, bool):
        score = float(score)
    if not isinstance(score, int | float) or not 0 <= score <= 1:
        raise TypeError(f"it returned {found!r:.200}, neither true or false nor a number to 1")
    return {"score": float(score), "reason": str(told.get("reason") or "")[:_MOST_TEXT]}


def _load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("check", path)
    assert spec is not None and spec.loader is not None  # noqa: PT018, S101  a Python file
    module = importlib.util.module_from_spec(spec)
    sys.modules["check"] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
