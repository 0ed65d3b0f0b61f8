"""Checks of candidates: facts about a text that no judge has to be paid for."""

from typing import Annotated, Any, Literal

from pydantic import Field

from schemas.record import Record
from schemas.submissions import Isolation

CheckType = Literal["length", "headings", "regex", "links", "json_schema", "function"]

Pattern = Annotated[str, Field(min_length=1, max_length=1000)]


class Check(Record):
    """One check of each candidate, made as soon as the candidate exists; it costs nothing.

    Its score is from 0 to 1: the share of what it demands that is there, or what a function says.

    Attributes:
        type: ``length`` counts words or characters; ``headings`` reads the headings of Markdown;
            ``regex`` searches patterns; ``links`` holds addresses to a list; ``json_schema`` holds
            a JSON text to a schema; ``function`` calls a Python function in a sandbox.
        name: Unique in a config; the type if absent.
        gate: Whether a candidate has to pass: one that does not is not judged and cannot win.
        weight: Share in a candidate's score, beside the weights of the criteria.
        at_least: The score from which a candidate passes.
        unit: What ``length`` counts.
        min: Least number: of the unit, of headings, or of links.
        max: Largest number of them.
        required: Headings that must be there, compared without case; ``## Sources`` asks for the
            level as well.
        levels: Levels that headings may have, from 1 to 6; any if absent.
        must_match: Patterns that must be found, in the syntax of Rust's ``regex``: linear in time,
            without look-around and references; ``(?i)`` ignores case, ``(?m)`` matches lines.
        must_not_match: Patterns that must not be found.
        allowed: Hosts (``example.org``, ``*.example.org``) and addresses (``https://…``, with ``*``
            at the end for all that begin so) that links may go to; ``allowed_file`` reads them from
            a file, one in a line. Nothing is looked up.
        json_schema: JSON Schema, or with ``schema_file`` the path of its file; without references
            to other documents or to itself.
        source: Python code of ``function``; ``source_file`` reads it from a file.
        function: Name of the function in it. It gets the text, and returns true or false, a number
            from 0 to 1, or a mapping with ``passed`` or ``score``, and ``reason``.
        timeout_seconds: Longest time of one call of it.
        isolation: The weakest sandbox that it may run in. ``rlimits`` is not a sandbox against code
            that means harm, and is for functions of your own on your own machine only.
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
"""Fields of each type, beside those that all have."""
