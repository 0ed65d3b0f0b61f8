"""JSON schemas as each provider wants them, from the one subset that all of them hold to."""

from typing import Any

_KEYWORDS = frozenset(
    {"type", "properties", "required", "additionalProperties", "enum", "description", "items"}
)
_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
_MOST_PROPERTIES, _MOST_DEPTH, _MOST_VALUES = 5000, 10, 1000


def problem(schema: dict[str, Any]) -> str | None:
    """Return why providers cannot be held to ``schema``, or None if all of them can.

    The subset: ``type`` (one), ``properties``, ``required`` (all of them),
    ``additionalProperties: false``, ``enum``, ``description`` and ``items``; the root is an
    object. Bounds, lengths, patterns, unions and references are understood differently by
    different providers, or refused.
    """
    if schema.get("type") != "object":
        return "the root is not an object"
    if _depth(schema) > _MOST_DEPTH:
        return f"it is nested deeper than {_MOST_DEPTH}"
    parts = _parts(schema, "")
    for place, part in parts:
        wrong = _part_problem(part)
        if wrong is not None:
            return f"{place or 'the root'} {wrong}"
    if len(parts) > _MOST_PROPERTIES:
        return f"it has more than {_MOST_PROPERTIES} properties"
    if sum(len(part.get("enum", ())) for _, part in parts) > _MOST_VALUES:
        return f"its enums have more than {_MOST_VALUES} values"
    return None


def without_types_of_enums(schema: dict[str, Any]) -> dict[str, Any]:
    """Return ``schema`` as Anthropic takes it: no ``type`` beside an ``enum``."""
    part = _mapped(schema, without_types_of_enums)
    if "enum" in part:
        part.pop("type", None)
    return part


def with_order(schema: dict[str, Any]) -> dict[str, Any]:
    """Return ``schema`` as Google takes it: objects say in which order they are written."""
    part = _mapped(schema, with_order)
    if "properties" in part:
        part["propertyOrdering"] = list(part["properties"])
    return part


def _mapped(schema: dict[str, Any], change: Any) -> dict[str, Any]:
    part = dict(schema)
    if "properties" in part:
        part["properties"] = {name: change(inner) for name, inner in part["properties"].items()}
    if isinstance(part.get("items"), dict):
        part["items"] = change(part["items"])
    return part


def _parts(schema: dict[str, Any], place: str) -> list[tuple[str, dict[str, Any]]]:
    """Return ``schema`` and all that is inside it, each with its place."""
    found = [(place, schema)]
    for name, inner in _inner(schema).items():
        if isinstance(inner, dict):
            found.extend(_parts(inner, f"{place}.{name}".lstrip(".")))
    return found


def _depth(schema: Any, above: int = 0) -> int:
    """Return how many objects and arrays lie inside one another, as far as it matters."""
    if not isinstance(schema, dict) or above > _MOST_DEPTH:
        return above
    return max((_depth(inner, above + 1) for inner in _inner(schema).values()), default=above)


def _inner(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    inner = dict(properties) if isinstance(properties, dict) else {}
    return {**inner, "[]": schema["items"]} if "items" in schema else inner


def _part_problem(part: dict[str, Any]) -> str | None:
    unknown = sorted(part.keys() - _KEYWORDS)
    if unknown:
        return f"uses {unknown[0]}"
    if not isinstance(part.get("type"), str) or part["type"] not in _TYPES:
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
