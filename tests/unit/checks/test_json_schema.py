"""Checks that hold a JSON text to a schema."""

from typing import Any

import pytest

from acm_workers.checks import json_schema
from schemas.config.checks import Check

SCHEMA = {
    "type": "object",
    "required": ["title", "year"],
    "properties": {"title": {"$ref": "#/$defs/text"}, "year": {"type": "integer", "minimum": 1900}},
    "$defs": {"text": {"type": "string", "pattern": "^[A-Z]"}},
}


def said(text: str, schema: dict[str, Any] = SCHEMA) -> tuple[float, str]:
    return json_schema.check(
        Check.model_validate({"type": "json_schema", "name": "s", "schema": schema}), text
    )


@pytest.mark.parametrize(
    ("text", "score", "part"),
    [
        ('{"title": "Moon", "year": 1969}', 1.0, "as the schema says"),
        ('```json\n{"title": "Moon", "year": 1969}\n```', 1.0, "as the schema says"),
        ('{"title": "moon", "year": 1969}', 0.0, "title: "),
        ('{"title": "Moon", "year": 1800}', 0.0, "year: "),
        ('{"title": "Moon"}', 0.0, '"year" is a required property'),
        ("# Moon", 0.0, "it is not one JSON"),
        ('{"title": "Moon", "year": 1e999}', 0.0, ""),
        ('{"title": "Moon", "year": NaN}', 0.0, "NaN"),
        ("[" * 100_000, 0.0, "it "),
    ],
)
def test_a_text_is_held_to_the_schema(text: str, score: float, part: str) -> None:
    found, reason = said(text)

    assert found == score
    assert part in reason
    assert len(reason) <= 300


def _doubling(levels: int) -> dict[str, Any]:
    """Return a schema of few bytes that is many times as large with its references written out."""
    names = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**names, f"d{levels}": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "part"),
    [
        ({"type": "nonsense"}, "nonsense"),
        ({"$ref": "http://127.0.0.1/x.json"}, "refers to another document"),
        ({"$ref": "#name"}, "refers to another document"),
        ({"$ref": "#/$defs/none"}, "refers to what is not there"),
        ({"$ref": "#"}, "refers to itself: #"),
        ({"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}, "itself"),
        ({"items": {"$dynamicRef": "#a"}}, "found only while it is used"),
        ({"properties": {"a": {"$id": "http://x.test/"}}}, "found only while it is used"),
        ({"pattern": "(?=a)b"}, "regex"),
        (_doubling(40), "more than 10,000 parts"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(schema: dict[str, Any], part: str) -> None:
    assert part in (json_schema.problem(schema) or "")


def test_a_schema_with_references_into_itself_is_used() -> None:
    listed = {"prefixItems": [{"type": "string"}], "items": {"$ref": "#/prefixItems/0"}}

    assert json_schema.problem(SCHEMA) is None
    assert json_schema.problem(_doubling(4)) is None
    assert json_schema.problem(listed) is None
    assert said('["a", "b"]', listed)[0] == 1.0


def test_a_schema_that_is_nested_without_end_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(100_000):
        schema = {"not": schema}

    assert json_schema.problem(schema) == "the schema is nested too deeply"
