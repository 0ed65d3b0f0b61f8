"""Usage, read from the bytes of answers."""

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.errors import AcmError, ProviderRejected, ProviderUnavailable
from acm_workers.gateway import metering
from acm_workers.gateway.metering import StreamMeter
from acm_workers.gateway.requests import Endpoint
from acm_workers.providers.http.responses import ProviderResponse, parse_json
from schemas.calls import Completion, Usage

EMPTY = ProviderResponse("alpha", 200, body={})
USAGE = {"prompt_tokens": 7, "completion_tokens": 5}


def sse(*events: Any, end: str = "\n\n") -> bytes:
    texts = [one if isinstance(one, str) else json.dumps(one) for one in events]
    return "".join(f"data: {text}{end}" for text in texts).encode()


def chunk(text: str = "", finish: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return {"id": "c1", "model": "m-1", "choices": [choice], **more}


TOLD = chunk('the "usage": {"prompt_tokens": 1} and data: [DONE]\n\n of it')
LAST = {"id": "c1", "choices": [], "usage": USAGE}
CHAT = (TOLD, chunk("b", usage=None), chunk("", "stop"), LAST, "[DONE]")
RESPONSE = {
    "id": "r1",
    "model": "m-1",
    "status": "completed",
    "output": [{"type": "message", "content": [{"type": "output_text", "text": "b"}]}],
    "usage": {"input_tokens": 7, "output_tokens": 5},
}


def fed(endpoint: Endpoint, *parts: bytes, hides_usage: bool = False) -> tuple[bytes, StreamMeter]:
    """Return what was passed on of a stream that came in these parts."""
    meter = StreamMeter(endpoint, hides_usage=hides_usage)
    passed = b"".join([*map(meter.feed, parts), meter.close()])
    return passed, meter


def read(endpoint: Endpoint, content: bytes) -> Completion:
    body, excerpt = parse_json(content)
    return metering.read(endpoint, ProviderResponse("alpha", 200, {}, body, excerpt), content)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(ends)]


@given(st.lists(st.integers(0, 10_000)), st.booleans(), st.sampled_from(["\n\n", "\r\n\r\n"]))
def test_a_stream_means_the_same_however_it_is_cut(
    places: list[int], hides_usage: bool, end: str
) -> None:
    data = sse(*CHAT, end=end)

    passed, meter = fed("chat/completions", *cut(data, places), hides_usage=hides_usage)

    without = sse(*CHAT[:3], CHAT[4], end=end)
    assert passed == (without if hides_usage else data)
    answer = meter.completion(EMPTY)
    assert answer.usage == Usage(input_tokens=7, output_tokens=5)
    assert (answer.model, answer.finish_reason) == ("m-1", "stop")


@given(st.lists(st.integers(0, 10_000)))
def test_the_usage_of_a_streamed_response_stands_in_its_last_event(places: list[int]) -> None:
    data = sse(
        {"type": "response.created", "response": {"id": "r1", "status": "in_progress"}},
        {"type": "response.output_text.delta", "delta": '"type":"response.failed"'},
        {"type": "response.completed", "response": RESPONSE},
    )

    passed, meter = fed("responses", *cut(data, places))

    assert passed == data
    answer = meter.completion(EMPTY)
    assert answer.usage.input_tokens == 7
    assert (answer.response_id, answer.finish_reason) == ("r1", "stop")


def test_usage_beside_text_is_passed_on_and_the_last_one_counts() -> None:
    first = chunk("a", usage={"prompt_tokens": 7, "completion_tokens": 1})
    last = chunk("b", "stop", usage=USAGE)
    data = sse(first, last, "[DONE]")

    passed, meter = fed("chat/completions", data, hides_usage=True)

    assert passed == data
    assert meter.completion(EMPTY).usage.output_tokens == 5


def test_comments_and_odd_events_are_passed_on() -> None:
    odd = b": waiting\n\nevent: ping\n\ndata: {broken\n\ndata: 7\n\n"
    data = odd + sse(*CHAT)

    passed, meter = fed("chat/completions", data, hides_usage=True)

    assert passed.startswith(odd)
    assert meter.completion(EMPTY).usage.input_tokens == 7


