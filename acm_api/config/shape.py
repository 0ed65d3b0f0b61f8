"""Validation of a draft by the schema, with a message for each fault."""

import json
import types
import typing
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from acm_api.config import version_1
from acm_api.config.draft import Problem
from acm_api.config.nearest import hint
from acm_api.config.source import Key, dotted
from schemas.config.config import Config
from schemas.config.ranking import Playoffs
from schemas.record import Record

_EXTRA: dict[type[Record], frozenset[str]] = {
    Config: version_1.TOP_LEVEL | {"criteria_file"},
    Playoffs: frozenset({"criteria_file"}),
}
"""Keys that a section may have in a file beside those of the effective config."""

_SECRETS = frozenset({"api_key", "apikey", "key", "secret", "token", "password"})
_LONGEST_SHOWN = 40

_LIMITS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("above", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("below", "lt"),
}
_KINDS = {
    "string_type": "text; put it in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys",
    "model_type": "a mapping of keys",
}


def validate(data: dict[str, Any]) -> Config | list[Problem]:
    """Return the config that ``data`` describes, or a problem for each fault."""
    try:
        # As JSON, because strict types accept lists for tuples there.
        return Config.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        found: dict[Key, list[ErrorDetails]] = {}
        for detail in error.errors(include_url=False):
            # A list without a valid entry is reported as empty, too.
            if detail["type"] == "too_short" and detail["input"]:
                continue
            found.setdefault(_key(data, detail), []).append(detail)
        return [_problem(key, details) for key, details in found.items()]


def _key(data: Any, detail: ErrorDetails) -> Key:
    """Return the key of an error, without the names of union members that follow it."""
    key: Key = ()
    value = data
    for part in detail["loc"]:
        if isinstance(part, str):
            if not isinstance(value, dict):
                break
            value = value.get(part)
        else:
            value = value[part] if isinstance(value, list) and part < len(value) else None
        key = (*key, part)
    return key


def _problem(key: Key, details: list[ErrorDetails]) -> Problem:
    first = details[0]
    if first["type"] == "extra_forbidden":
        return Problem(key, _unknown(key))
    if first["type"] == "missing":
        return Problem(key, f"{dotted(key)} is missing", rank=1)
    if first["type"] == "value_error":
        return Problem(key, f"{dotted(key)}: {first['ctx']['error']}")
    if len(details) > 1 or first["type"] == "literal_error":
        return Problem(key, _choice(key, details))
    if first["type"] in ("too_short", "string_too_short"):
        return Problem(key, f"{dotted(key)} must not be empty")
    return Problem(key, f"{dotted(key)} must be {_expected(first)}{_not(first)}")


def _unknown(key: Key) -> str:
    name = str(key[-1])
    section = f" in {dotted(key[:-1])}" if len(key) > 1 else ""
    if name.lower() in _SECRETS and key[0] == "providers":
        return f"unknown key {name}{section}; keys come from the environment, named by key_env"
    return f"unknown key {name}{section}{hint(name, _names(key[:-1]))}"


def _choice(key: Key, details: list[ErrorDetails]) -> str:
    """Return the message for a value that is none of the choices."""
    words: list[str] = []
    for detail in details:
        if detail["type"] == "bool_type":
            words += ["true", "false"]
        elif detail["type"] == "literal_error":
            words += detail["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
    value = details[0]["input"]
    close = hint(value, words) if isinstance(value, str) else ""
    choices = " or ".join(dict.fromkeys(words))
    return f"{dotted(key)} must be {choices}{_not(details[0])}" + (close if "?" in close else "")


def _expected(detail: ErrorDetails) -> str:
    kind = detail["type"]
    if kind in _LIMITS:
        words, name = _LIMITS[kind]
        return f"{words} {detail['ctx'][name]:g}"
    if kind == "string_too_long":
        return f"at most {detail['ctx']['max_length']} characters long"
    return _KINDS.get(kind) or detail["msg"].removeprefix("Input should be ").lower()


def _not(detail: ErrorDetails) -> str:
    """Return the value that was given instead, where it is short enough to help."""
    value = detail["input"]
    if isinstance(value, list | dict):
        return ""
    shown = json.dumps(value, ensure_ascii=False)
    if detail["type"] == "string_type":
        return f" (it reads as {shown})"
    return f", not {shown}" if len(shown) <= _LONGEST_SHOWN else ""


def _names(key: Key) -> Iterable[str]:
    """Return the valid names in the section at ``key``."""
    section: Any = Config
    for part in key:
        section = _inside(section, part)
    if not _is_record(section):
        return ()
    names = {field.alias or name for name, field in section.model_fields.items()}
    return names | _EXTRA.get(section, frozenset())


def _inside(section: Any, part: str | int) -> Any:
    """Return the type of the value at ``part`` of a section with type ``section``."""
    if _is_record(section):
        fields = section.model_fields.items()
        return next(
            (_non_optional(f.annotation) for name, f in fields if part in (f.alias, name)), None
        )
    arguments = typing.get_args(section)  # of tuple[Judge, ...] or dict[str, Provider]
    index = 1 if typing.get_origin(section) is dict else 0
    return _non_optional(arguments[index]) if len(arguments) > index else None


def _non_optional(annotation: Any) -> Any:
    """Return ``annotation`` without ``None``."""
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return annotation
    parts = [part for part in typing.get_args(annotation) if part is not type(None)]
    return _non_optional(parts[0])


def _is_record(section: Any) -> bool:
    return isinstance(section, type) and issubclass(section, Record)
