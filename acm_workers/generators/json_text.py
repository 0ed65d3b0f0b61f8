"""Candidates in JSON: read from an answer, and validated against their schema."""

import json
import math
import re
from typing import Any

from acm_workers.providers.http.responses import MAX_JSON_MARKS, is_too_deep, storable

_FENCE = re.compile(r"```[a-zA-Z]*\n(.*)\n```", re.DOTALL)
_LONGEST_SHOWN = 60


class SchemaMismatch(ValueError):
    """The answer is not JSON or violates the schema; the message can be part of a prompt."""


def read(answer: str, schema: dict[str, Any]) -> str:
    """Return the only JSON object in an answer, in the usual formatting.

    Raises:
        SchemaMismatch: There is no such object, or it does not follow the schema.
    """
    value = parse(answer)
    _check(value, schema, "")
    return storable(json.dumps(value, ensure_ascii=False, indent=2))


def parse(answer: str) -> Any:
    """Return the only JSON value in an answer, with or without a code fence.

    Raises:
        SchemaMismatch: There is no such value, or it is too large.
    """
    fenced = _FENCE.fullmatch(answer.strip())
    text = answer.strip() if fenced is None else fenced[1].strip()
    if sum(map(text.count, "{[:,")) > MAX_JSON_MARKS:
        raise SchemaMismatch("it has too many parts")
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_not_finite)
    except SchemaMismatch:
        raise
    except (ValueError, RecursionError) as error:
        raise SchemaMismatch("it is not one JSON object and nothing else") from error
    if is_too_deep(value):
        raise SchemaMismatch("it is nested too deeply")
    return value


def described(schema: dict[str, Any]) -> str:
    """Format a schema for a prompt."""
    return json.dumps(schema, ensure_ascii=False)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise SchemaMismatch("it has a key twice")
    return found


def _not_finite(name: str) -> Any:
    raise SchemaMismatch(f"it holds {name}, which is no JSON")


def _check(value: Any, schema: dict[str, Any], path: str) -> None:
    """Raise ``SchemaMismatch`` if ``value`` does not follow ``schema``."""
    at = f'"{path[:_LONGEST_SHOWN]}"' if path else "the answer"
    kind = schema["type"]
    if not _is_kind(value, kind):
        raise SchemaMismatch(f"{at} is not of the type {kind}")
    if "enum" in schema and value not in schema["enum"]:
        raise SchemaMismatch(f"{at} is none of the values that the schema lists")
    if kind == "array":
        for place, one in enumerate(value):
            _check(one, schema["items"], f"{path}[{place}]")
    if kind == "object":
        lacking = [name for name in schema["properties"] if name not in value]
        if lacking:
            raise SchemaMismatch(f'the key "{lacking[0]}" is missing in {at}')
        if value.keys() - schema["properties"].keys():
            raise SchemaMismatch(f"{at} has a key that the schema does not")
        for name, inner in schema["properties"].items():
            _check(value[name], inner, f"{path}.{name}".removeprefix("."))


def _is_kind(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int):
        return kind in ("integer", "number")
    if isinstance(value, float):
        whole = value.is_integer()
        return math.isfinite(value) and (kind == "number" or (kind == "integer" and whole))
    return isinstance(value, {"object": dict, "array": list, "string": str}.get(kind, ()))
