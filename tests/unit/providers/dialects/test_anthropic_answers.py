"""What is read from answers of Anthropic, whole, paused, failed or of another shape."""

from typing import Any

import pytest

from acm_workers.errors import (
    AcmError,
    AnswerCutOff,
    AnswerRefused,
    ProviderUnavailable,
    RateLimited,
)
from acm_workers.providers.dialects import anthropic
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion, Evidence, Source, Usage
from tests.support.provider_responses.anthropic import (
    CITED,
    FOUND,
    QUERY,
    THOUGHT,
    asking,
    read,
    text,
)


def test_answer_is_read_whole() -> None:
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 3000,
        "output_tokens": 40,
        "output_tokens_details": {"thinking_tokens": 15},
        "server_tool_use": {"web_search_requests": 2},
        "service_tier": "standard",
    }
    content = [THOUGHT, text("I look."), QUERY, FOUND, text(" So "), CITED, {"type": "odd"}]

    assert read(content, usage=usage) == Completion(
        text="I look. So Bridges are old.",
        finish_reason="stop",
        usage=Usage(
            input_tokens=3210,
            output_tokens=40,
            cached_tokens=3000,
            cache_write_tokens=200,
            reasoning_tokens=15,
            searches=2,
        ),
        evidence=Evidence(
            grounding="cited",
            reasoning="summary",
            queries=("old bridges",),
            sources=(Source(url="https://a.example/1", title="A", cited=True),),
            summary="So.",
        ),
        model="claude-sonnet-5-5",
        response_id="msg_1",
        request_id="req_1",
    )


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("pause_turn", "pause"),
        ("tool_use", "other"),
        ("compaction", "other"),
        (None, "other"),
        (7, "other"),
    ],
)
def test_unknown_end_is_no_success(told: Any, expected: str) -> None:
    assert read([text("x")], told).finish_reason == expected


def test_paused_answer_goes_on_where_it_stopped() -> None:
    first = read([THOUGHT, QUERY], "pause_turn", {"input_tokens": 5, "output_tokens": 7})
    asked = asking(so_far=first.so_far)
    last = read([FOUND, CITED], "end_turn", {"input_tokens": 9, "output_tokens": 8}, first.so_far)

    assert first.so_far == (THOUGHT, QUERY)
    assert asked["messages"][-1] == {"role": "assistant", "content": [THOUGHT, QUERY]}
    assert (last.text, last.so_far) == ("Bridges are old.", ())
    assert last.evidence.grounding == "cited"
    assert last.evidence.queries == ("old bridges",)
    assert last.evidence.summary == "So."
    assert last.usage == Usage(input_tokens=9, output_tokens=8, searches=0)


def test_pause_after_a_pause_keeps_everything() -> None:
    assert read([FOUND], "pause_turn", so_far=(QUERY,)).so_far == (QUERY, FOUND)


def test_what_is_kept_of_a_pause_can_be_stored() -> None:
    assert read([text("a\x00b\ud83d")], "pause_turn").so_far == (text("a\ufffdb\ufffd"),)


@pytest.mark.parametrize("content", [None, [], "text", [7], [{"type": "text", "text": None}]])
def test_answer_without_text_is_empty(content: Any) -> None:
    assert read(content).text == ""


def test_refusal_tells_its_category_and_costs_what_it_says() -> None:
    with pytest.raises(AnswerRefused, match=r"\(cyber\)") as caught:
        read(
            [],
            "refusal",
            {"input_tokens": 3, "output_tokens": 1},
            stop_details={"type": "refusal", "category": "cyber", "explanation": None},
        )

    assert caught.value.usage == Usage(input_tokens=3, output_tokens=1, searches=0)


def test_answer_that_fills_the_window_is_cut_off_whatever_its_budget() -> None:
    with pytest.raises(AnswerCutOff) as caught:
        read([text("Half")], "model_context_window_exceeded", {"input_tokens": 3})

    assert (caught.value.raw, caught.value.maybe_billed) == ("Half", False)


def test_missing_counts_are_absent() -> None:
    assert read([text("x")], usage=None).usage == Usage()


def test_error_inside_a_success_is_raised() -> None:
    limited = {"type": "error", "error": {"type": "rate_limit_error", "message": ""}}
    nothing: dict[str, Any] = {"type": "error"}

    with pytest.raises(RateLimited):
        anthropic.read(ProviderResponse("alpha", 200, body=limited))
    with pytest.raises(ProviderUnavailable):
        anthropic.read(ProviderResponse("alpha", 200, body=nothing))
    with pytest.raises(AcmError) as caught:
        read(None, usage={"input_tokens": 1, "output_tokens": 2}, error={"type": "api_error"})
    assert caught.value.usage == Usage(input_tokens=1, output_tokens=2, searches=0)
