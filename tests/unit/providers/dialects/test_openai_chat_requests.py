"""What servers of chat completions are asked for, each in the words that it knows."""

import pytest

from acm_workers.errors import ProviderRejected
from acm_workers.providers.dialects import openai_chat
from schemas.calls import Message, Request
from schemas.config.provider import OwnCapabilities, Provider

LOCAL = Provider(dialect="openai_chat", base_url="http://127.0.0.1:8077/v1")
OPENAI = Provider(
    dialect="openai_chat", base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY"
)
ROUTER = Provider(
    dialect="openai_chat", base_url="https://openrouter.ai/api/v1", key_env="OPENROUTER_API_KEY"
)
ASK = Request(
    provider="alpha",
    model="m1",
    messages=(Message(role="system", content="Be brief."), Message(role="user", content="Hi")),
)
SCHEMA = {"type": "object", "properties": {"b": {}, "a": {}}}


def test_body_holds_the_turns_and_nothing_that_was_not_asked_for() -> None:
    assert openai_chat.body(ASK, LOCAL) == {
        "model": "m1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ],
    }


def test_token_budget_goes_by_the_name_that_the_server_knows() -> None:
    asked = ASK.model_copy(update={"max_tokens": 9, "temperature": 0.0})

    local, far = openai_chat.body(asked, LOCAL), openai_chat.body(asked, OPENAI)

    assert local["max_tokens"] == far["max_completion_tokens"] == 9
    assert "max_completion_tokens" not in local
    assert "max_tokens" not in far
    assert local["temperature"] == 0.0


def test_schema_is_wrapped_and_strict() -> None:
    asked = ASK.model_copy(update={"json_schema": SCHEMA, "schema_name": "scores"})

    assert openai_chat.body(asked, LOCAL)["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "scores", "schema": SCHEMA, "strict": True},
    }
    assert openai_chat.body(asked, ROUTER)["provider"] == {"require_parameters": True}


def test_search_is_asked_for_as_a_tool_of_the_server() -> None:
    asked = ASK.model_copy(update={"search": True, "max_searches": 4})

    tool = {"type": "openrouter:web_search", "parameters": {"max_uses": 4}}
    assert openai_chat.body(asked, ROUTER)["tools"] == [tool]
    assert "tools" not in openai_chat.body(ASK, ROUTER)


def test_server_without_search_is_not_asked_for_one() -> None:
    ollama = Provider(dialect="openai_chat", base_url="http://127.0.0.1:11434/v1")

    with pytest.raises(ProviderRejected, match="no web search of its own"):
        openai_chat.body(ASK.model_copy(update={"search": True}), ollama)


def test_thinking_is_asked_for_in_the_words_of_the_server() -> None:
    asked = ASK.model_copy(update={"model": "gpt-6-luna", "reasoning": "tokens", "effort": "high"})
    told = LOCAL.model_copy(update={"capabilities": {"gpt-*": OwnCapabilities(efforts=("low",))}})

    router = openai_chat.body(asked, ROUTER)

    assert router["reasoning"] == {"effort": "high"}
    assert router["provider"] == {"require_parameters": True}
    assert openai_chat.body(asked, OPENAI)["reasoning_effort"] == "high"
    assert openai_chat.body(asked, told)["reasoning_effort"] == "low"
    assert openai_chat.body(asked, LOCAL).keys() == {"model", "messages"}


def test_openrouter_is_asked_for_its_price() -> None:
    assert openai_chat.body(ASK, ROUTER)["usage"] == {"include": True}
    assert "usage" not in openai_chat.body(ASK, LOCAL)


def test_what_a_model_refused_is_left_out() -> None:
    refused = frozenset({"temperature", "reasoning", "json_schema"})
    wanted = {"temperature": 0.0, "json_schema": SCHEMA, "reasoning": "tokens"}

    asked = ASK.model_copy(update={**wanted, "left_out": refused})

    assert openai_chat.body(asked, ROUTER).keys() == {"model", "messages", "usage"}
