"""Responses of providers, before a dialect reads them."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import pydantic_core

EXCERPT_CHARACTERS = 500
MAX_JSON_DEPTH = 100
"""Maximum depth of JSON; deeper values would exceed the recursion limit of later readers."""

MAX_JSON_MARKS = 100_000
"""Maximum number of braces, brackets, colons and commas: parsing more blocks the interpreter too
long."""


_COMMENTS = re.compile(r"\A\s*+(?::[^\n]*+\s*+)*+")
"""Lines that begin with a colon; the pattern is possessive, because cutting line by line takes
quadratic time."""


class ProviderResponse(NamedTuple):
    """One HTTP response.

    Attributes:
        provider: The provider's name in the config.
        headers: Names in lower case; only the headers that ACM reads.
        body: Parsed JSON; None if there was none.
        excerpt: The beginning of a body that is not JSON.
        request_id: The provider's id of the request.
    """

    provider: str
    status: int
    headers: Mapping[str, str] = {}
    body: Any = None
    excerpt: str = ""
    request_id: str | None = None


def parse_json(raw: bytes) -> tuple[Any, str]:
    """Return the JSON in ``raw`` and "", or None and the beginning of a text that is not JSON.

    JSON that is nested too deeply, or has too many values, counts as text.
    """
    if sum(map(raw.count, (b"{", b"[", b":", b","))) > MAX_JSON_MARKS:
        return None, raw[:EXCERPT_CHARACTERS].decode(errors="replace")
    try:
        value = pydantic_core.from_json(raw)
    except ValueError:
        return _parse_leniently(raw)
    if is_too_deep(value):
        return None, raw[:EXCERPT_CHARACTERS].decode(errors="replace")
    return value, ""


def is_too_deep(value: Any) -> bool:
    """Return whether parsed JSON has more than ``MAX_JSON_DEPTH`` levels."""
    level = [value]
    for _ in range(MAX_JSON_DEPTH + 1):
        level = [
            child
            for outer in level
            if isinstance(outer, dict | list)
            for child in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _parse_leniently(raw: bytes) -> tuple[Any, str]:
    # Gateways put a byte order mark, blank lines or ": PROCESSING" lines before the object, and
    # models write single surrogates and broken UTF-8.
    text = _COMMENTS.sub("", raw.decode("utf-8-sig", "replace"), count=1)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None, text[:EXCERPT_CHARACTERS]
    return (None, text[:EXCERPT_CHARACTERS]) if is_too_deep(value) else (value, "")


def storable(text: str) -> str:
    """Return ``text`` without characters that UTF-8 or Postgres cannot represent."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        # A surrogate pair becomes the character it encodes, a single surrogate U+FFFD like a NUL.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def storable_json(value: Any) -> Any:
    """Return parsed JSON with ``storable`` applied to every string in it."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [storable_json(item) for item in value]
    if isinstance(value, dict):
        return {storable(name): storable_json(item) for name, item in value.items()}
    return value
