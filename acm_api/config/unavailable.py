"""What configs may ask for one day, and this version refuses rather than ignores."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from acm_api.config.draft import Problem
from acm_api.config.source import Key

_NO = "is not available in this version"


class _Feature(NamedTuple):
    """A value that is refused.

    Attributes:
        pattern: Its key; ``*`` stands for every entry of a list or mapping.
        values: The refused ones; all but null where absent.
        message: ``{value}`` is replaced by the value.
    """

    pattern: str
    values: tuple[object, ...] | None
    message: str


_FEATURES = (
    _Feature(
        "runs.*.type",
        ("gptr", "dr", "ma"),
        f"type {{value}} {_NO}; use fpf",
    ),
    _Feature(
        "runs.*.type", ("openaidp",), "openaidp is a provider: write type: fpf, provider: openaidp"
    ),
    _Feature("runs.*.engine", None, f"engine {{value}} {_NO}; leave it out for the built-in one"),
    _Feature("runs.*.json", (True,), f"json: true for generated texts {_NO}; use auto or false"),
    _Feature(
        "providers.*.dialect",
        ("simulated",),
        f"dialect {{value}} {_NO}; use openai_chat, openai, anthropic or google",
    ),
    _Feature("skip", ("files",), f"skip: files {_NO}; use auto or never"),
    _Feature("fpf", None, f"the external engine of fpf {_NO}; leave this section out"),
)


def problems(data: dict[str, Any]) -> list[Problem]:
    """Return a problem for each feature that ``data`` asks for and this version lacks."""
    return [
        Problem(key, feature.message.format(value=value))
        for feature in _FEATURES
        for key, value in _matches(data, tuple(feature.pattern.split(".")))
        if value is not None and (feature.values is None or _among(value, feature.values))
    ]


def _among(value: object, values: tuple[object, ...]) -> bool:
    # The type counts: 1 equals True, and is refused elsewhere with a better message.
    return any(type(value) is type(refused) and value == refused for refused in values)


def _matches(data: Any, pattern: tuple[str, ...], key: Key = ()) -> Iterator[tuple[Key, Any]]:
    if not pattern:
        yield key, data
        return
    part, rest = pattern[0], pattern[1:]
    if isinstance(data, dict):
        for name in data if part == "*" else [part]:
            yield from _matches(data.get(name), rest, (*key, name))
    elif isinstance(data, list) and part == "*":
        for index, item in enumerate(data):
            yield from _matches(item, rest, (*key, index))
