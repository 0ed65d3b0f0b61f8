"""The generateContent dialect (``POST /v1beta/models/MODEL:generateContent``)."""

import json
import re
from collections.abc import Mapping, Sequence
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
from acm_workers.simulator.model_names import parse
from acm_workers.simulator.request_fields import (
    budget,
    mapping,
    mappings,
    required,
    search_limit,
    text_of,
    turns_of,
)

NAME: Final[DialectName] = "google"
BAD_KEY_STATUS: Final = 400
METHOD: Final = ":generateContent"
TOOLS_WITH_JSON: Final = "Tool use with a response mime type: 'application/json' is unsupported"

_JSON: Final = "application/json"
_LONG: Final = 1500
_OLD: Final = re.compile(r"(?:models/)?gemini-[12]\b")
_REDIRECT: Final = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"
_STATUSES: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def read(sent: ParsedRequest) -> ModelRequest:
    """Parse the body of a request; see ``Dialect``."""
    body, model = sent.body, sent.path.rpartition("/models/")[2].removesuffix(METHOD)
    system = text_of(
        mapping(body.get("systemInstruction") or body.get("system_instruction")).get("parts")
    )
    turns = turns_of(
        (
            {
                "role": "assistant" if turn.get("role") == "model" else "user",
                "content": turn.get("parts"),
            }
            for turn in mappings(required(body, "contents", list))
        ),
        [system] if system else (),
    )
    config = mapping(body.get("generationConfig"))
    thinking = mapping(config.get("thinkingConfig"))
    searches = _searches(body)
    schema = _schema(config)
    if searches and _wants_json(config) and _OLD.match(parse(model).base):
        raise RequestRefused(TOOLS_WITH_JSON)
    return ModelRequest(
        model=model,
        prompt=turns.prompt,
        input_chars=turns.chars,
        schema=schema,
        max_tokens=budget(config, "maxOutputTokens"),
        body=body,
        assistant_text=turns.assistant_text,
        searches=searches,
        thinking=_thinking(thinking),
        shows_thoughts=bool(thinking.get("includeThoughts")),
        continuation=request_fields.unpack_continuation(body.get("continuationToken")),
    )


def write(request: ModelRequest, reply: ModelReply) -> dict[str, Any]:
    """Return the JSON of an answer; see ``Dialect``."""
    parts = [{"text": text} for text in _halves(reply.text)]
    if reply.thoughts:
        parts.insert(0, {"text": reply.thoughts, "thought": True})  # type: ignore[dict-item]
    candidate: dict[str, Any] = {
        "content": {"role": "model", "parts": parts},
        "finishReason": "MAX_TOKENS" if reply.cut else "STOP",
        "index": 0,
    }
    if reply.search:
        candidate["groundingMetadata"] = _grounding(reply, reply.search, parts)
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(reply),
        "modelVersion": request.model,
        "responseId": reply.id,
    }


def error(refused: RequestRefused, request_id: str) -> bytes:
    """Return the body of an error; see ``Dialect``."""
    details: list[dict[str, Any]] = []
    if refused.wait_s is not None:
        details.append(retry_info(f"{refused.wait_s:.3f}s"))
    if refused.code == "invalid_api_key":
        return invalid_key()
    return error_body(refused.status, refused.message, details)


def error_body(
    status: int, message: str, details: Sequence[Mapping[str, Any]] = (), name: str | None = None
) -> bytes:
    """Return an error body as Google's endpoints write it."""
    name = name or _STATUSES.get(status, "UNKNOWN")
    found: dict[str, Any] = {"code": status, "message": message, "status": name}
    if details:
        found["details"] = list(details)
    return json.dumps({"error": found}, indent=2).encode()


def invalid_key() -> bytes:
    """Return the error body for an invalid key, which comes with status 400."""
    reason = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
    }
    return error_body(400, "API key not valid. Please pass a valid API key.", [reason])


