"""Validation of a draft by the schema, with a message for each problem."""

import copy
import json
import types
import typing
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from acm_api.config import version_1
from acm_api.config.draft import ConfigDraft, Problem
from acm_api.config.nearest import hint
from acm_api.config.source import Key, dotted
from schemas.config.checks import Check
from schemas.config.config import Config
from schemas.config.judging import JudgePrompts
from schemas.config.ranking import Playoffs
from schemas.config.variant import Variant
from schemas.record import Record

_EXTRA: dict[type[Record], frozenset[str]] = {
    Config: version_1.TOP_LEVEL | {"criteria_file"},
    Playoffs: frozenset({"criteria_file", "instructions_file"}),
    JudgePrompts: frozenset({"score_file", "compare_file"}),
    Variant: frozenset({"instructions_file"}),
    Check: frozenset({"allowed_file", "schema_file", "source_file"}),
}
"""Keys that a section may have in a file, besides those of the effective config."""

_SECRETS = frozenset({"api_key", "apikey", "key", "secret", "token", "password"})
_LONGEST_SHOWN = 40

_MOST_PASSES = 8
"""Maximum number of validations; each one after the first omits invalid values."""

_MADE_UP: dict[str, Any] = {
    "input_folder": ".",
    "output_folder": ".",
    "winners_folder": ".",
    "reports_folder": ".",
    "instructions_file": ".",
    "judges": [],
    "providers": {},
    "dialect": "openai_chat",
    "base_url": "http://127.0.0.1/v1",
}
"""Replacements for missing required values."""

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


def _validate(data: dict[str, Any]) -> Config | list[Problem]:
    """Return the config in ``data``, or all problems of the data."""
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


class ValidConfigPart(NamedTuple):
    """A config with only the valid values of a draft.

    Attributes:
        told: Number of problems in the draft before validation.
        places: For each list, the places of the remaining entries in the draft.
    """

    config: Config
    told: int
    places: dict[Key, list[int]]

    def place(self, draft: ConfigDraft) -> None:
        """Map problems of later checks to their places in the draft, and drop consequences."""
        told = [one.key for one in draft.problems[: self.told]]
        later = [one._replace(key=self._in_draft(one.key)) for one in draft.problems[self.told :]]
        draft.problems[self.told :] = [
            one
            for one in later
            if not any(one.key[: len(key)] == key or key[: len(one.key)] == one.key for key in told)
        ]

    def _in_draft(self, key: Key) -> Key:
        """Return the key in the draft for a key of the config."""
        found: Key = ()
        for at, part in enumerate(key):
            known = self.places.get(key[:at])
            is_left = known is not None and isinstance(part, int) and part < len(known)
            found = (*found, known[int(part)] if known is not None and is_left else part)
        return found


def valid_config(draft: ConfigDraft) -> Config:
    """Return the config that a draft describes.

    Raises:
        RequestError: A value is not valid.
    """
    found = _validate(draft.data)
    if isinstance(found, Config):
        return found
    draft.problems.extend(found)
    raise draft.error()


def valid_rest(draft: ConfigDraft) -> ValidConfigPart:
    """Return a config with the valid values of a draft; add a problem for each other value.

    List entries with a problem are omitted, and invalid required values are replaced by
    placeholders. Later problems at the keys of placeholders are consequences and are dropped.

    Raises:
        RequestError: Too few values are valid.
    """
    problems = _validate(draft.data)
    if isinstance(problems, Config):
        return ValidConfigPart(problems, len(draft.problems), {})
    known = {problem.key for problem in draft.problems}
    draft.problems.extend(problem for problem in problems if problem.key not in known)
    rest = copy.deepcopy(draft.data)
    entries = list(_entries(rest, ()))  # kept, so that no other value gets the id of one
    before = {id(entry): place for _, place, entry in entries}
    for _ in range(_MOST_PASSES):
        for key in sorted((problem.key for problem in problems), key=_last_first, reverse=True):
            _remove(rest, key)
        found = _validate(rest)
        if isinstance(found, Config):
            places: dict[Key, list[int]] = {}
            for key, place, entry in _entries(rest, ()):
                places.setdefault(key, []).append(before.get(id(entry), place))
            return ValidConfigPart(found, len(draft.problems), places)
        problems = found
    raise draft.error()


def _entries(value: Any, key: Key) -> Iterator[tuple[Key, int, dict[str, Any]]]:
    """Yield the mappings in the lists of a value, with the key of the list and the index."""
    for name, inner in value.items():
        if isinstance(inner, dict):
            yield from _entries(inner, (*key, name))
        elif isinstance(inner, list) and all(isinstance(one, dict) for one in inner):
            for place, entry in enumerate(inner):
                yield (*key, name), place, entry


def _last_first(key: Key) -> tuple[str, ...]:
    return tuple(f"{part:06}" if isinstance(part, int) else part for part in key)


def _remove(rest: dict[str, Any], key: Key) -> None:
    """Remove the value at ``key``, or its list entry; a required value gets a placeholder."""
    places: list[Any] = [rest]
    for part in key[:-1]:
        inner = places[-1]
        try:
            places.append(inner[part])
        except (KeyError, IndexError, TypeError):
            return
    parent, name = places[-1], key[-1]
    if isinstance(parent, dict) and name in parent:
        del parent[name]
    elif isinstance(parent, list) and isinstance(name, int):
        del parent[name : name + 1]
    elif isinstance(parent, dict) and (key[0] == "providers" or len(key) == 1):
        made_up = {**_MADE_UP, "runs": [_made_up_variant(rest)]}
        if name in made_up:
            parent[name] = made_up[str(name)]
    else:
        _remove_entry(places, key)


def _remove_entry(places: list[Any], key: Key) -> None:
    """Remove the innermost list entry that contains ``key``, or else the section of ``key``."""
    for place, part in reversed(list(zip(places, key, strict=True))):
        if isinstance(place, list) and isinstance(part, int):
            del place[part : part + 1]
            return
    places[0].pop(key[0], None)


def _made_up_variant(rest: dict[str, Any]) -> dict[str, Any]:
    providers = rest.get("providers")
    name = next(iter(providers), "") if isinstance(providers, dict) else ""
    return {"type": "fpf", "provider": name, "model": "model"}


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
    """Return the message for a value outside of the valid choices."""
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
    """Return the invalid value, if it is short enough to be shown."""
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
