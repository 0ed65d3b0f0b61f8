"""The Responses dialect (``POST /v1/responses``)."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from acm_workers.simulator import web_search
from acm_workers.simulator.limits import duration
from acm_workers.simulator.messages import (
    DialectName,
    Headers,
    LimitState,
    ModelReply,
    ModelRequest,
    ParsedRequest,
    RequestRefused,
    Thinking,
    header,
)
from acm_workers.simulator.request_fields import (
    bearer,
    budget,
    mapping,
    mappings,
    named_schema,
    refuse_unsupported,
    required,
    search_limit,
    turns_of,
)

NAME: Final[DialectName] = "openai"
BAD_KEY_STATUS: Final = 401

_SOURCES: Final = "web_search_call.action.sources"


def read(sent: ParsedRequest) -> ModelRequest:
    """Parse the body of a request; see ``Dialect``."""
    body = sent.body
    model = required(body, "model", str)
    given = required(body, "input", str, list)
    turns = turns_of(
        [{"role": "user", "content": given}] if isinstance(given, str) else mappings(given),
        [body["instructions"]] if isinstance(body.get("instructions"), str) else (),
    )
    form = mapping(mapping(body.get("text")).get("format"))
    reasoning = mapping(body.get("reasoning"))
    background, stored = bool(body.get("background")), body.get("store") is not False
    streamed = bool(body.get("stream"))
    if background and streamed:
        refuse_unsupported(body, "stream")
    if background and not stored:
        raise RequestRefused("Background mode requires store=true.", param="store")
    return ModelRequest(
        model=model,
        prompt=turns.prompt,
        input_chars=turns.chars,
        schema=named_schema(form, "text.format") if form.get("type") == "json_schema" else None,
        max_tokens=budget(body, "max_output_tokens"),
        body=body,
        assistant_text=turns.assistant_text,
        searches=_searches(body),
        thinking=_thinking(reasoning),
        shows_thoughts=bool(reasoning.get("summary") or reasoning.get("generate_summary")),
        background=background,
        stored=stored,
        streamed=streamed,
        stream_usage=streamed,
    )


def write(request: ModelRequest, reply: ModelReply) -> dict[str, Any]:
    """Return the JSON of an answer; see ``Dialect``."""
    body, status = request.body, "incomplete" if reply.cut else "completed"
    reasoning, text = mapping(body.get("reasoning")), mapping(body.get("text"))
    answer = {
        "id": f"resp_{reply.id}",
        "object": "response",
        "created_at": reply.created,
        "completed_at": None if reply.cut else reply.created,
        "status": status,
        "background": request.background,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if reply.cut else None,
        "instructions": body.get("instructions"),
        "max_output_tokens": request.max_tokens,
        "max_tool_calls": body.get("max_tool_calls"),
        "metadata": body.get("metadata") or {},
        "model": request.model,
        "output": _output(request, reply, status),
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": reasoning.get("effort"), "summary": reasoning.get("summary")},
        "service_tier": "default",
        "store": request.stored,
        "temperature": body.get("temperature"),
        "text": {"format": text.get("format") or {"type": "text"}, "verbosity": "medium"},
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools") or [],
        "top_p": body.get("top_p"),
        "truncation": "disabled",
        "usage": _usage(reply),
    }
    if reply.search:
        answer["tool_usage"] = {"web_search": {"num_requests": len(reply.search.queries)}}
    return answer


def pending(final: Mapping[str, Any], status: str) -> dict[str, Any]:
    """Return the response ``final`` as it looks while it is pending or cancelled."""
    seen = {name: value for name, value in final.items() if name != "tool_usage"}
    return {
        **seen,
        "status": status,
        "completed_at": None,
        "error": None,
        "incomplete_details": None,
        "output": [],
        "usage": None,
    }


def _searches(body: Mapping[str, Any]) -> int:
    offered = any(
        str(tool.get("type")).startswith("web_search") for tool in mappings(body.get("tools"))
    )
    wanted = offered and body.get("tool_choice") != "none"
    return search_limit(body.get("max_tool_calls")) if wanted else 0


def _thinking(reasoning: Mapping[str, Any]) -> Thinking:
    if reasoning.get("effort") == "none":
        return "off"
    return "on" if reasoning else "default"


def _output(request: ModelRequest, reply: ModelReply, status: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.reasoning_tokens:
        summary = [{"type": "summary_text", "text": reply.thoughts}] if reply.thoughts else []
        items.append({"id": f"rs_{reply.id}", "type": "reasoning", "summary": summary})
    if reply.search:
        items += _search_calls(request, reply, reply.search)
    if reply.text:  # a budget that went on reasoning leaves no message at all
        part = {
            "type": "output_text",
            "text": reply.text,
            "annotations": _annotations(reply) if reply.search else [],
            "logprobs": [],
        }
        items.append(
            {
                "id": f"msg_{reply.id}",
                "type": "message",
                "status": status,
                "role": "assistant",
                "content": [part],
            }
        )
    return items


def _search_calls(
    request: ModelRequest, reply: ModelReply, search: web_search.WebSearch
) -> list[dict[str, Any]]:
    with_sources = _SOURCES in (request.body.get("include") or ())
    actions: list[dict[str, Any]] = []
    for query, pages in zip(search.queries, search.found, strict=True):
        action: dict[str, Any] = {"type": "search", "query": query, "queries": [query]}
        if with_sources:
            action["sources"] = [{"type": "url", "url": page.url} for page in pages]
        actions.append(action)
    if search.pages:
        actions.append({"type": "open_page", "url": search.pages[0].url})  # not billed
    return [
        {
            "id": f"ws_{reply.id}{place:02d}",
            "type": "web_search_call",
            "status": "completed",
            "action": action,
        }
        for place, action in enumerate(actions)
    ]


def _annotations(reply: ModelReply) -> list[dict[str, Any]]:
    if reply.search is None or reply.is_json:
        return []
    pages = reply.search.pages
    return [
        {
            "type": "url_citation",
            "url": pages[cited.page].url,
            "title": pages[cited.page].title,
            "start_index": cited.start,
            "end_index": cited.end,
        }
        for cited in web_search.citations(reply.text, reply.search)
    ]


def _usage(reply: ModelReply) -> dict[str, Any]:
    read_tokens, written = reply.all_input_tokens, reply.output_tokens
    return {
        "input_tokens": read_tokens,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
        "total_tokens": read_tokens + written,
    }


def error(refused: RequestRefused, request_id: str) -> bytes:
    """Return the body of an error; see ``Dialect``."""
    return error_body(refused.message, refused.type, refused.code, refused.param)


def error_body(
    message: str, type: str | None, code: str | None = None, param: str | None = None
) -> bytes:
    """Return an error body as every OpenAI endpoint writes it."""
    found: dict[str, Any] = {"message": message, "type": type, "param": param, "code": code}
    return json.dumps({"error": found}, indent=2).encode()


def key(sent_headers: Sequence[tuple[bytes, bytes]]) -> bytes | None:
    """Return the API key; Azure uses a different header."""
    return bearer(sent_headers) or header(sent_headers, b"api-key")


def limit_headers(states: Sequence[LimitState], wall: float) -> Headers:
    """Return ``x-ratelimit-*`` headers; see ``Dialect``."""
    headers: Headers = []
    for state in states:
        kind = state.kind.encode()
        headers.append((b"x-ratelimit-limit-" + kind, b"%d" % state.most))
        headers.append((b"x-ratelimit-remaining-" + kind, b"%d" % state.remaining))
        headers.append((b"x-ratelimit-reset-" + kind, duration(state.reset_s).encode()))
    return headers


def retry_headers(wait_s: float) -> Headers:
    """Return the headers with the wait, in milliseconds and in whole seconds."""
    return [
        (b"retry-after-ms", b"%d" % math.ceil(wait_s * 1000)),
        (b"retry-after", b"%d" % math.ceil(wait_s)),
    ]


def id_headers(request_id: str, took_s: float) -> Headers:
    """Return the headers that every answer has."""
    return [
        (b"x-request-id", request_id.encode()),
        (b"openai-processing-ms", b"%d" % (took_s * 1000)),
    ]
