"""What is read from answers of OpenAI, whole, failed or of another shape, and what they cost."""

from typing import Any

import pytest

from acm_workers.errors import (
    AcmError,
    AnswerRefused,
    ProviderPaused,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)
from schemas.calls import Completion, Evidence, Source, Usage
from tests.support.provider_responses.openai import SEARCHED, message, read


def test_answer_is_read_whole() -> None:
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 5},
        "total_tokens": 120,
    }
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I think"}]},
        SEARCHED,
        message("Hello"),
    ]

    assert read(output=output, usage=usage) == Completion(
        text="Hello",
        finish_reason="stop",
        usage=Usage(
            input_tokens=100,
            output_tokens=20,
            cached_tokens=60,
            cache_write_tokens=0,
            reasoning_tokens=5,
            searches=1,
        ),
        evidence=Evidence(
            grounding="sourced",
            reasoning="summary",
            queries=("old bridges", "new bridges"),
            sources=(Source(url="https://a.example/1"), Source(url="https://b.example/")),
            summary="I think",
        ),
        model="m1-2026",
        response_id="resp_1",
        request_id="req-1",
    )


def test_commentary_is_dropped() -> None:
    output = [message("I look it up.", "commentary"), message("Hello", "final_answer")]

    assert read(output=output).text == "Hello"


def test_refusal_is_told_with_its_words() -> None:
    output = [{"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}]

    answer = read(output=output)

    assert (answer.finish_reason, answer.text) == ("refusal", "I cannot.")


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("max_output_tokens", "length"), ("max_messages", "other"), ("steered", "other")],
)
def test_unfinished_answer_says_why(reason: str, expected: str) -> None:
    answer = read(
        "incomplete",
        [message("{half")],
        incomplete_details={"reason": reason},
        usage={"input_tokens": 1, "output_tokens": 2},
    )

    assert answer.finish_reason == expected
    assert answer.usage == Usage(input_tokens=1, output_tokens=2, searches=0)


def test_answer_that_a_filter_stopped_is_refused_and_costs_what_it_says() -> None:
    with pytest.raises(AnswerRefused, match="content_filter") as caught:
        read(
            "incomplete",
            [message("Half")],
            incomplete_details={"reason": "content_filter"},
            usage={"input_tokens": 1, "output_tokens": 2},
        )

    assert caught.value.raw == "Half"
    assert caught.value.usage == Usage(input_tokens=1, output_tokens=2, searches=0)


@pytest.mark.parametrize("output", [None, [], [{"type": "reasoning", "summary": []}], "x", [7]])
def test_answer_without_text_is_empty(output: Any) -> None:
    assert read(output=output).text == ""


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("server_error", ProviderUnavailable),
        ("rate_limit_exceeded", RateLimited),
        ("invalid_prompt", ProviderRejected),
        ("insufficient_quota", ProviderPaused),
    ],
)
def test_failed_answer_is_classified_by_its_code(code: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        read("failed", [], error={"code": code, "message": "no"})


def test_failed_answer_without_an_error_may_pass_later() -> None:
    with pytest.raises(ProviderUnavailable):
        read("failed", [])


@pytest.mark.parametrize("status", ["cancelled", "queued", "in_progress"])
def test_answer_that_is_none_yet_may_pass_later(status: str) -> None:
    with pytest.raises(ProviderUnavailable, match=status):
        read(status, [message("Hel")])


def test_unknown_status_is_no_success() -> None:
    assert read("pondering", [message("x")]).finish_reason == "other"


def test_billed_searches_are_what_the_provider_counts() -> None:
    opened = {**SEARCHED, "action": {"type": "open_page", "url": "https://a.example/"}}
    output = [SEARCHED, SEARCHED, opened, {**SEARCHED, "status": "failed"}]

    told = read(output=output, tool_usage={"web_search": {"num_requests": 5}})

    assert told.usage.searches == 5
    assert read(output=output).usage.searches == 2


def test_failed_answer_tells_what_it_cost() -> None:
    usage = {"input_tokens": 5, "output_tokens": 6}

    with pytest.raises(AcmError) as paid:
        read("failed", [], error={"code": "server_error"}, usage=usage)
    with pytest.raises(AcmError) as unknown:
        read("failed", [], error={"code": "server_error"})

    assert paid.value.usage == Usage(input_tokens=5, output_tokens=6, searches=0)
    assert unknown.value.usage is None
