"""Checks that a JSON schema stays within the subset that all providers enforce."""

from typing import Any

_SCHEMA_KEYWORDS = frozenset(
    {"type", "properties", "required", "additionalProperties", "enum", "description", "items"}
)
_SCHEMA_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
_MAX_PROPERTIES, _MAX_DEPTH, _MAX_VALUES = 5000, 10, 1000


def problem(schema: dict[str, Any]) -> str | None:
    """Return why ``schema`` is outside the subset that all providers enforce, or None.

    The subset: ``type`` (one), ``properties``, ``required`` (all of them),
    ``additionalProperties: false``, ``enum``, ``description`` and ``items``; the root is an
    object. Providers refuse bounds, lengths, patterns, unions and references, or interpret them
    differently.
    """
    if schema.get("type") != "object":
        return "the root is not an object"
    if _depth(schema) > _MAX_DEPTH:
        return f"it is nested deeper than {_MAX_DEPTH}"
    parts = _all_subschemas(schema, "")
    for place, part in parts:
        wrong = _part_problem(part)
        if wrong is not None:
            return f"{place or 'the root'} {wrong}"
    if len(parts) > _MAX_PROPERTIES:
        return f"it has more than {_MAX_PROPERTIES} properties"
    if sum(len(part.get("enum", ())) for _, part in parts) > _MAX_VALUES:
        return f"its enums have more than {_MAX_VALUES} values"
    return None


def _all_subschemas(schema: dict[str, Any], place: str) -> list[tuple[str, dict[str, Any]]]:
    """Return ``schema`` and all schemas inside it, each with its path."""
    found = [(place, schema)]
    for name, inner in _subschemas(schema).items():
        if isinstance(inner, dict):
            found.extend(_all_subschemas(inner, f"{place}.{name}".lstrip(".")))
    return found


def _depth(schema: Any, above: int = 0) -> int:
    """Return the nesting depth of objects and arrays; counting stops above the limit."""
    if not isinstance(schema, dict) or above > _MAX_DEPTH:
        return above
    return max((_depth(inner, above + 1) for inner in _subschemas(schema).values()), default=above)


def _subschemas(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    inner = dict(properties) if isinstance(properties, dict) else {}
    return {**inner, "[]": schema["items"]} if "items" in schema else inner


def _part_problem(part: dict[str, Any]) -> str | None:
    unknown = sorted(part.keys() - _SCHEMA_KEYWORDS)
    if unknown:
        return f"uses {unknown[0]}"
    if not isinstance(part.get("type"), str) or part["type"] not in _SCHEMA_TYPES:
        return "has no single type"
    if "enum" in part and not _are_plain(part["enum"]):
        return "has an enum of other than strings and numbers"
    if part["type"] == "object":
        return _object_problem(part)
    if part["type"] == "array" and not isinstance(part.get("items"), dict):
        return "is an array without items of one kind"
    return None


def _object_problem(part: dict[str, Any]) -> str | None:
    properties = part.get("properties")
    if not isinstance(properties, dict) or not properties:
        return "is an object without properties"
    if not all(isinstance(inner, dict) for inner in properties.values()):
        return "has a property without a schema"
    if part.get("additionalProperties") is not False:
        return "does not exclude other properties"
    if sorted(part.get("required", ())) != sorted(properties):
        return "does not require all of its properties"
    return None


def _are_plain(values: Any) -> bool:
    return (
        isinstance(values, list)
        and bool(values)
        and all(
            isinstance(value, str | int | float) and not isinstance(value, bool) for value in values
        )
    )
