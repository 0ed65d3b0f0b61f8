"""Candidates in JSON: what follows the schema is kept, and nothing else."""

import json
from typing import Any

import pytest

from acm_workers.errors import JsonNotPossible, UnreadableAnswer
from acm_workers.generators import fpf, json_text
from acm_workers.generators.text import Brief
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.config.judging import Jsonify
from schemas.config.variant import Variant
from tests.support.scripted import scripted_texts

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "year", "tags", "share", "open"],
    "properties": {
        "title": {"type": "string"},
        "year": {"type": "integer", "enum": [2025, 2026]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "share": {"type": "number"},
        "open": {"type": "boolean"},
    },
}
GOOD: dict[str, Any] = {
    "title": "Moon", "year": 2026, "tags": ["rock"], "share": 0.5, "open": True
}  # fmt: skip
TEXT = json.dumps(GOOD)
BRIEF = Brief("Summarise.", None, "The moon.")
VARIANT = Variant.model_validate(
    {"type": "fpf", "provider": "alpha", "model": "m1", "json": True, "schema": SCHEMA}
)
JSONIFY = Jsonify(provider="beta", model="c1")


@pytest.mark.parametrize(
    "answer", [TEXT, f" {TEXT}\n", f"```json\n{TEXT}\n```", f"```\n{TEXT}\n```"]
)
def test_an_object_that_follows_the_schema_is_kept_in_one_form(answer: str) -> None:
    assert json_text.read(answer, SCHEMA) == json.dumps(GOOD, indent=2)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (f"Here it is: {TEXT}", "it is not one JSON object and nothing else"),
        ("[" * 100_000, "it is not one JSON object and nothing else"),
        ("[]", "the answer is not of the type object"),
        (TEXT.replace("0.5", "NaN"), "it holds NaN, which is no JSON"),
        (TEXT.replace("0.5", "1e999"), '"share" is not of the type number'),
        (TEXT.replace('"open"', '"title": "Sun", "open"'), "it has a key twice"),
        (json.dumps(GOOD | {"year": 2024}), '"year" is none of the values that the schema lists'),
        (json.dumps(GOOD | {"year": 2025.5}), '"year" is not of the type integer'),
        (json.dumps(GOOD | {"open": 1}), '"open" is not of the type boolean'),
        (json.dumps(GOOD | {"share": True}), '"share" is not of the type number'),
        (json.dumps(GOOD | {"tags": ["a", 1]}), '"tags[1]" is not of the type string'),
        (json.dumps({"title": "Moon"}), 'the key "year" is missing in the answer'),
        (json.dumps(GOOD | {"more": 1}), "the answer has a key that the schema does not"),
        ("{" + ",".join(f'"k{n}": 1' for n in range(300_000)) + "}", "it has too many parts"),
    ],
)
def test_an_answer_that_does_not_follow_the_schema_is_told_why(answer: str, problem: str) -> None:
    with pytest.raises(json_text.SchemaMismatch) as caught:
        json_text.read(answer, SCHEMA)

    assert str(caught.value) == problem


def test_a_whole_number_in_another_form_is_an_integer() -> None:
    assert "2026.0" in json_text.read(TEXT.replace("2026", "2026.0"), SCHEMA)


def test_a_candidate_is_asked_for_with_its_schema() -> None:
    caller = scripted_texts([TEXT])

    found = fpf.write(caller, VARIANT, BRIEF, Capabilities())

    (request,) = caller.requests
    assert json.loads(found.text) == GOOD
    assert (request.json_schema, request.schema_name) == (SCHEMA, "document")
    assert json.dumps(SCHEMA) in request.messages[0].content
    assert "no code fence around it." not in request.messages[0].content


def test_an_answer_off_the_schema_is_repaired_once() -> None:
    caller = scripted_texts(["{}", TEXT])

    found = fpf.write(caller, VARIANT, BRIEF, Capabilities())

    assert json.loads(found.text) == GOOD
    assert 'the key "title" is missing in the answer' in caller.requests[1].messages[0].content


def test_a_second_answer_off_the_schema_is_a_failure_with_its_reason() -> None:
    caller = scripted_texts(["{}", "{}", TEXT])

    with pytest.raises(UnreadableAnswer, match='the key "title" is missing') as caught:
        fpf.write(caller, VARIANT, BRIEF, Capabilities())

    assert caught.value.raw == "{}"
    assert len(caller.requests) == 2


def test_a_model_that_cannot_be_held_to_a_schema_writes_and_another_one_puts_it_into_json() -> None:
    caller = scripted_texts(["# Moon\n\nIt is a rock.", TEXT])

    found = fpf.write(caller, VARIANT, BRIEF, Capabilities(json_schema=False), jsonify=JSONIFY)

    first, second = caller.requests
    assert json.loads(found.text) == GOOD
    assert (first.model, first.json_schema) == ("m1", None)
    assert (second.model, second.json_schema, second.search) == ("c1", SCHEMA, False)
    assert "It is a rock." in second.messages[0].content
    assert caller.stages == ["main", "jsonify"]


def test_without_such_another_model_nothing_is_degraded_silently() -> None:
    caller = scripted_texts(["# Moon"])

    with pytest.raises(JsonNotPossible):
        fpf.write(caller, VARIANT, BRIEF, Capabilities(json_schema=False))

    assert caller.requests == []
