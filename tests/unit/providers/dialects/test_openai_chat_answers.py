"""What is read from chat completions, whole, failed or of another shape, and what they cost."""

from typing import Any

import pytest

from acm_workers.errors import (
    AcmError,
    AnswerRefused,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
)
from acm_workers.providers.dialects import openai_chat
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion, Evidence, Usage
from tests.support.provider_responses.openai_chat import read


def test_answer_is_read_whole() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }

    assert read({"role": "assistant", "content": "Hello"}, usage=usage) == Completion(
        text="Hello",
        finish_reason="stop",
        usage=Usage(
            input_tokens=100,
            output_tokens=20,
            cached_tokens=60,
            cache_write_tokens=30,
            reasoning_tokens=5,
        ),
        evidence=Evidence(reasoning="tokens"),
        model="m1-2026",
        response_id="chatcmpl-1",
        request_id="req-1",
    )


@pytest.mark.parametrize(
    "usage",
    [None, {}, "none", {"prompt_tokens": None, "prompt_tokens_details": None}, {"x": 1}],
)
def test_missing_counts_are_absent(usage: Any) -> None:
    assert read({"content": "Hello"}, usage=usage).usage == Usage()


@pytest.mark.parametrize("count", [-1, True, "7", float("nan"), float("inf"), [1]])
def test_counts_that_are_none_do_not_lose_a_paid_answer(count: Any) -> None:
    answer = read({"content": "Hello"}, usage={"prompt_tokens": count, "completion_tokens": 2.0})

    assert answer.text == "Hello"
    assert answer.usage == Usage(output_tokens=2)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("tool_calls", "other"),
        (None, "other"),
        (7, "other"),
    ],
)
def test_unknown_end_is_no_success(told: Any, expected: str) -> None:
    assert read({"content": "x"}, told).finish_reason == expected


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 3, "completion_tokens": 2}])
def test_answer_that_a_filter_stopped_is_refused_and_costs_what_it_says(usage: Any) -> None:
    with pytest.raises(AnswerRefused, match="content_filter") as caught:
        read({"content": "Half"}, "content_filter", usage=usage)

    counted = None if usage is None else Usage(input_tokens=3, output_tokens=2)
    assert (caught.value.raw, caught.value.usage) == ("Half", counted)
    assert caught.value.maybe_billed is (counted is None)


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content", "reasoning_details"])
def test_thoughts_are_no_answer(field: str) -> None:
    assert read({"content": "Hello", field: "I think"}).text == "Hello"
    assert read({"content": None, field: "I think"}).text == ""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<think>hm\n{1}</think>\n\nHello", "Hello"),
        ("\n<think></think>Hello", "Hello"),
        ("<think>hm, cut off", ""),
        ("Write <think>x</think> so", "Write <think>x</think> so"),
        ("  Hello ", "  Hello "),
    ],
)
def test_thoughts_in_front_are_taken_off(content: str, expected: str) -> None:
    assert read({"content": content}).text == expected


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}, {"type": "image"}]

    assert read({"content": parts}).text == "Hello"


def test_refusal_is_told_with_its_words() -> None:
    answer = read({"content": None, "refusal": "I cannot."})

    assert (answer.finish_reason, answer.text) == ("refusal", "I cannot.")


@pytest.mark.parametrize("choices", [None, [], "x", [None]])
def test_answer_without_choices_may_pass_later(choices: Any) -> None:
    with pytest.raises(ProviderUnavailable):
        openai_chat.read(ProviderResponse("alpha", 200, body={"choices": choices}))


def test_error_inside_a_success_is_raised() -> None:
    limited = {"error": {"code": 429, "message": "slow"}}
    flagged = {"choices": [{"finish_reason": "error", "error": {"code": 403, "message": "no"}}]}

    with pytest.raises(RateLimited):
        openai_chat.read(ProviderResponse("alpha", 200, body=limited))
    with pytest.raises(ProviderRejected):
        openai_chat.read(ProviderResponse("alpha", 200, body=flagged))
    with pytest.raises(ProviderUnavailable):
        read({"content": "half"}, "error")


def test_empty_error_beside_an_answer_is_none() -> None:
    assert read({"content": "Hello"}, error=None).text == "Hello"


def test_answer_inside_provider_is_unwrapped() -> None:
    inner = {"choices": [{"finish_reason": "stop", "message": {"content": "Hello"}}]}

    assert (
        openai_chat.read(ProviderResponse("alpha", 200, body={"provider": inner})).text == "Hello"
    )


def test_text_that_no_store_can_hold_is_mended() -> None:
    assert read({"content": "a\x00b"}).text == "a\ufffdb"
    assert read({"content": "a"}, id="x\x00").response_id == "x\ufffd"


def test_searches_are_counted_under_their_older_name_too() -> None:
    usage = {"server_tool_use": {"web_search_requests": 3}}

    assert read({"content": "x"}, usage=usage).usage.searches == 3


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({}, None),
        ({"cost": 0.25}, 0.25),
        ({"cost": 0}, 0.0),
        ({"cost": 0.25, "cost_details": {"upstream_inference_cost": 0.2}}, 0.25),
        ({"cost": 0, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.2}}, 0.2),
        ({"cost": 0.01, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.2}}, 0.21),
        ({"cost": 0, "cost_details": {"upstream_inference_cost": 0.2}}, 0.2),
        ({"cost": 0, "is_byok": True}, None),
        ({"cost": "1"}, None),
        ({"cost": -1}, None),
        ({"cost": float("nan")}, None),
        ({"cost": True}, None),
    ],
)
def test_cost_is_what_the_router_and_the_upstream_charge(
    usage: Any, expected: float | None
) -> None:
    assert read({"content": "x"}, usage=usage).cost_usd == pytest.approx(expected)


def test_failed_answer_tells_what_it_cost() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 6}

    with pytest.raises(AcmError) as ended:
        read({"content": "half"}, "error", usage=usage)
    with pytest.raises(AcmError) as told:
        read(None, usage=usage, error={"code": 502})

    assert ended.value.usage == told.value.usage == Usage(input_tokens=5, output_tokens=6)
