"""Answers as streams of events: chunks of a chat, and events of a response."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pydantic_core

from acm_workers.simulator import model_names
from acm_workers.simulator.messages import (
    Delivery,
    DialectName,
    Headers,
    HttpAnswer,
    ModelRequest,
)

EVENTS: Final = b"text/event-stream; charset=utf-8"
_PIECE_CHARS: Final = 24
_DONE: Final = b"data: [DONE]\n\n"


def answer(name: DialectName, request: ModelRequest, body: Any, headers: Headers) -> HttpAnswer:
    """Return the JSON ``body`` of a whole answer as a stream of events."""
    if not isinstance(body, dict):
        events = iter([_data(body)])
    elif name == "openai":
        events = _of_response(body)
    else:
        events = _of_chat(body, with_usage=request.stream_usage)
    rate = model_names.parse(request.model).events_per_second
    manner = Delivery("stream", 0.0 if rate is None else 1 / rate)
    return HttpAnswer(200, b"".join(events), headers, EVENTS, manner, billed=True)


def _of_chat(body: Mapping[str, Any], *, with_usage: bool) -> Iterator[bytes]:
    choices = body.get("choices")
    if not isinstance(choices, list) or body.get("error"):
        yield _data(body)
        yield _DONE
        return
    head = {name: body.get(name) for name in ("id", "created", "model", "service_tier")}
    head = {"object": "chat.completion.chunk", **head}
    usage: dict[str, Any] = {"usage": None} if with_usage else {}

    def chunk(delta: Mapping[str, Any], finish: Any = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _data({**head, "choices": [choice], **usage})

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    choice = choices[0]
    message = choice["message"]
    for piece in _pieces(message.get("content")):
        yield chunk({"content": piece})
    rest = {name: message[name] for name in ("tool_calls", "annotations") if message.get(name)}
    if choice.get("error"):
        yield _data({**head, "choices": [], "error": choice["error"]})
    yield chunk(rest, choice.get("finish_reason"))
    if with_usage and body.get("usage"):
        yield _data({**head, "choices": [], "usage": body["usage"]})
    yield _DONE


def _of_response(body: Mapping[str, Any]) -> Iterator[bytes]:
    events = _response_events(body)
    for number, (kind, fields) in enumerate(events):
        data = _data({"type": kind, "sequence_number": number, **fields})
        yield b"event: %s\n%b" % (kind.encode(), data)


def _response_events(body: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    early = {**body, "status": "in_progress", "output": [], "usage": None, "completed_at": None}
    yield "response.created", {"response": early}
    yield "response.in_progress", {"response": early}
    for place, item in enumerate(body.get("output") or ()):
        where = {"output_index": place, "item_id": item.get("id")}
        yield "response.output_item.added", {"output_index": place, "item": {**item, "content": []}}
        for index, part in enumerate(item.get("content") or ()):
            at = {**where, "content_index": index}
            if part.get("type") == "output_text":
                yield "response.content_part.added", {**at, "part": {**part, "text": ""}}
                for piece in _pieces(part["text"]):
                    yield "response.output_text.delta", {**at, "delta": piece, "logprobs": []}
                yield "response.output_text.done", {**at, "text": part["text"], "logprobs": []}
            yield "response.content_part.done", {**at, "part": part}
        yield "response.output_item.done", {"output_index": place, "item": item}
    status = body.get("status")
    ends = status if status in ("incomplete", "failed") else "completed"
    yield f"response.{ends}", {"response": body}


def _pieces(text: object) -> Iterator[str]:
    given = text if isinstance(text, str) else ""
    for start in range(0, len(given), _PIECE_CHARS):
        yield given[start : start + _PIECE_CHARS]


def _data(value: Any) -> bytes:
    return b"data: %b\n\n" % pydantic_core.to_json(value)
