"""How it is told from a chat completion whether the model searched and thought."""

from typing import Any

import pytest

from schemas.calls import Evidence, Source
from tests.support.provider_responses.openai_chat import read


@pytest.mark.parametrize(
    "beside",
    [
        {"reasoning": "So."},
        {"reasoning_content": "So."},
        {"reasoning_details": [{"type": "reasoning.text", "text": "So."}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "So."}]},
        {"reasoning": "So.", "reasoning_details": [{"type": "reasoning.text", "text": "So."}]},
        {"reasoning": "", "reasoning_content": "So."},
        {"content": "<think>So.</think>Hello"},
    ],
)
def test_thoughts_are_found_in_all_their_places(beside: Any) -> None:
    answer = read({"content": "Hello", **beside})

    assert answer.text == "Hello"
    assert answer.evidence == Evidence(reasoning="summary", summary="So.")


@pytest.mark.parametrize(
    ("beside", "tokens", "expected"),
    [
        ({}, None, "none"),
        ({}, 0, "none"),
        ({}, 9, "tokens"),
        ({"reasoning": " "}, 0, "none"),
        ({"reasoning": {"effort": "high"}}, None, "none"),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}, None, "tokens"),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": ""}]}, None, "none"),
        ({"content": "I think <think>so</think>"}, None, "none"),
    ],
)
def test_thinking_is_graded_by_tokens_and_texts(beside: Any, tokens: Any, expected: str) -> None:
    usage = {"completion_tokens_details": {"reasoning_tokens": tokens}}

    answer = read({"content": "Hello", **beside}, usage=usage)

    assert answer.evidence.reasoning == expected


CITATION = {"url": "https://a.example/", "title": "A", "start_index": 0, "end_index": 4}


@pytest.mark.parametrize(
    ("citation", "use", "expected"),
    [
        (None, None, "none"),
        (None, {"web_search_requests": 0}, "none"),
        (None, {"tool_calls_requested": 3}, "none"),
        (None, {"web_search_requests": 2}, "searched"),
        ({**CITATION, "end_index": 0}, None, "sourced"),
        (CITATION, {"web_search_requests": 2}, "cited"),
        ({"url": "a.example"}, None, "none"),
        ({"title": "A"}, None, "none"),
    ],
)
def test_grounding_is_graded_by_requests_and_citations(
    citation: Any, use: Any, expected: str
) -> None:
    notes = [{"type": "odd"}, {"type": "url_citation", "url_citation": citation}]

    answer = read(
        {"content": "See https://b.example/ by web_search", "annotations": notes},
        usage={"server_tool_use_details": use},
        tools=[{"type": "openrouter:web_search"}],
    )

    assert answer.evidence.grounding == expected
    assert answer.usage.searches == (use or {}).get("web_search_requests")
    if expected == "cited":
        assert answer.evidence.sources == (Source(url="https://a.example/", title="A", cited=True),)
