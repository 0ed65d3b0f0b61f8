"""Checks that JSON schemas for generated texts are supported by all providers."""

from collections.abc import Iterator
from typing import Any

from acm_api.config.draft import Problem
from acm_api.config.source import Key
from schemas.config.config import Config

_KNOWN = {
    "type", "properties", "required", "additionalProperties", "enum", "items", "description",
}  # fmt: skip
_ABOUT = {"$schema", "$id", "title", "$comment"}
"""Top-level keywords that do not constrain texts; they are not sent."""

_TYPES = ("object", "array", "string", "number", "integer", "boolean")
_DEEPEST = 10


def problems(config: Config) -> Iterator[Problem]:
    """Yield the problems of JSON candidates: invalid schemas and unsupported options."""
    for index, variant in enumerate(config.runs):
        key: Key = ("runs", index)
        schema = variant.json_schema
        if schema is None:
            if variant.json_mode is True:
                message = "json: true needs schema, the JSON schema that the texts follow"
                yield Problem((*key, "json"), message)
            continue
        if variant.type != "fpf":
            yield Problem((*key, "schema"), f"type {variant.type} writes no JSON; leave schema out")
        elif variant.json_mode is not True:
            yield Problem((*key, "schema"), "schema has an effect only with json: true")
        fault = next(_faults(schema, "", outermost=True), None)
        if fault is not None:
            yield Problem(
                (*key, "schema"), f"{fault}; see ops/docs/usage.md for what a schema may have"
            )
        if config.playoffs.enabled:
            message = (
                "playoffs combine texts, and this entry writes JSON: set playoffs.enabled: false"
            )
            yield Problem((*key, "schema"), message)


def _faults(schema: Any, path: str, *, outermost: bool = False) -> Iterator[str]:
    at = path or "the outermost level"
    if not isinstance(schema, dict):
        yield f"the schema at {at} is no object"
        return
    unknown = sorted(schema.keys() - _KNOWN - (_ABOUT if outermost else set()))
    if unknown:
        yield f"not every provider enforces {unknown[0]} (at {at})"
    kind = schema.get("type")
    if kind not in _TYPES or (outermost and kind != "object"):
        allowed = "object" if outermost else ", ".join(_TYPES)
        yield f"the type at {at} must be {allowed}"
    elif path.count(".") >= _DEEPEST:
        yield f"the schema is deeper than {_DEEPEST} levels"
    elif kind == "object":
        yield from _object_faults(schema, path, at)
    elif kind == "array":
        yield from _faults(schema.get("items"), f"{path}[]")
    if "enum" in schema and not _is_enum(schema["enum"]):
        yield f"the enum at {at} must list texts and numbers"


def _object_faults(schema: dict[str, Any], path: str, at: str) -> Iterator[str]:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        yield f"the object at {at} needs properties"
        return
    required = schema.get("required")
    if not isinstance(required, list) or set(map(str, required)) != properties.keys():
        yield f"the object at {at} must have all of its properties in required"
    if schema.get("additionalProperties") is not False:
        yield f"the object at {at} needs additionalProperties: false"
    for name, inner in properties.items():
        yield from _faults(inner, f"{path}.{name}".removeprefix("."))


def _is_enum(values: Any) -> bool:
    return (
        isinstance(values, list)
        and bool(values)
        and all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in values)
    )
