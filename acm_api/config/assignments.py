"""Assignments of single config keys by command-line options, such as ``pairwise.top_n=3``."""

import copy
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from acm_api.config import source
from acm_api.config.source import Key, YamlFile, dotted
from acm_workers.errors import RequestError


class KeyAssignment(NamedTuple):
    """A value for one key.

    Attributes:
        name: The key as given, with dots between its parts.
        option: The command-line option for messages, without its value, which may be long or
            secret.
    """

    name: str
    value: Any
    option: str


def parse(text: str) -> KeyAssignment:
    """Parse an assignment ``KEY=VALUE``, whose value is YAML.

    Raises:
        RequestError: The text is not an assignment, or its value cannot be parsed.
    """
    name, equals, value = text.partition("=")
    name = name.strip()
    option = f"--set {name}"
    if not equals or not all(name.split(".")):
        message = "--set needs KEY=VALUE, such as --set pairwise.top_n=3"
        raise RequestError(message, None if equals else option)
    if not value.strip():
        raise RequestError(f"{name} has no value; null takes the key out", option)
    try:
        return KeyAssignment(name, source.parse_yaml(value, Path(option)).data, option)
    except RequestError as error:
        raise RequestError(str(error), option) from error  # a line means nothing here


def assigned(
    main: YamlFile, assignments: Iterable[KeyAssignment]
) -> tuple[YamlFile, dict[Key, str]]:
    """Return the file with the values of ``assignments``, and the option that set each key.

    Missing sections are added; unknown keys are reported by later checks.

    Raises:
        RequestError: A key refers to a missing list entry, or to a key within a single value.
    """
    options: dict[Key, str] = {}
    data = copy.deepcopy(main.data)
    for one in assignments:
        key = _put(data, one)
        options[key] = one.option
    return main._replace(data=data), options


def _put(data: Any, one: KeyAssignment) -> Key:
    """Set a value in ``data``; return the key of the value."""
    section: Any = data
    key: Key = ()
    left = one.name.split(".")
    while True:
        part, left = _next(section, left, one, key)
        key = (*key, part)
        if not left:
            section[part] = one.value
            return key
        if isinstance(section, dict) and section.get(part) is None:
            section[part] = {}
        section = section[part]


def _next(
    section: Any, left: list[str], one: KeyAssignment, key: Key
) -> tuple[str | int, list[str]]:
    """Return the next part of the key in ``section``, and the remaining parts."""
    if isinstance(section, dict):
        # Names of models have dots, too.
        for length in range(len(left), 1, -1):
            name = ".".join(left[:length])
            if name in section:
                return name, left[length:]
        return left[0], left[1:]
    if not isinstance(section, list):
        message = f"{dotted(key)} is a single value and has no {left[0]}"
        raise RequestError(message, one.option)
    if not left[0].isdecimal() or int(left[0]) >= len(section):
        known = f"0 to {len(section) - 1}" if section else "none"
        message = f"{dotted(key)} is a list and has no entry {left[0]} (its entries: {known})"
        raise RequestError(message, one.option)
    return int(left[0]), left[1:]
