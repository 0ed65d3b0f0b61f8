"""Imports a submission, calls its function, and writes the returned value.

Arguments: file with the code, name of the function, folder for the result. Errors are written to
``error.json`` in this folder, as ``cause`` and ``message``, and printed with a traceback.
"""

import importlib.util
import json
import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import codec  # type: ignore[import-not-found]  # lies beside this file

_MOST_TEXT = 2000


def main(code: str, name: str, folder: str) -> int:
    """Run the submission; return the exit code."""
    error_file = os.path.join(folder, "error.json")
    sys.path.insert(0, os.path.dirname(code))
    try:
        spec = importlib.util.spec_from_file_location("submission", code)
        assert spec is not None and spec.loader is not None  # noqa: PT018, S101  a Python file
        module = importlib.util.module_from_spec(spec)
        sys.modules["submission"] = module
        spec.loader.exec_module(module)
    except BaseException as error:  # also exit() within the submission
        return _failed(error_file, "crash", f"Import failed: {_error_text(error)}{_hint(error)}")
    function = getattr(module, name, None)
    if not callable(function):
        return _failed(error_file, "crash", f"the submission defines no function {name}()")
    try:
        value = function()
    except BaseException as error:
        return _failed(error_file, "crash", _error_text(error))
    paths = [os.path.join(folder, file) for file in ("result.json", "result.npz")]
    try:
        codec.write(value, *paths)
    except codec.BadResult as error:
        return _failed(error_file, "bad_result", str(error))
    except BaseException as error:
        return _failed(error_file, "limit", f"the result cannot be written: {_error_text(error)}")
    return 0


def _error_text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _hint(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f" (is {error.name} installed where submissions run?)"
    return ""


def _failed(file: str, cause: str, message: str) -> int:
    if sys.exc_info()[0] is not None:
        traceback.print_exc()
    else:
        sys.stderr.write(message + "\n")
    with open(file, "w") as out:
        json.dump({"cause": cause, "message": message[:_MOST_TEXT]}, out)
    return 1


if __name__ == "__main__":
    exit_code = main(*sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(exit_code)  # threads that the submission started do not hold the process
