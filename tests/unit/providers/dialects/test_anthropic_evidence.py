"""How it is told from an answer of Anthropic whether it searched and thought."""

from typing import Any

import pytest

from schemas.calls import Evidence
from tests.support.provider_responses.anthropic import CITED, FOUND, QUERY, THOUGHT, read, text

NOT_FOUND = {
    **FOUND,
    "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
}


@pytest.mark.parametrize(
    ("content", "searches", "expected"),
    [
        ([text("x")], None, "none"),
        ([text("x")], 1, "searched"),
        ([QUERY, {**FOUND, "content": []}], 1, "searched"),
        ([QUERY, FOUND], 1, "sourced"),
        ([QUERY, FOUND, CITED], 1, "cited"),
        ([QUERY, NOT_FOUND, QUERY, FOUND], 1, "sourced"),
    ],
)
def test_grounding_is_graded_by_what_the_searches_brought(
    content: Any, searches: Any, expected: str
) -> None:
    usage = {"server_tool_use": {"web_search_requests": searches}}

    assert read(content, usage=usage).evidence.grounding == expected


@pytest.mark.parametrize(
    "content",
    [
        [text("web_search_tool_result https://a.example/ says so")],
        [QUERY],
        [QUERY, NOT_FOUND, text("x")],
        [QUERY, NOT_FOUND, CITED],
        [{**FOUND, "content": None}],
        [{**FOUND, "type": "web_fetch_tool_result"}],
        [CITED],
        [{"type": "tool_use", "name": "web_search", "input": {"query": "q"}}],
    ],
)
def test_what_is_no_search_proves_none(content: Any) -> None:
    usage = {"server_tool_use": {"web_search_requests": 0}}

    assert read(content, usage=usage).evidence == Evidence()


def test_search_that_failed_proves_nothing_even_if_it_was_counted() -> None:
    usage = {"server_tool_use": {"web_search_requests": 1}}

    assert read([QUERY, NOT_FOUND, text("x")], usage=usage).evidence == Evidence()


@pytest.mark.parametrize(
    ("block", "tokens", "expected"),
    [
        (text("My thinking: so."), None, "none"),
        ({"type": "thinking", "thinking": "", "signature": ""}, None, "none"),
        ({"type": "thinking", "thinking": "", "signature": "c2ln"}, None, "tokens"),
        ({"type": "redacted_thinking", "data": "ZGF0YQ"}, None, "tokens"),
        ({"type": "redacted_thinking"}, None, "none"),
        (text("x"), 12, "tokens"),
        (THOUGHT, None, "summary"),
    ],
)
def test_thinking_is_graded_by_its_blocks_and_tokens(
    block: Any, tokens: Any, expected: str
) -> None:
    usage = {"output_tokens_details": {"thinking_tokens": tokens}}

    assert read([block], usage=usage).evidence.reasoning == expected
