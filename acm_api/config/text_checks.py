"""Validation of a config's section ``checks``: required options, and support on this machine."""

import ast
from collections.abc import Iterator

from acm_api.config import source
from acm_api.config.draft import Problem
from acm_api.config.source import Key
from acm_workers.checks import json_schema, text
from acm_workers.errors import RequestError
from acm_workers.processes import sandbox
from schemas.config.checks import FIELDS, Check
from schemas.config.config import Config

_NAMES = {"json_schema": "schema"}
_NEEDED = {
    "length": ("min", "max"),
    "headings": ("required", "levels", "min", "max"),
    "regex": ("must_match", "must_not_match"),
    "links": ("allowed",),
    "json_schema": ("json_schema",),
    "function": ("source",),
}
"""Fields by type of check; each type requires at least one of its fields."""

_ONE_OF = {
    "links": "allowed, or allowed_file with one host or address in each line",
    "json_schema": "schema, or schema_file with the path of a JSON Schema",
    "function": "source_file with the path of a Python file, or source",
}


def problems(config: Config, *, here: bool) -> Iterator[Problem]:
    """Yield the problems in the section ``checks`` of a config.

    Args:
        here: Whether candidates are checked on this machine and not on workers.
    """
    names = [check.name for check in config.checks]
    for index, check in enumerate(config.checks):
        key: Key = ("checks", index)
        if check.name in names[:index]:
            message = f"another check is called {check.name}; give this one a name of its own"
            yield Problem((*key, "name"), message)
        yield from _fields(key, check)
        if check.min is not None and check.max is not None and check.min > check.max:
            yield Problem((*key, "min"), "min must not be above max")
        yield from _patterns(key, check)
        if check.json_schema is not None and (fault := json_schema.problem(check.json_schema)):
            yield Problem((*key, "schema"), fault)
        if check.type == "function" and check.source is not None:
            yield from _function(key, check, here=here)
    weighted = [index for index, check in enumerate(config.checks) if check.weight > 0]
    if weighted and not config.scoring_judges:
        message = "weight has a share in judges' scores, and no judge scores; leave it out"
        yield Problem(("checks", weighted[0], "weight"), message)


def notes(config: Config) -> Iterator[str]:
    """Yield a note for each check."""
    if not config.checks:
        return
    named = ", ".join(f"{check.name} ({_use(check)})" for check in config.checks)
    yield f"checks of every candidate, for 0 USD: {named}"


def _use(check: Check) -> str:
    weight = f"weight {check.weight:g}" if check.weight else ""
    return " and ".join(filter(None, ["gate" if check.gate else "", weight])) or "shown only"


def _fields(key: Key, check: Check) -> Iterator[Problem]:
    own = FIELDS[check.type]
    others = set().union(*FIELDS.values()) - own
    for name in sorted(others):
        # Not what was set: the config of a run in the store has every value.
        if getattr(check, name) == Check.model_fields[name].default:
            continue
        shown = _NAMES.get(name, name)
        types = sorted(kind for kind, fields in FIELDS.items() if name in fields)
        message = f"{shown} is for type {' or '.join(types)}, not for type {check.type}"
        yield Problem((*key, shown), message)
    if not any(getattr(check, name) not in (None, ()) for name in _NEEDED[check.type]):
        if check.type == "links" and check.allowed == ():
            return  # no link at all is allowed
        names = [_NAMES.get(name, name) for name in _NEEDED[check.type]]
        needed = _ONE_OF.get(check.type, " or ".join(names))
        yield Problem(key, f"type {check.type} needs {needed}")


def _patterns(key: Key, check: Check) -> Iterator[Problem]:
    for name in ("must_match", "must_not_match"):
        for index, pattern in enumerate(getattr(check, name)):
            try:
                text.matches(pattern, "")
            except ValueError as error:
                message = (
                    f"{pattern} is no pattern: {error} (the syntax is that of Rust's regex, without"
                    " look-around and references)"
                )
                yield Problem((*key, name, index), message)


def _function(key: Key, check: Check, *, here: bool) -> Iterator[Problem]:
    try:
        tree = ast.parse(check.source or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
        why = error.msg if isinstance(error, SyntaxError) else error
        yield Problem((*key, "source"), f"the function is no Python{line}: {why}")
        return
    named = {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}
    if check.function not in named:
        message = f"the file defines no function {check.function}(text)"
        if named:
            message += f"; it has {', '.join(sorted(named))}: name one with function"
        yield Problem((*key, "function"), message)
    if check.isolation == "rlimits" and source.files_are_refused():
        message = "isolation: rlimits is only for a config file on one's own machine"
        yield Problem((*key, "isolation"), message)
    elif here:
        try:
            sandbox.refuse_weaker(check.isolation)
        except RequestError as error:
            message = f"{error}; isolation: rlimits trusts a function of your own without one"
            yield Problem((*key, "isolation"), message)
