"""How it is told from an answer of OpenAI whether it searched and thought."""

from typing import Any

import pytest

from schemas.calls import Evidence
from tests.support.provider_responses.openai import SEARCHED, message, read

CITATION = {
    "type": "url_citation",
    "url": "https://b.example/",
    "title": "B",
    "start_index": 0,
    "end_index": 5,
}


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ([message("x")], "none"),
        ([{**SEARCHED, "action": {"type": "search", "query": "q"}}], "searched"),
        ([{**SEARCHED, "action": {"type": "open_page", "url": "https://a.example/"}}], "sourced"),
        ([SEARCHED, message("x")], "sourced"),
        ([SEARCHED, message("Hello", None, CITATION)], "cited"),
    ],
)
def test_grounding_is_graded_by_what_the_searches_brought(output: Any, expected: str) -> None:
    assert read(output=output).evidence.grounding == expected


@pytest.mark.parametrize(
    "output",
    [
        [message("See https://a.example/ (web_search, url_citation).")],
        [{**SEARCHED, "status": "failed"}, message("x")],
        [{**SEARCHED, "status": "failed"}, message("Hello", None, CITATION)],
        [{**SEARCHED, "status": "searching"}],
        [{"type": "web_search_call", "status": "completed"}],
        [{"type": "function_call", "name": "web_search", "status": "completed"}],
        [message("Hello", None, CITATION)],
        [message("x", None, {"type": "web_search_call", "status": "completed"})],
    ],
)
def test_what_is_no_search_proves_none(output: Any) -> None:
    echoed = {"tools": [{"type": "web_search"}], "include": ["web_search_call.action.sources"]}

    assert read(output=output, **echoed).evidence == Evidence()


def test_citation_counts_only_where_it_ties_the_text_to_a_page() -> None:
    untied = [
        {**CITATION, "end_index": 0},
        {**CITATION, "url": None},
        {**CITATION, "type": "file_citation"},
    ]

    assert read(output=[SEARCHED, message("Hello", None, *untied)]).evidence.grounding == "sourced"


@pytest.mark.parametrize(
    ("tokens", "item", "expected"),
    [
        (0, None, "none"),
        (None, {"type": "reasoning", "summary": []}, "none"),
        (None, {"type": "reasoning", "summary": [{"type": "summary_text", "text": " "}]}, "none"),
        (7, None, "tokens"),
        (7, {"type": "reasoning", "summary": []}, "tokens"),
        (7, {"type": "reasoning", "summary": [{"type": "summary_text", "text": "So."}]}, "summary"),
        (7, {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "So."}]},
         "summary"),
    ],
)  # fmt: skip
def test_thinking_is_graded_by_tokens_and_summary(tokens: Any, item: Any, expected: str) -> None:
    usage = {"output_tokens_details": {"reasoning_tokens": tokens}}
    echoed = {"reasoning": {"effort": "high", "summary": "detailed"}}

    answer = read(output=[item, message("My reasoning: ...")], usage=usage, **echoed)

    assert answer.evidence.reasoning == expected
    assert answer.evidence.summary == ("So." if expected == "summary" else None)