def retry_info(delay: str) -> dict[str, Any]:
    """Return the detail of an error that states the time to wait."""
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def key(sent_headers: Sequence[tuple[bytes, bytes]]) -> bytes | None:
    """Return the API key, if one was sent."""
    return header(sent_headers, b"x-goog-api-key")


def limit_headers(states: Sequence[LimitState], wall: float) -> Headers:
    """Return no headers, because Google reports limits only in error bodies."""
    return []


def retry_headers(wait_s: float) -> Headers:
    """Return no headers, because the wait is in the body."""
    return []


def id_headers(request_id: str, took_s: float) -> Headers:
    """Return the headers that every answer has."""
    return [(b"server-timing", b"gfet4t7; dur=%d" % (took_s * 1000))]


def _schema(config: Mapping[str, Any]) -> Mapping[str, Any] | None:
    text = mapping(mapping(config.get("responseFormat")).get("text"))
    given = config.get("responseJsonSchema") or config.get("responseSchema") or text.get("schema")
    if given is None:
        return None
    if not _wants_json(config):
        raise RequestRefused("response_json_schema is only supported with response_mime_type JSON.")
    return mapping(given)


def _wants_json(config: Mapping[str, Any]) -> bool:
    text = mapping(mapping(config.get("responseFormat")).get("text"))
    return config.get("responseMimeType") == _JSON or text.get("mimeType") == "APPLICATION_JSON"


def _searches(body: Mapping[str, Any]) -> int:
    tools = mappings(body.get("tools"))
    offered = any("googleSearch" in tool or "google_search" in tool for tool in tools)
    return search_limit(None) if offered else 0


def _thinking(thinking: Mapping[str, Any]) -> Thinking:
    if "thinkingLevel" in thinking and "thinkingBudget" in thinking:
        raise RequestRefused("You can only set one of thinking_budget and thinking_level.")
    if thinking.get("thinkingBudget") == 0:
        return "off"
    return "on" if thinking else "default"


def _halves(text: str) -> list[str]:
    """Return ``text`` in the parts in which it is sent; a long text has two parts."""
    if len(text) < _LONG:
        return [text] if text else []
    gap = text.find("\n\n", len(text) // 2)
    middle = gap + 2 if gap > 0 else len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]


def _grounding(
    reply: ModelReply, search: web_search.WebSearch, parts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "webSearchQueries": list(search.queries),
        "searchEntryPoint": {"renderedContent": "<div>Search suggestions</div>"},
    }
    if reply.is_json:
        return found  # the real ones leave out the rest then, nearly always
    supports = _supports(search, parts)
    found["groundingChunks"] = [
        {"web": {"uri": _REDIRECT + reply.id + f"{place:02d}", "title": page.url.split("/")[2]}}
        for place, page in enumerate(search.pages)
    ]
    found["groundingSupports"] = supports
    return found


def _supports(
    search: web_search.WebSearch, parts: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return which bytes of the first text part are based on which page."""
    place = next((place for place, part in enumerate(parts) if not part.get("thought")), 0)
    text = str(parts[place]["text"]) if parts else ""
    return [
        {
            "segment": {
                "partIndex": place,
                "startIndex": len(text[: cited.start].encode()),
                "endIndex": len(text[: cited.end].encode()),
                "text": text[cited.start : cited.end],
            },
            "groundingChunkIndices": [cited.page],
        }
        for cited in web_search.citations(text, search)
    ]


def _usage(reply: ModelReply) -> dict[str, Any]:
    usage = {"promptTokenCount": reply.input_tokens, "candidatesTokenCount": reply.text_tokens}
    if reply.search:
        usage["toolUsePromptTokenCount"] = reply.search.tokens
    if reply.reasoning_tokens:
        usage["thoughtsTokenCount"] = reply.reasoning_tokens
    usage["totalTokenCount"] = sum(usage.values())
    return usage
