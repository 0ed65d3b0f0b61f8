"""The Messages dialect (``POST /v1/messages``), in both of its versions."""

import base64
import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from acm_workers.simulator import request_fields, web_search
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
    refuse_unsupported,
    required,
    search_limit,
    text_of,
    turns_of,
)

NAME: Final[DialectName] = "anthropic"
BAD_KEY_STATUS: Final = 401
VERSIONS: Final = (b"2023-06-01", b"2026-10-21")

_NEWEST: Final = b"2026-10-21"
_SAMPLING: Final = ("temperature", "top_p", "top_k")
_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def read(sent: ParsedRequest) -> ModelRequest:
    """Parse the body of a request; see ``Dialect``."""
    body = sent.body
    _check_version(sent)
    refuse_unsupported(body, "stream")
    model = required(body, "model", str)
    if body.get("max_tokens") is None:
        raise RequestRefused("max_tokens: Field required")
    turns = mappings(required(body, "messages", list))
    system = text_of(body.get("system"))
    spoken = turns_of(turns, [system] if system else ())
    output, thinking = mapping(body.get("output_config")), mapping(body.get("thinking"))
    form = mapping(output.get("format"))
    schema = form.get("schema") if form.get("type") == "json_schema" else None
    if schema is None and form:
        raise RequestRefused("output_config.format.schema: Field required")
    return ModelRequest(
        model=model,
        prompt=spoken.prompt,
        input_chars=spoken.chars,
        schema=schema,
        max_tokens=budget(body, "max_tokens"),
        body=body,
        assistant_text=spoken.assistant_text,
        searches=_searches(body),
        thinking=_thinking(thinking, output.get("effort")),
        shows_thoughts=thinking.get("display") == "summarized",
        continuation=_continuation(turns),
    )


def write(request: ModelRequest, reply: ModelReply) -> dict[str, Any]:
    """Return the JSON of an answer; see ``Dialect``."""
    return {
        "id": f"msg_{reply.id}",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": _content(reply),
        "stop_reason": "max_tokens" if reply.cut else "end_turn",
        "stop_sequence": None,
        "stop_details": None,
        "usage": _usage(reply),
        "container": None,
    }


def error(refused: RequestRefused, request_id: str) -> bytes:
    """Return the body of an error; see ``Dialect``."""
    return error_body(_TYPES.get(refused.status, "api_error"), refused.message, request_id)


def error_body(type: str, message: str, request_id: str, code: str | None = None) -> bytes:
    """Return an error body as the Messages endpoint writes it."""
    found: dict[str, Any] = {"type": type, "message": message}
    if code is not None:
        found["details"] = {"error_code": code}
    return json.dumps({"type": "error", "error": found, "request_id": request_id}).encode()


def key(sent_headers: Sequence[tuple[bytes, bytes]]) -> bytes | None:
    """Return the API key; ``x-api-key`` takes precedence over a bearer token."""
    return header(sent_headers, b"x-api-key") or bearer(sent_headers)


def limit_headers(states: Sequence[LimitState], wall: float) -> Headers:
    """Return ``anthropic-ratelimit-*`` headers; see ``Dialect``."""
    headers: Headers = []
    for state in states:
        reset = datetime.fromtimestamp(math.ceil(wall + state.reset_s), UTC)
        name = b"anthropic-ratelimit-" + state.kind.encode()
        headers.append((name + b"-limit", b"%d" % state.most))
        headers.append((name + b"-remaining", b"%d" % state.remaining))
        headers.append((name + b"-reset", reset.strftime("%Y-%m-%dT%H:%M:%SZ").encode()))
    return headers


def retry_headers(wait_s: float) -> Headers:
    """Return a header with the wait in whole seconds."""
    return [(b"retry-after", b"%d" % math.ceil(wait_s))]


def id_headers(request_id: str, took_s: float) -> Headers:
    """Return the headers that every answer has."""
    return [(b"request-id", request_id.encode()), (b"anthropic-organization-id", b"simulated")]


def text_blocks(text: str, search: web_search.WebSearch | None) -> list[dict[str, Any]]:
    """Return ``text`` as blocks; a sentence that is based on a page is a separate block."""
    if search is None:
        return [{"type": "text", "text": text}] if text else []
    blocks: list[dict[str, Any]] = []
    done = 0
    for cited in web_search.citations(text, search):
        if done < cited.start:
            blocks.append({"type": "text", "text": text[done : cited.start]})
        said = text[cited.start : cited.end]
        citation = _citation(search.pages[cited.page], said)
        blocks.append({"type": "text", "text": said, "citations": [citation]})
        done = cited.end
    if text[done:]:
        blocks.append({"type": "text", "text": text[done:]})
    return blocks


def _citation(page: web_search.FoundPage, said: str) -> dict[str, Any]:
    return {
        "type": "web_search_result_location",
        "url": page.url,
        "title": page.title,
        "cited_text": said[:150],
        "encrypted_index": _opaque(page.url),
    }


def _check_version(sent: ParsedRequest) -> None:
    version = header(sent.headers, b"anthropic-version")
    if version not in VERSIONS:
        raise RequestRefused("anthropic-version: header is required")
    if version == _NEWEST:
        for param in _SAMPLING:
            if param in sent.body:
                raise RequestRefused(f"{param}: Extra inputs are not permitted", param=param)


def _searches(body: Mapping[str, Any]) -> int:
    for tool in mappings(body.get("tools")):
        if str(tool.get("type")).startswith("web_search_"):
            return search_limit(tool.get("max_uses"))
    return 0


def _thinking(thinking: Mapping[str, Any], effort: object) -> Thinking:
    wanted = thinking.get("type")
    if wanted in ("disabled", "between_tools"):
        return "off"
    return "on" if wanted or effort else "default"


def _continuation(turns: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the continuation of a paused turn that the client sent back unchanged."""
    last = turns[-1] if turns else {}
    if last.get("role") != "assistant":
        return None
    for block in mappings(last.get("content")):
        for result in mappings(block.get("content")):
            rest = request_fields.unpack_continuation(result.get("encrypted_content"))
            if rest is not None:
                return rest
    raise RequestRefused("This model does not support assistant message prefill.")


def _content(reply: ModelReply) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = []
    if reply.reasoning_tokens:
        signature = _opaque(reply.id)
        content.append({"type": "thinking", "thinking": reply.thoughts, "signature": signature})
    search = reply.search
    if search is not None:
        for place, (query, pages) in enumerate(zip(search.queries, search.found, strict=True)):
            content += _search_blocks(f"srvtoolu_{reply.id}{place:02d}", query, pages)
    return content + text_blocks(reply.text, None if reply.is_json else search)


def _search_blocks(
    id: str, query: str, pages: Sequence[web_search.FoundPage]
) -> tuple[dict[str, Any], ...]:
    results = [
        {
            "type": "web_search_result",
            "url": page.url,
            "title": page.title,
            "page_age": None,
            "encrypted_content": _opaque(page.title),
        }
        for page in pages
    ]
    return (
        {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": query}},
        {"type": "web_search_tool_result", "tool_use_id": id, "content": results},
    )


def _opaque(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _usage(reply: ModelReply) -> dict[str, Any]:
    usage: dict[str, Any] = {
        "input_tokens": reply.all_input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": reply.output_tokens,
        "output_tokens_details": {"thinking_tokens": reply.reasoning_tokens},
        "service_tier": "standard",
    }
    if reply.search:
        searched = len(reply.search.queries)
        usage["server_tool_use"] = {"web_search_requests": searched, "web_fetch_requests": 0}
    return usage
