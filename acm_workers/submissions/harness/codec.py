"""Encoding of results as JSON and arrays, for transfer from the sandbox to the evaluator.

A value is a tree of numbers, texts, lists and mappings. Arrays are stored in an npz file next to
the JSON file, which contains ``{"$array": "a0"}`` in their place, and tuples are encoded as
``{"$tuple": […]}``. Pickles are neither written nor read, and numbers must be finite.
"""

import json
import math
import os
import zipfile
from typing import Any

_MOST_DEPTH = 100
_MOST_ARRAY_BYTES = 1 << 30
_KINDS = "biufcSU"


class BadResult(Exception):
    """The value cannot be encoded, or the files do not contain a valid value."""


def write(value: Any, json_path: str, npz_path: str) -> None:
    """Write a value into two existing files.

    Raises:
        BadResult: The value cannot be encoded as JSON and arrays, or has numbers that are not
            finite.
    """
    arrays: dict[str, Any] = {}
    tree = _encoded(value, arrays, 0)
    if arrays:
        import numpy  # the code has imported it already, else there were no arrays

        with open(npz_path, "r+b") as file:
            file.truncate()
            numpy.savez(file, **arrays)
    with open(json_path, "r+") as file:
        file.truncate()
        json.dump(tree, file, allow_nan=False)


def read(json_path: str, npz_path: str) -> Any:
    """Return the value in two files.

    Raises:
        BadResult: The files contain no value, a pickle, or numbers that are not finite.
    """
    arrays = _arrays(npz_path) if os.path.getsize(npz_path) else {}
    if not os.path.getsize(json_path):
        if arrays:
            return arrays
        raise BadResult("there is no result")
    try:
        with open(json_path, encoding="utf-8") as text:
            tree = json.load(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BadResult(f"the result is no JSON: {error}") from error
    return _decoded(tree, arrays, 0)


def _encoded(value: Any, arrays: dict[str, Any], depth: int) -> Any:
    if depth > _MOST_DEPTH:
        raise BadResult(f"the result is nested more than {_MOST_DEPTH} times")
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadResult(f"the result holds {value}, which is not a finite number")
        return float(value)
    if isinstance(value, tuple):
        return {"$tuple": [_encoded(one, arrays, depth + 1) for one in value]}
    if isinstance(value, list):
        return [_encoded(one, arrays, depth + 1) for one in value]
    if isinstance(value, dict):
        if not all(isinstance(name, str) and not name.startswith("$") for name in value):
            raise BadResult("keys of mappings in a result are texts that do not begin with $")
        return {name: _encoded(one, arrays, depth + 1) for name, one in value.items()}
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        return _encoded_array(value, arrays, depth)
    raise BadResult(f"a result cannot hold a {type(value).__name__}")


def _encoded_array(value: Any, arrays: dict[str, Any], depth: int) -> Any:
    import numpy

    array = numpy.asarray(value)
    if array.ndim == 0:
        return _encoded(array.item(), arrays, depth + 1)
    _check(array)
    name = f"a{len(arrays)}"
    arrays[name] = array
    return {"$array": name}


def _decoded(tree: Any, arrays: dict[str, Any], depth: int) -> Any:
    if depth > _MOST_DEPTH:
        raise BadResult(f"the result is nested more than {_MOST_DEPTH} times")
    if isinstance(tree, list):
        return [_decoded(one, arrays, depth + 1) for one in tree]
    if isinstance(tree, dict):
        if set(tree) == {"$array"}:
            if tree["$array"] not in arrays:
                raise BadResult(f"the result lacks its array {tree['$array']}")
            return arrays[tree["$array"]]
        if set(tree) == {"$tuple"}:
            return tuple(_decoded(one, arrays, depth + 1) for one in tree["$tuple"])
        return {name: _decoded(one, arrays, depth + 1) for name, one in tree.items()}
    return tree


def _arrays(path: str) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        arrays = _loaded(path) if size <= _MOST_ARRAY_BYTES else {}
    except Exception as error:  # whatever is wrong with a file that anybody may have written
        raise BadResult(f"the arrays of the result cannot be read: {error}") from error
    if size > _MOST_ARRAY_BYTES:
        raise BadResult(f"the arrays of the result have {size} bytes")
    for array in arrays.values():
        _check(array)
    return arrays


def _loaded(path: str) -> dict[str, Any]:
    import numpy

    with numpy.load(path, allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def _check(array: Any) -> None:
    import numpy

    if array.dtype.kind not in _KINDS:
        raise BadResult(f"an array of {array.dtype} cannot be in a result")
    if array.dtype.kind in "fc" and not numpy.isfinite(array).all():
        raise BadResult("the result holds numbers that are not finite")


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a finite number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value
