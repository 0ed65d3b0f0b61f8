"""The little of JSON Schema that answers need."""

from collections.abc import Mapping
from typing import Any

_EMPTY: Mapping[str, Any] = {
    "string": "",
    "integer": 0,
    "number": 0.0,
    "boolean": False,
    "null": None,
}


def properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return an object's properties, references resolved."""
    found: dict[str, Mapping[str, Any]] = schema.get("properties") or {}
    return {name: _resolved(schema, node) for name, node in found.items()}


def scale(schema: Mapping[str, Any], criterion: Mapping[str, Any]) -> list[int] | None:
    """Return the scores that a criterion's schema allows, ascending, if it says so."""
    score = _resolved(schema, (criterion.get("properties") or {}).get("score") or {})
    if "enum" in score:
        return sorted(score["enum"])
    if "minimum" in score and "maximum" in score:
        return list(range(int(score["minimum"]), int(score["maximum"]) + 1))
    return None


def asks_for_scores(found: Mapping[str, Mapping[str, Any]]) -> bool:
    """Tell whether every one of the properties ``found`` is an object with a ``score``."""
    return bool(found) and all("score" in (node.get("properties") or {}) for node in found.values())


def filled(root: Mapping[str, Any], node: Mapping[str, Any], text: str) -> Any:
    """Return the plainest value that follows ``node``; its strings are ``text``."""
    node = _resolved(root, node)
    if node.get("enum"):
        return node["enum"][0]
    if "anyOf" in node:
        return filled(root, node["anyOf"][0], text)
    kind = str(node.get("type")).lower()  # Google's older form has capitals
    if kind == "object":
        parts = node.get("properties") or {}
        return {name: filled(root, part, text) for name, part in parts.items()}
    if kind == "array":
        return [filled(root, node.get("items", {}), text)]
    return text if kind == "string" else _EMPTY.get(kind)


def _resolved(root: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = node.get("$ref")
    if reference is None:
        return node
    target = (root.get("$defs") or {}).get(str(reference).rsplit("/", 1)[-1]) or {}
    return {**target, **{key: value for key, value in node.items() if key != "$ref"}}
