from copy import deepcopy
from typing import Any

import pytest

from acm_workers.judging import answer_schema
from acm_workers.providers.dialects import request_parameters
from schemas.config.judging import DEFAULT_CRITERIA
from tests.support import schema_subset


def thing(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


TEXT = {"type": "string", "description": "Words."}
SCHEMA = thing(
    a=TEXT,
    b={"type": "integer", "enum": [1, 2]},
    c={"type": "array", "items": thing(d={"type": "string", "enum": ["x"]})},
)


def test_schemas_of_judges_can_be_expressed_everywhere() -> None:
    assert schema_subset.problem(answer_schema.scores(tuple(DEFAULT_CRITERIA))) is None
    assert schema_subset.problem(answer_schema.verdict()) is None
    assert schema_subset.problem(SCHEMA) is None


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, "root"),
        ({"type": "array", "items": TEXT}, "root"),
        ({"anyOf": [SCHEMA]}, "root"),
        (thing(), "without properties"),
        (thing(a=True), "property without a schema"),
        ({**SCHEMA, "additionalProperties": True}, "exclude other properties"),
        ({**SCHEMA, "required": ["a"]}, "require all"),
        (thing(a={"type": "integer", "minimum": 1}), "a uses minimum"),
        (thing(a={"type": "string", "pattern": "x"}), "a uses pattern"),
        (thing(a={"$ref": "#/$defs/x"}), "a uses $ref"),
        (thing(a={"type": ["string", "null"]}), "no single type"),
        (thing(a={"description": "x"}), "no single type"),
        (thing(a={"type": "array"}), "without items"),
        (thing(a={"type": "array", "items": [TEXT]}), "without items"),
        (thing(a={"type": "string", "enum": []}), "enum"),
        (thing(a={"type": "boolean", "enum": [True]}), "enum"),
        (thing(a={"type": "string", "enum": "x"}), "enum"),
        (thing(a=thing(b={"type": "string", "default": "x"})), "a.b uses default"),
        (thing(a={"type": "integer", "enum": list(range(2000))}), "1000 values"),
        (thing(**{f"p{number}": TEXT for number in range(5001)}), "5000 properties"),
    ],
)
def test_what_not_all_providers_hold_to_is_named(schema: dict[str, Any], expected: str) -> None:
    found = schema_subset.problem(schema)

    assert found is not None
    assert expected in found


def test_too_deep_a_schema_is_refused_at_any_depth() -> None:
    deep: dict[str, Any] = TEXT
    for _ in range(5000):
        deep = thing(a=deep)

    assert "deeper" in (schema_subset.problem(deep) or "")


def test_conversions_change_only_what_they_are_for() -> None:
    before = deepcopy(SCHEMA)

    plain = request_parameters.anthropic_schema(SCHEMA)
    ordered = request_parameters.google_schema(SCHEMA)

    assert before == SCHEMA
    assert plain["properties"]["b"] == {"enum": [1, 2]}
    assert plain["properties"]["c"]["items"]["properties"]["d"] == {"enum": ["x"]}
    assert plain["properties"]["a"] == TEXT
    assert ordered["propertyOrdering"] == ["a", "b", "c"]
    assert ordered["properties"]["c"]["items"]["propertyOrdering"] == ["d"]
    assert ordered["properties"]["b"] == SCHEMA["properties"]["b"]
