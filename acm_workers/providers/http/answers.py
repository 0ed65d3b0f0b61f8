"""What came back over HTTP, before any dialect has read it."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pydantic_core

EXCERPT_CHARACTERS = 500


class Answer(NamedTuple):
    """One HTTP answer.

    Attributes:
        provider: Name of the provider in the config.
        headers: Names in small letters; only those that somebody reads.
        body: Parsed JSON; None if there was none.
        excerpt: The beginning of a body that is not JSON.
        request_id: The provider's name for the request.
    """

    provider: str
    status: int
    headers: Mapping[str, str] = {}
    body: Any = None
    excerpt: str = ""
    request_id: str | None = None


def parse(raw: bytes) -> tuple[Any, str]:
    """Return the JSON in ``raw`` and "", or None and the beginning of what is there instead."""
    try:
        return pydantic_core.from_json(raw), ""
    except ValueError:
        return _parse_leniently(raw)


def _parse_leniently(raw: bytes) -> tuple[Any, str]:
    # Gateways put a byte order mark, blank lines or ": PROCESSING" lines before the object, and
    # models write single surrogates and broken UTF-8.
    text = raw.decode("utf-8-sig", "replace").lstrip()
    while text.startswith(":"):
        text = text.partition("\n")[2].lstrip()
    try:
        return json.loads(text), ""
    except (ValueError, RecursionError):
        return None, text[:EXCERPT_CHARACTERS]


def storable(text: str) -> str:
    """Return ``text`` without what neither UTF-8 nor Postgres can hold."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        # Pairs of surrogates become the character they mean, single ones U+FFFD like a NUL.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def mended(value: Any) -> Any:
    """Return parsed JSON with every text in it as ``storable``."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [mended(item) for item in value]
    if isinstance(value, dict):
        return {storable(name): mended(item) for name, item in value.items()}
    return value
