"""What is read from answers of Gemini, whole, paused, failed or of another shape."""

from typing import Any

import pytest

from acm_workers.errors import AnswerRefused, ProviderUnavailable, RateLimited
from acm_workers.providers.dialects import google
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion, Evidence, Source, Usage
from tests.support.provider_responses.google import GROUND, asking, read


def test_answer_is_read_whole() -> None:
    usage = {
        "promptTokenCount": 100,
        "toolUsePromptTokenCount": 50,
        "cachedContentTokenCount": 20,
        "candidatesTokenCount": 30,
        "thoughtsTokenCount": 7,
        "totalTokenCount": 187,
    }
    parts = [{"text": "So.", "thought": True}, {"text": "Hel"}, {"inlineData": {}}, {"text": "lo"}]

    assert read(parts, ground=GROUND, usage=usage) == Completion(
        text="Hello",
        finish_reason="stop",
        usage=Usage(
            input_tokens=150,
            output_tokens=37,
            cached_tokens=20,
            reasoning_tokens=7,
            searches=1,
            search_tokens=50,
        ),
        evidence=Evidence(
            grounding="cited",
            reasoning="summary",
            queries=("old bridges",),
            sources=(Source(url="https://a.example/1", title="a.example", cited=True),),
            summary="So.",
        ),
        model="gemini-3.8-flash-001",
        response_id="resp_1",
    )


def test_all_parts_but_thoughts_are_joined() -> None:
    parts = [{"text": letter} for letter in "abc"]
    thought = {"text": "thought", "thought": True, "thoughtSignature": "eA"}

    assert read([*parts, thought, *parts]).text == "abcabc"


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("RECITATION", "other"),
        ("MALFORMED_RESPONSE", "other"),
        ("LANGUAGE", "other"),
        ("OTHER", "other"),
        ("UNEXPECTED_TOOL_CALL", "other"),
        ("TOO_MANY_TOOL_CALLS", "other"),
        ("CONTINUATION", "other"),
        ("BRAND_NEW", "other"),
        (None, "other"),
    ],
)
def test_unknown_end_is_no_success(told: Any, expected: str) -> None:
    assert read([{"text": "x"}], told).finish_reason == expected


@pytest.mark.parametrize(
    "content", [None, {}, {"role": "model"}, {"parts": None}, {"parts": []}, {"parts": [{}]}, "x"]
)
def test_answer_without_text_is_empty_and_costs(content: Any) -> None:
    candidate = {"content": content, "finishReason": "STOP"}
    body = {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 4}}

    answer = google.read(ProviderResponse("alpha", 200, body=body))

    assert (answer.text, answer.finish_reason) == ("", "stop")
    assert answer.usage == Usage(input_tokens=4, output_tokens=0, searches=0)


def test_counts_that_are_left_out_are_zero_but_not_if_all_are() -> None:
    assert read([{"text": "x"}], usage={"promptTokenCount": 3}).usage.output_tokens == 0
    assert read([{"text": "x"}], usage=None).usage == Usage(searches=0)


@pytest.mark.parametrize("reason", ["SAFETY", "PROHIBITED_CONTENT", "SPII", "BLOCKLIST"])
def test_answer_that_a_filter_stopped_is_refused_with_its_reason(reason: str) -> None:
    with pytest.raises(AnswerRefused, match=reason) as caught:
        read([{"text": "Half"}], reason)

    assert caught.value.raw == "Half"


def test_blocked_prompt_is_refused_and_costs() -> None:
    body = {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 8, "totalTokenCount": 8},
    }

    with pytest.raises(AnswerRefused, match="PROHIBITED_CONTENT") as caught:
        google.read(ProviderResponse("alpha", 200, body=body))

    assert caught.value.usage == Usage(input_tokens=8, output_tokens=0, searches=0)


@pytest.mark.parametrize("candidates", [None, [], "x", [None]])
def test_answer_without_candidates_may_pass_later(candidates: Any) -> None:
    body = {"candidates": candidates, "usageMetadata": {"promptTokenCount": 8}}

    with pytest.raises(ProviderUnavailable) as caught:
        google.read(ProviderResponse("alpha", 200, body=body))

    assert caught.value.usage == Usage(input_tokens=8, output_tokens=0, searches=0)


def test_error_inside_a_success_is_raised() -> None:
    body = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": ""}}

    with pytest.raises(RateLimited):
        google.read(ProviderResponse("alpha", 200, body=body))


def test_long_answer_goes_on_where_it_stopped() -> None:
    first = read([{"text": "Hel"}], "CONTINUATION", GROUND, continuationToken="t1")
    asked = asking(so_far=first.so_far)
    last = read([{"text": "lo"}], so_far=first.so_far)

    assert first.finish_reason == "pause"
    assert asked["continuationToken"] == "t1"
    assert asked["contents"] == asking()["contents"]
    assert (last.text, last.finish_reason, last.so_far) == ("Hello", "stop", ())
    assert last.evidence.grounding == "cited"
    assert last.usage.searches == 0
