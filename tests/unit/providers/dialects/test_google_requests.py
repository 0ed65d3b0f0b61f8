"""What Gemini is asked for: searches, thinking and schemas in its own words, per model."""

from typing import Any

import pytest

from acm_workers.errors import ParameterRefused
from acm_workers.providers.dialects import google
from schemas.calls import Parameter
from tests.support.provider_responses.google import ASK, asking

SCHEMA = {
    "type": "object",
    "properties": {
        "why": {"type": "string"},
        "inner": {"type": "object", "properties": {"b": {"type": "string"}}},
        "list": {"type": "array", "items": {"type": "object", "properties": {}}},
    },
}


def generation(model: str = ASK.model, *left_out: Parameter, **changed: Any) -> dict[str, Any]:
    found: dict[str, Any] = asking(model, *left_out, **changed).get("generationConfig", {})
    return found


def test_body_keeps_the_system_apart_and_calls_the_assistant_model() -> None:
    assert asking() == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"text": "Hm"}]},
            {"role": "user", "parts": [{"text": "Again"}]},
        ],
    }


def test_model_is_named_in_the_address_and_nothing_else() -> None:
    assert google.path("gemini-3.8-flash") == "models/gemini-3.8-flash:generateContent"
    assert google.path("models/gemini-3.8-flash") == "models/gemini-3.8-flash:generateContent"
    assert google.path("a?key=b#c") == "models/a%3Fkey%3Db%23c:generateContent"


def test_schema_says_in_which_order_it_is_written() -> None:
    sent = generation(json_schema=SCHEMA, max_tokens=9)

    assert sent["maxOutputTokens"] == 9
    assert sent["responseMimeType"] == "application/json"
    schema = sent["responseJsonSchema"]
    assert schema["propertyOrdering"] == ["why", "inner", "list"]
    assert schema["properties"]["inner"]["propertyOrdering"] == ["b"]
    assert schema["properties"]["list"]["items"]["propertyOrdering"] == []
    assert "propertyOrdering" not in SCHEMA


def test_search_and_schema_go_in_one_call_where_the_model_takes_both() -> None:
    body = asking(search=True, json_schema=SCHEMA)

    assert body["tools"] == [{"google_search": {}}]
    assert "responseJsonSchema" in body["generationConfig"]
    with pytest.raises(ParameterRefused) as caught:
        asking("gemini-2.5-flash", search=True, json_schema=SCHEMA)
    assert caught.value.parameter == "search_with_schema"
    assert asking("gemini-2.5-flash", search=True)["tools"]


@pytest.mark.parametrize(
    ("model", "wanted", "expected"),
    [
        ("gemini-3.8-flash", {"reasoning": "tokens"}, {"thinkingLevel": "medium"}),
        ("gemini-3-pro-preview", {"reasoning": "tokens"}, {"thinkingLevel": "low"}),
        (
            "gemini-4-argon",
            {"reasoning": "summary", "effort": "high"},
            {"thinkingLevel": "high", "includeThoughts": True},
        ),
        ("gemini-3.8-flash", {"effort": "low"}, {"thinkingLevel": "low"}),
        ("gemini-2.5-pro", {"reasoning": "tokens"}, {"thinkingBudget": 8192}),
        ("gemini-2.5-pro", {"reasoning": "tokens", "max_tokens": 4000}, {"thinkingBudget": 2000}),
        ("gemini-2.5-pro", {"reasoning": "tokens", "max_tokens": 100}, {"thinkingBudget": 512}),
        ("gemini-2.0-flash", {"reasoning": "tokens"}, None),
        ("gemini-3.8-flash", {}, None),
    ],
)
def test_thinking_is_asked_for_in_the_form_of_the_model(
    model: str, wanted: Any, expected: Any
) -> None:
    assert generation(model, **wanted).get("thinkingConfig") == expected


def test_what_a_model_refused_is_left_out_or_asked_in_the_other_form() -> None:
    newer = generation("gemini-2.5-pro", "reasoning", reasoning="tokens")
    older = generation("gemini-3.8-flash", "reasoning", reasoning="tokens")

    assert newer["thinkingConfig"] == {"thinkingLevel": "medium"}
    assert older["thinkingConfig"] == {"thinkingBudget": 8192}
    assert generation("gemini-3.8-flash", "reasoning", effort="low") == {}
    assert generation(ASK.model, "json_schema", json_schema=SCHEMA) == {}
    assert generation(ASK.model, "temperature", temperature=0.0) == {}


def test_temperature_is_accepted_also_while_thinking() -> None:
    assert generation(temperature=1.0, reasoning="tokens")["temperature"] == 1.0
