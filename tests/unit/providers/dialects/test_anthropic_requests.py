"""What Anthropic is asked for: searches, thinking and schemas in its own words, per model."""

from typing import Any

import pytest

from acm_workers.errors import ProviderRejected
from acm_workers.providers.dialects import anthropic
from schemas.config.provider import KNOWN, OwnCapabilities
from tests.support.provider_responses.anthropic import ASK, asking

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "enum": [1, 2]}, "why": {"type": "string"}},
}


def test_body_keeps_the_system_apart_and_always_sets_a_budget() -> None:
    assert asking() == {
        "model": "claude-sonnet-5-5",
        "max_tokens": anthropic.MAX_TOKENS,
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hm"},
            {"role": "user", "content": "Again"},
        ],
        "system": "Be brief.",
    }
    assert asking(max_tokens=9)["max_tokens"] == 9


def test_schema_has_no_type_beside_an_enum() -> None:
    assert asking(json_schema=SCHEMA)["output_config"] == {
        "format": {
            "type": "json_schema",
            "schema": {
                "type": "object",
                "properties": {"score": {"enum": [1, 2]}, "why": {"type": "string"}},
            },
        }
    }


def test_search_is_asked_for_as_a_tool() -> None:
    body = asking(search=True, max_searches=3, json_schema=SCHEMA)

    tool = {"type": "web_search_20250305", "name": "web_search"}
    assert body["tools"] == [{**tool, "max_uses": 3}]
    assert asking(search=True)["tools"] == [tool]
    assert "tool_choice" not in body


@pytest.mark.parametrize(
    ("model", "reasoning", "expected"),
    [
        ("claude-opus-4-7", "tokens", {"type": "adaptive"}),
        ("claude-opus-5-5", "summary", {"type": "adaptive", "display": "summarized"}),
        ("claude-haiku-4-5", "tokens", {"type": "enabled", "budget_tokens": 8192}),
        ("claude-haiku-4-5-20251001", "summary", {"type": "enabled", "budget_tokens": 8192}),
        ("claude-opus-5-5", "none", None),
    ],
)
def test_thinking_is_asked_for_in_the_form_of_the_model(
    model: str, reasoning: str, expected: Any
) -> None:
    body = asking(model, reasoning=reasoning)

    assert body.get("thinking") == expected


def test_effort_is_a_word_or_a_number_of_tokens() -> None:
    word = asking("claude-sonnet-5-5", effort="high")
    number = asking("claude-sonnet-4-5", effort="high", reasoning="tokens")

    assert word["output_config"] == {"effort": "high"}
    assert "thinking" not in word
    assert number["thinking"]["budget_tokens"] == anthropic.MAX_TOKENS / 2
    assert "output_config" not in number


@pytest.mark.parametrize(("max_tokens", "expected"), [(4000, 2000), (2048, 1024), (2000, None)])
def test_thinking_leaves_room_for_the_answer(max_tokens: int, expected: int | None) -> None:
    body = asking("claude-haiku-4-5", reasoning="tokens", max_tokens=max_tokens)

    assert body.get("thinking", {}).get("budget_tokens") == expected


def test_form_of_thinking_that_was_refused_is_changed_for_the_other() -> None:
    newer = asking("claude-haiku-4-5", "reasoning", reasoning="tokens")
    older = asking("claude-sonnet-5", "reasoning", reasoning="tokens")

    assert newer["thinking"] == {"type": "adaptive"}
    assert older["thinking"] == {"type": "enabled", "budget_tokens": 8192}
    assert "output_config" not in asking("claude-sonnet-5", "reasoning", effort="high")


@pytest.mark.parametrize(
    ("model", "reasoning", "sent"),
    [
        ("claude-haiku-4-5", "none", True),
        ("claude-haiku-4-5", "tokens", False),
        ("claude-sonnet-4-6", "none", True),
        ("claude-opus-4-7", "none", False),
        ("claude-sonnet-5-5", "none", False),
        ("claude-next", "none", False),
    ],
)
def test_temperature_is_sent_only_where_it_is_accepted(
    model: str, reasoning: str, sent: bool
) -> None:
    body = asking(model, temperature=0.0, reasoning=reasoning)

    assert ("temperature" in body) is sent
    assert anthropic.version(body) == ("2023-06-01" if sent else "2026-10-21")
    assert "temperature" not in asking(model, "temperature", temperature=0.0)


def test_search_is_not_asked_of_a_model_that_has_none() -> None:
    limited = KNOWN["anthropic"].model_copy(
        update={"capabilities": {ASK.model: OwnCapabilities(search=False)}}
    )

    with pytest.raises(ProviderRejected):
        anthropic.body(ASK.model_copy(update={"search": True}), limited)
