"""Streams and embeddings of the simulator."""

import base64
import json
import math
from array import array
from typing import Any

import pytest

from acm_workers.simulator.dialects import embeddings, openai, openai_chat
from acm_workers.simulator.messages import Dialect, IncomingRequest, PlannedAnswer
from acm_workers.simulator.service import SimulatedProvider
from acm_workers.simulator.settings import SimulatorSettings

PATHS = {openai_chat: "chat/completions", openai: "responses", embeddings: "embeddings"}
CHAT = {"model": "m1", "messages": [{"role": "user", "content": "Write."}]}
RESPONSES = {"model": "m1", "input": "Write."}


def decide(dialect: Any, body: dict[str, Any], **settings: Any) -> PlannedAnswer:
    found: Dialect = dialect
    path = f"/v1/{PATHS[dialect]}"
    incoming = IncomingRequest(found, path, [], json.dumps(body).encode(), 0.0, 1.7e9)
    return SimulatedProvider(SimulatorSettings(**settings)).decide(incoming)


def events(dialect: Any, body: dict[str, Any], **settings: Any) -> list[Any]:
    """Return the data of all events of a stream; [DONE] as it is."""
    answer = decide(dialect, body | {"stream": True}, **settings).answer
    assert answer.content_type.startswith(b"text/event-stream")
    data = [line[6:] for line in answer.body.decode().splitlines() if line.startswith("data: ")]
    return [one if one == "[DONE]" else json.loads(one) for one in data]


def embedded(given: Any, **fields: Any) -> list[list[float]]:
    body = {"model": "m1", "input": given, "dimensions": 64, **fields}
    answer = json.loads(decide(embeddings, body).answer.body)
    return [one["embedding"] for one in answer["data"]]


def likeness(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_a_streamed_chat_says_what_a_whole_one_says() -> None:
    whole = json.loads(decide(openai_chat, CHAT, repeatable=True).answer.body)

    *chunks, last, done = events(openai_chat, CHAT)

    deltas = [chunk["choices"][0]["delta"].get("content", "") for chunk in chunks]
    assert done == "[DONE]"
    assert last["choices"][0]["finish_reason"] == "stop"
    assert len(deltas) > 10
    assert not any("usage" in chunk for chunk in [*chunks, last])
    assert len("".join(deltas)) > 500
    assert {chunk["model"] for chunk in chunks} == {whole["model"]}


@pytest.mark.parametrize("wanted", [True, False])
def test_the_usage_of_a_streamed_chat_comes_where_it_is_asked_for(wanted: bool) -> None:
    options = {"stream_options": {"include_usage": wanted}}

    *_, last, _ = events(openai_chat, CHAT | options)

    assert ("usage" in last) is wanted
    assert (last["choices"] == []) is wanted


def test_a_streamed_response_ends_with_all_of_it() -> None:
    found = events(openai, RESPONSES)

    text = "".join(one["delta"] for one in found if one["type"] == "response.output_text.delta")
    last = found[-1]
    assert [one["sequence_number"] for one in found] == list(range(len(found)))
    assert last["type"] == "response.completed"
    assert last["response"]["output"][0]["content"][0]["text"] == text
    assert last["response"]["usage"]["output_tokens"] > 0


@pytest.mark.parametrize(
    ("dialect", "body", "kept"),
    [(openai_chat, CHAT | {"stream_options": {"include_usage": True}}, "choices"),
     (openai, RESPONSES, "response")],
)  # fmt: skip
def test_a_stream_can_lack_its_usage(dialect: Any, body: dict[str, Any], kept: str) -> None:
    found = events(dialect, body, faults=("O23*",))

    assert any(kept in one for one in found if one != "[DONE]")
    assert not any((one.get("response") or one).get("usage") for one in found if one != "[DONE]")


def test_an_error_inside_an_answer_is_told_by_its_stream() -> None:
    found = events(openai_chat, CHAT, faults=("R4*.error",))

    assert found[0]["error"]["code"] == 502


def test_texts_that_share_words_have_vectors_that_are_alike() -> None:
    near, same, far = embedded(["bees in winter", "winter bees sleep", "the price of tin"])

    assert math.isclose(likeness(near, near), 1.0, abs_tol=1e-6)
    assert likeness(near, same) > likeness(near, far) > 0.35


def test_token_arrays_are_embedded_as_texts_are() -> None:
    answer = decide(embeddings, {"model": "m1", "input": [[1, 2, 3], [4]]})

    found = json.loads(answer.answer.body)
    assert len(found["data"]) == 2
    assert found["usage"] == {"prompt_tokens": 4, "total_tokens": 4}
    assert answer.usd == pytest.approx(4 * 2e-8)


def test_vectors_may_be_asked_for_in_base64() -> None:
    (numbers,) = embedded([7, 8, 9])
    (encoded,) = embedded([7, 8, 9], encoding_format="base64")

    assert array("f", base64.b64decode(str(encoded))).tolist() == numbers


@pytest.mark.parametrize("given", [None, [], "", [""], [[]], [7, "a"], ["a"] * 2049])
def test_what_cannot_be_embedded_is_refused(given: Any) -> None:
    assert decide(embeddings, {"model": "m1", "input": given}).status == 400


def test_embeddings_meet_faults_of_transport_and_none_of_texts() -> None:
    body = {"model": "m1", "input": "a"}

    assert decide(embeddings, body, faults=("T10*",)).status == 502
    assert decide(embeddings, body, faults=("C7*", "R5*")).fault is None