def test_a_stream_without_usage_has_none() -> None:
    _, meter = fed("chat/completions", sse(*CHAT[:3], "[DONE]"))

    assert meter.completion(EMPTY).usage == Usage()


@pytest.mark.parametrize("events", [(), CHAT[:2]])
def test_a_stream_without_an_end_may_be_billed(events: tuple[Any, ...]) -> None:
    _, meter = fed("chat/completions", sse(*events))

    with pytest.raises(ProviderUnavailable, match="broke off") as caught:
        meter.completion(EMPTY)

    assert caught.value.maybe_billed


@pytest.mark.parametrize(
    ("endpoint", "event"),
    [
        ("chat/completions", {"error": {"code": 502, "message": "upstream failed"}}),
        ("responses", {"type": "error", "code": "server_error", "message": "upstream failed"}),
        (
            "responses",
            {"type": "response.failed", "response": RESPONSE | {"status": "failed", "error": {}}},
        ),
    ],
)
def test_an_error_inside_a_stream_is_one(endpoint: Endpoint, event: dict[str, Any]) -> None:
    _, meter = fed(endpoint, sse(chunk("a"), event))

    with pytest.raises(AcmError) as caught:
        meter.completion(EMPTY)

    known = "response" in event
    assert (caught.value.usage is not None) is known
    assert caught.value.maybe_billed is not known


def test_an_event_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metering, "MAX_EVENT_BYTES", 100)
    meter = StreamMeter("chat/completions", hides_usage=False)

    with pytest.raises(ProviderRejected, match="too long"):
        meter.feed(b"data: " + b"x" * 100)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 7, "total_tokens": 7}, (7, 0)),
        ({"total_tokens": 7}, (7, 0)),
        ({}, (None, None)),
        (None, (None, None)),
    ],
)
@pytest.mark.parametrize("values", [2, 200_000])  # the latter are too many to be parsed
def test_embeddings_have_input_tokens_only(
    usage: Any, tokens: tuple[int | None, int | None], values: int
) -> None:
    data = [{"index": 0, "embedding": [0.5] * values}]
    content = json.dumps({"object": "list", "data": data, "usage": usage}).encode()

    answer = read("embeddings", content)

    assert (answer.usage.input_tokens, answer.usage.output_tokens) == tokens


@pytest.mark.parametrize("endpoint", ["chat/completions", "responses"])
def test_the_usage_of_an_answer_that_is_too_large_to_parse_is_found(endpoint: Endpoint) -> None:
    named = ("input_tokens", "output_tokens") if endpoint == "responses" else tuple(USAGE)
    usage = dict(zip(named, (7, 5), strict=True))
    content = json.dumps({"logprobs": [0.5] * 200_000, "usage": usage}).encode()

    answer = read(endpoint, content)

    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (7, 5)


def test_an_answer_that_a_filter_stopped_is_for_the_child_to_read() -> None:
    body = {"choices": [{"finish_reason": "content_filter", "message": {}}], "usage": USAGE}

    answer = read("chat/completions", json.dumps(body).encode())

    assert answer.finish_reason == "refusal"
    assert answer.usage.input_tokens == 7


@pytest.mark.parametrize(
    ("endpoint", "content"),
    [
        ("chat/completions", b"<html>Please sign in</html>"),
        ("embeddings", b"<html>Please sign in</html>"),
        ("embeddings", b'{"data":[{"embedding":[0.5,'),
        ("embeddings", b""),
        ("chat/completions", b'{"choices":null}'),
        ("chat/completions", b'{"error":{"code":502,"message":"upstream"}}'),
        ("embeddings", b'{"error":{"code":502,"message":"upstream"}}'),
    ],
)
def test_what_is_no_answer_is_an_error_that_may_pass(endpoint: Endpoint, content: bytes) -> None:
    with pytest.raises(ProviderUnavailable):
        read(endpoint, content)
