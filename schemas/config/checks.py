"""Checks of candidates: properties of a text that are tested without calls to a judge."""

from typing import Annotated, Any, Literal

from pydantic import Field

from schemas.record import Record
from schemas.submissions import Isolation

CheckType = Literal["length", "headings", "regex", "links", "json_schema", "function"]

Pattern = Annotated[str, Field(min_length=1, max_length=1000)]


class Check(Record):
    """A check that is applied to each candidate as soon as the text exists, at no cost.

    The score is from 0 to 1: the share of the requirements that are met, or a function's result.

    Attributes:
        type: ``length`` counts words or characters; ``headings`` reads the headings of Markdown;
            ``regex`` searches for patterns; ``links`` compares addresses with a list;
            ``json_schema`` validates a JSON text against a schema; ``function`` calls a Python
            function in a sandbox.
        name: Unique in a config; default: the type.
        gate: Whether a candidate must pass; a candidate that fails is not judged and cannot win.
        weight: Weight in a candidate's score, relative to the weights of the criteria.
        at_least: Lowest score with which a candidate passes.
        unit: Unit of ``length``.
        min: Minimum number of units, headings or links.
        max: Maximum number of units, headings or links.
        required: Headings that the text must contain, compared without case; ``## Sources``
            requires the level as well.
        levels: Levels that headings may have, from 1 to 6; any by default.
        must_match: Patterns that must be found, in the syntax of Rust's ``regex``: linear in time,
            without look-around and references; ``(?i)`` ignores case, ``(?m)`` matches lines.
        must_not_match: Patterns that must not be found.
        allowed: Hosts (``example.org``, ``*.example.org``) and addresses (``https://…``; a ``*`` at
            the end matches any continuation) that links may point to; ``allowed_file`` reads the
            list from a file, one entry per line. No address is requested.
        json_schema: JSON Schema, or with ``schema_file`` the path of its file; references to other
            documents and recursive references are not supported.
        source: Python code of ``function``; ``source_file`` reads it from a file.
        function: Name of the function in this code. The function receives the text and returns true
            or false, a number from 0 to 1, or a mapping with ``passed`` or ``score``, and
            ``reason``.
        timeout_seconds: Maximum duration of one call of the function.
        isolation: The weakest sandbox that the function may run in. ``rlimits`` gives no protection
            against malicious code; use it only for your own functions on your own machine.
    """

    type: CheckType
    name: Annotated[str, Field(min_length=1, max_length=64)]
    gate: bool = True
    weight: Annotated[float, Field(ge=0, le=1000)] = 0.0
    at_least: Annotated[float, Field(gt=0, le=1)] = 1.0
    unit: Literal["words", "characters"] = "words"
    min: Annotated[int, Field(ge=0)] | None = None
    max: Annotated[int, Field(ge=0)] | None = None
    required: Annotated[tuple[Pattern, ...], Field(max_length=100)] = ()
    levels: tuple[Annotated[int, Field(ge=1, le=6)], ...] | None = None
    must_match: Annotated[tuple[Pattern, ...], Field(max_length=100)] = ()
    must_not_match: Annotated[tuple[Pattern, ...], Field(max_length=100)] = ()
    allowed: Annotated[tuple[Pattern, ...], Field(max_length=10_000)] | None = None
    json_schema: Annotated[dict[str, Any] | None, Field(alias="schema")] = None
    source: Annotated[str, Field(max_length=200_000)] | None = None
    function: str = "check"
    timeout_seconds: Annotated[float, Field(ge=0.1, le=60)] = 10.0
    isolation: Isolation = "unshare"


FIELDS: dict[CheckType, frozenset[str]] = {
    "length": frozenset({"unit", "min", "max"}),
    "headings": frozenset({"required", "levels", "min", "max"}),
    "regex": frozenset({"must_match", "must_not_match"}),
    "links": frozenset({"allowed", "min", "max"}),
    "json_schema": frozenset({"json_schema"}),
    "function": frozenset({"source", "function", "timeout_seconds", "isolation"}),
}
"""Fields of each type of check, besides the common ones."""
