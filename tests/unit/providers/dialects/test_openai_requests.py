"""What OpenAI is asked for: searches, thinking and schemas in its own words, per model."""

from typing import Any

import pytest

from acm_workers.errors import ParameterRefused
from acm_workers.providers.dialects import openai
from schemas.calls import Message, Parameter, Request
from schemas.config.provider import KNOWN

ASK = Request(
    provider="openai",
    model="m1",
    messages=(
        Message(role="system", content="Be brief."),
        Message(role="user", content="Hi"),
        Message(role="assistant", content="Hm"),
        Message(role="user", content="Again"),
    ),
)
SCHEMA = {"type": "object"}


def asking(model: str = "gpt-6-luna", *left_out: Parameter, **changed: Any) -> dict[str, Any]:
    asked = ASK.model_copy(update={"model": model, "left_out": frozenset(left_out), **changed})
    return openai.body(asked, KNOWN["openai"])


def test_body_keeps_instructions_apart_from_the_talk() -> None:
    assert openai.body(ASK, KNOWN["openai"]) == {
        "model": "m1",
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hm"},
            {"role": "user", "content": "Again"},
        ],
        "store": False,
    }


def test_schema_stands_directly_in_the_format() -> None:
    asked = ASK.model_copy(
        update={"json_schema": SCHEMA, "schema_name": "verdict", "max_tokens": 9}
    )

    body = openai.body(asked, KNOWN["openai"])

    assert body["max_output_tokens"] == 9
    assert body["text"]["format"] == {
        "type": "json_schema",
        "name": "verdict",
        "schema": SCHEMA,
        "strict": True,
    }


def test_search_and_thinking_are_asked_for_with_what_proves_them() -> None:
    body = asking(search=True, max_searches=6, reasoning="summary", json_schema=SCHEMA)

    assert body["tools"] == [{"type": "web_search"}]
    assert body["max_tool_calls"] == 6
    assert body["include"] == ["web_search_call.action.sources"]
    assert body["reasoning"] == {"effort": "medium", "summary": "auto"}
    assert body["text"]["format"]["schema"] == SCHEMA


def test_nothing_is_asked_for_that_nobody_wants() -> None:
    assert asking().keys() == {"model", "instructions", "input", "store"}
    assert "max_tool_calls" not in asking(search=True)


@pytest.mark.parametrize(
    ("model", "effort", "expected"),
    [
        ("gpt-6-luna", None, "medium"),
        ("gpt-5.1", None, "medium"),
        ("gpt-5.1", "low", "low"),
        ("gpt-5-pro", "low", "high"),
        ("gpt-5.5-pro", "low", "medium"),
    ],
)
def test_thinking_that_must_be_seen_is_asked_for_in_an_accepted_word(
    model: str, effort: Any, expected: str
) -> None:
    body = asking(model, reasoning="tokens", effort=effort)

    assert body["reasoning"] == {"effort": expected}


def test_model_that_never_thinks_is_not_told_to() -> None:
    assert "reasoning" not in asking("gpt-4o", reasoning="tokens", effort="high")


@pytest.mark.parametrize(
    ("model", "reasoning", "sent"),
    [
        ("gpt-4o-mini", "none", True),
        ("gpt-5.4", "none", True),
        ("gpt-5.4", "tokens", False),
        ("gpt-5.5", "none", False),
        ("gpt-6.1-sol", "none", False),
        ("some-new-model", "none", True),
    ],
)
def test_temperature_is_sent_only_where_it_is_accepted(
    model: str, reasoning: str, sent: bool
) -> None:
    assert ("temperature" in asking(model, temperature=0.0, reasoning=reasoning)) is sent


def test_what_a_model_refused_is_left_out() -> None:
    wanted: dict[str, Any] = {"temperature": 0.0, "json_schema": SCHEMA, "reasoning": "tokens"}

    assert "temperature" not in asking("new", "temperature", temperature=0.0)
    assert "text" not in asking("new", "json_schema", **wanted)
    assert "reasoning" not in asking("new", "reasoning", **wanted)


def test_search_and_schema_that_exclude_each_other_are_refused_unsent() -> None:
    both: dict[str, Any] = {"search": True, "json_schema": SCHEMA}

    with pytest.raises(ParameterRefused) as caught:
        asking("gpt-6-luna", "search_with_schema", **both)

    assert caught.value.parameter == "search_with_schema"
    assert asking("gpt-6-luna", "search_with_schema", search=True)["tools"]
    assert asking("gpt-6-luna", "search_with_schema", "json_schema", **both)["tools"]
