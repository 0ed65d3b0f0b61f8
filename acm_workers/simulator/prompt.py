"""Reads the task of a request from its prompt and its JSON schema."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

_OPENING = re.compile(r"<<<([A-Z]+(?: [A-Z]+)*) ([0-9a-f]{12})>>>\n")
_MATERIAL = re.compile(r"INSTRUCTIONS|GUIDELINES|SOURCE|(?:CANDIDATE|CRITICISMS?)(?: [A-Z])?")
_N = r"(-?\d+(?:\.\d+)?)"
_SPAN = f"from {_N} to {_N}(?: in steps of {_N})?"
_KEY = re.compile(rf'^- "([a-z0-9_]+)" .*(?:{_SPAN}|out of (-?\d+(?:, -?\d+)+))$', re.MULTILINE)
_NAMED = re.compile(r'^- "([a-z0-9_]+)" for the criterion (.+?): a JSON', re.MULTILINE)
_SPOKEN = re.compile(rf"^- (.+), whose scores go {_SPAN}$", re.MULTILINE)
_CRITERION = re.compile(rf"^- (.+?) \({_N} to {_N}(?: in steps of {_N})?\)", re.MULTILINE)


_MOST_STEPS = 10_000

REMARKS = frozenset({"summary", "confidence"})
"""Keys of a judge's general remarks."""

_EMPTY_VALUES: Mapping[str, Any] = {
    "string": "",
    "integer": 0,
    "number": 0.0,
    "boolean": False,
    "null": None,
}


class ParsedPrompt(NamedTuple):
    """A prompt, split into its blocks and the frame around them.

    Attributes:
        frame: Everything outside blocks; only this part describes the task.
        blocks: Text by block name; the first block of a name counts.
    """

    frame: str
    blocks: Mapping[str, str]

    def first(self, *names: str) -> str | None:
        """Return the first of the blocks ``names`` that exists."""
        return next((self.blocks[name] for name in names if name in self.blocks), None)

    def others(self) -> list[str]:
        """Return the blocks of no known kind of material, which are texts to rewrite."""
        return [text for name, text in self.blocks.items() if not _MATERIAL.fullmatch(name)]


def parse(text: str) -> ParsedPrompt:
    """Split the prompt ``text`` into its blocks and the frame around them."""
    frame: list[str] = []
    blocks: dict[str, str] = {}
    done = position = 0
    while opening := _opening(text, position):
        # One character back, so that an empty block's single line end is found too.
        start, ending = opening.end(), f"\n<<<END {opening[1]} {opening[2]}>>>"
        end = text.find(ending, start - 1)
        if end < 0:
            position = start
            continue
        blocks.setdefault(opening[1], text[start : max(start, end)])
        frame.append(text[done : opening.start()])
        done = position = end + len(ending)
    frame.append(text[done:])
    return ParsedPrompt("".join(frame), blocks)


def _opening(text: str, position: int) -> re.Match[str] | None:
    """Return the first line from ``position`` on that opens a block."""
    while (place := text.find("<<<", position)) >= 0:  # far faster than a pattern with ^
        found = _OPENING.match(text, place)
        if found is not None and (place == 0 or text[place - 1] == "\n"):
            return found
        position = place + 1
    return None


def prompt_scales(frame: str) -> dict[str, Sequence[float]]:
    """Return the scores to choose from, ascending, by the key each is to be answered under.

    They are found where ``frame`` describes the answer, as ``- "key" ... from 1 to 10`` or
    ``out of 1, 3, 5``; or where it asks for prose, as ``- name, whose scores go from 1 to 10``; or
    else in its list of criteria, as ``- name (1 to 10)``.
    """
    found = {key: _scale(*ends) for key, *ends in _KEY.findall(frame)}
    if not found:
        found = {name: _scale(*ends) for name, *ends in _SPOKEN.findall(frame)}
    if not found:
        found = {_key(name): _scale(*ends) for name, *ends in _CRITERION.findall(frame)}
    return {key: scale for key, scale in found.items() if scale}


def criterion_names(frame: str) -> dict[str, str]:
    """Return the names of the criteria by their keys in the answer."""
    return dict(_NAMED.findall(frame))


def wants_json(frame: str) -> bool:
    """Return whether ``frame`` asks for JSON in its last section, which describes the answer."""
    return "JSON" in frame.rpartition("\n# ")[2]


def _scale(lowest: str, highest: str, step: str = "", listed: str = "") -> Sequence[float]:
    if listed:
        return sorted(map(int, listed.split(", ")))
    start, width = Decimal(lowest), Decimal(step or 1)
    number = int((Decimal(highest) - start) / width) if width else 0
    values = (start + place * width for place in range(min(number, _MOST_STEPS) + 1))
    return [int(one) if one == int(one) else float(one) for one in values]


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def schema_properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return an object's properties, with references resolved."""
    found: dict[str, Mapping[str, Any]] = schema.get("properties") or {}
    return {name: _resolved(schema, node) for name, node in found.items()}


def schema_scale(schema: Mapping[str, Any], criterion: Mapping[str, Any]) -> list[float] | None:
    """Return the scores that a criterion's schema allows, ascending; None without a list."""
    score = _resolved(schema, (criterion.get("properties") or {}).get("score") or {})
    if "enum" in score:
        return sorted(score["enum"])
    if "minimum" in score and "maximum" in score:
        return list(range(int(score["minimum"]), int(score["maximum"]) + 1))
    return None


def asks_for_scores(found: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether every one of the properties ``found`` is an object with a ``score``."""
    return bool(found) and all("score" in (node.get("properties") or {}) for node in found.values())


def fill_schema(root: Mapping[str, Any], node: Mapping[str, Any], text: str) -> Any:
    """Return the simplest value that is valid for ``node``; its strings are ``text``."""
    node = _resolved(root, node)
    if node.get("enum"):
        return node["enum"][0]
    if "anyOf" in node:
        return fill_schema(root, node["anyOf"][0], text)
    kind = str(node.get("type")).lower()  # Google's older form has capitals
    if kind == "object":
        parts = node.get("properties") or {}
        return {name: fill_schema(root, part, text) for name, part in parts.items()}
    if kind == "array":
        return [fill_schema(root, node.get("items", {}), text)]
    return text if kind == "string" else _EMPTY_VALUES.get(kind)


def _resolved(root: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = node.get("$ref")
    if reference is None:
        return node
    target = (root.get("$defs") or {}).get(str(reference).rsplit("/", 1)[-1]) or {}
    return {**target, **{key: value for key, value in node.items() if key != "$ref"}}
