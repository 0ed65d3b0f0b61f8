"""Checks that validate a JSON text by a schema; patterns are linear, and nothing is fetched."""

import json
from functools import lru_cache
from typing import Any, NoReturn

import jsonschema_rs

from acm_workers.checks.text import CheckFinding
from acm_workers.generators import json_text
from schemas.config.checks import Check

_MOST_PARTS = 10_000
"""Maximum number of parts of a schema with expanded references; each may apply to each part of a
text."""

_LONGEST_REASON = 300
_REFUSED = ("$dynamicRef", "$recursiveRef")


def check(given: Check, text: str) -> CheckFinding:
    """Validate a text by the schema of a check."""
    try:
        value = json_text.parse(text)
        schema = json.dumps(given.json_schema, sort_keys=True)
        fault = next(iter(_validator(schema).iter_errors(value)), None)
    except ValueError as error:
        return CheckFinding(0.0, str(error)[:_LONGEST_REASON])
    if fault is None:
        return CheckFinding(1.0, "as the schema says")
    place = "/".join(map(str, fault.instance_path))
    reason = f"{place}: {fault.message}" if place else str(fault.message)
    return CheckFinding(0.0, " ".join(reason[: 4 * _LONGEST_REASON].split())[:_LONGEST_REASON])


def problem(schema: dict[str, Any]) -> str | None:
    """Return why texts cannot be validated by a schema; None if they can."""
    try:
        if _expanded_size(schema) > _MOST_PARTS:
            return f"the schema has more than {_MOST_PARTS:,} parts with its references written out"
        _validator(json.dumps(schema, sort_keys=True))
    except RecursionError:
        return "the schema is nested too deeply"
    except ValueError as error:
        return " ".join(str(error).partition("\n")[0].split())[:_LONGEST_REASON]
    return None


@lru_cache(maxsize=32)
def _validator(schema: str) -> Any:
    return jsonschema_rs.validator_for(
        json.loads(schema), pattern_options=jsonschema_rs.RegexOptions(), retriever=_refuse
    )


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"the schema refers to another document: {uri}")


def _expanded_size(schema: dict[str, Any]) -> int:
    """Return the size of a schema with its references expanded.

    Raises:
        ValueError: A reference leads to another document, to nothing, or back to itself.
    """
    known: dict[str, int] = {}

    def size(value: Any, within: frozenset[str]) -> int:
        if isinstance(value, list):
            return 1 + sum(size(one, within) for one in value)
        if not isinstance(value, dict):
            return 1
        if any(name in value for name in _REFUSED) or (value is not schema and "$id" in value):
            raise ValueError("the schema has references that are found only while it is used")
        total = 1 + sum(size(one, within) for one in value.values())
        target = value.get("$ref")
        if isinstance(target, str):
            if target in within:
                raise ValueError(f"the schema refers to itself: {target}")
            if target not in known:
                known[target] = size(_referenced(schema, target), within | {target})
            total += known[target]
        return total

    return size(schema, frozenset())


def _referenced(schema: dict[str, Any], target: str) -> Any:
    if target != "#" and not target.startswith("#/"):
        raise ValueError(f"the schema refers to another document: {target}")
    value: Any = schema
    for part in target.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict) and name in value:
            value = value[name]
        else:
            raise ValueError(f"the schema refers to what is not there: {target}")
    return value
