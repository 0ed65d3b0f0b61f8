"""Faults G1 to G19, of Google: refusals and unusual answers."""

import json
from typing import Any, Final

from acm_workers.simulator import request_fields
from acm_workers.simulator.dialects.google import (
    TOOLS_WITH_JSON,
    error_body,
    invalid_key,
    retry_info,
)
from acm_workers.simulator.faults import fault
from acm_workers.simulator.faults.fault import (
    Act,
    FaultDefinition,
    FaultyRequest,
    changed_body,
    changed_reply,
)
from acm_workers.simulator.messages import DialectName, HttpAnswer, ModelReply, ModelRequest
from acm_workers.simulator.request_fields import mapping

_HERE: Final[tuple[DialectName, ...]] = ("google",)
_METRIC: Final = "generativelanguage.googleapis.com/generate_content_requests"
_EXCEEDED: Final = "You exceeded your current quota, please check your plan and billing details."
_DELAYS: Final = {"long": "37s", "brief": "0.3s"}


_STOPPED: Final = ("safety", "prohibited_content", "spii", "blocklist")
_ODD: Final = (
    "malformed_response",
    "other",
    "language",
    "unexpected_tool_call",
    "too_many_tool_calls",
)
_THOUGHT: Final = "Now the second half."


def _quota(id: str) -> dict[str, Any]:
    violation = {"quotaMetric": _METRIC, "quotaId": id, "quotaValue": "50"}
    kind = "type.googleapis.com/google.rpc.QuotaFailure"
    return {"@type": kind, "violations": [violation]}


def _limited(case: FaultyRequest) -> HttpAnswer:
    details = [_quota("GenerateRequestsPerMinutePerProjectPerModel")]
    details.append(retry_info(_DELAYS[case.variant]))
    return case.refused(429, error_body(429, _EXCEEDED, details))


def _daily(case: FaultyRequest) -> HttpAnswer:
    details = [_quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), retry_info("21s")]
    return case.refused(429, error_body(429, _EXCEEDED, details))


def _untold(case: FaultyRequest) -> HttpAnswer:
    return case.refused(429, error_body(429, "Resource has been exhausted (e.g. check quota)."))


def _broken(case: FaultyRequest) -> HttpAnswer:
    if case.variant == "500":
        return case.refused(500, error_body(500, "An internal error has occurred."))
    return case.refused(503, error_body(503, "The model is overloaded. Please try again later."))


def _tools_with_json(case: FaultyRequest) -> HttpAnswer:
    return case.refused(400, error_body(400, TOOLS_WITH_JSON))


def _thinking(case: FaultyRequest) -> HttpAnswer:
    kind = (
        "Thinking level" if "thinkingLevel" in _thinking_config(case.request) else "Thinking budget"
    )
    return case.refused(400, error_body(400, f"{kind} is not supported for this model."))


def _key(case: FaultyRequest) -> HttpAnswer:
    return case.refused(400, invalid_key())


def _list(case: FaultyRequest) -> HttpAnswer:
    error = json.loads(error_body(503, "The model is overloaded. Please try again later."))
    return case.refused(503, json.dumps([error]).encode())


def _thinking_config(request: ModelRequest) -> Any:
    return mapping(mapping(request.body.get("generationConfig")).get("thinkingConfig"))


def _sets_thinking(request: ModelRequest, _: ModelReply) -> bool:
    config = _thinking_config(request)
    return "thinkingLevel" in config or "thinkingBudget" in config


def _searches_with_json(request: ModelRequest, _: ModelReply) -> bool:
    config = mapping(request.body.get("generationConfig"))
    return request.searches > 0 and ("responseMimeType" in config or "responseFormat" in config)


def _blocked(_: FaultyRequest, body: dict[str, Any]) -> None:
    del body["candidates"]
    body["promptFeedback"] = {"blockReason": "PROHIBITED_CONTENT"}
    read = body["usageMetadata"]["promptTokenCount"]
    body["usageMetadata"] = {"promptTokenCount": read, "totalTokenCount": read}


def _stopped(case: FaultyRequest, body: dict[str, Any]) -> None:
    body["candidates"] = [{"finishReason": case.variant.upper(), "index": 0}]


def _recitation(_: FaultyRequest, body: dict[str, Any]) -> None:
    body["candidates"] = [{"finishReason": "RECITATION", "index": 0}]


def _empty(case: FaultyRequest, body: dict[str, Any]) -> None:
    candidate = body["candidates"][0]
    if case.variant == "parts":
        candidate["content"]["parts"] = []
    elif case.variant == "keyless":
        del candidate["content"]["parts"]
    else:
        del candidate["content"]


def _continued(case: FaultyRequest, body: dict[str, Any]) -> None:
    text, stored = case.reply.text, len(case.reply.text) // 2
    candidate = body["candidates"][0]
    candidate |= {
        "finishReason": "CONTINUATION",
        "continuationToken": request_fields.pack_continuation(text[stored:]),
    }
    candidate["content"]["parts"] = [{"text": text[:stored]}]


def _ungrounded(case: FaultyRequest, body: dict[str, Any]) -> None:
    candidate, usage = body["candidates"][0], body["usageMetadata"]
    candidate["groundingMetadata"] = {}
    if case.variant == "missing":
        del candidate["groundingMetadata"]
    usage["totalTokenCount"] -= usage.pop("toolUsePromptTokenCount", 0)


def _chunkless(_: FaultyRequest, body: dict[str, Any]) -> None:
    found = body["candidates"][0]["groundingMetadata"]
    found.pop("groundingChunks", None)
    found.pop("groundingSupports", None)


def _split(case: FaultyRequest, body: dict[str, Any]) -> None:
    """Send the text in six parts, two of which are halves of one word, with a thought between."""
    text = case.reply.text
    size = len(text) // 6 + 1
    parts: list[dict[str, Any]] = [
        {"text": text[start : start + size]} for start in range(0, len(text), size)
    ]
    parts.insert(len(parts) // 2, {"text": _THOUGHT, "thought": True})
    body["candidates"][0]["content"]["parts"] = parts


def _without_candidates_count(_: FaultyRequest, body: dict[str, Any]) -> None:
    usage = body["usageMetadata"]
    usage["totalTokenCount"] -= usage.pop("candidatesTokenCount")


def _searches(_: ModelRequest, reply: ModelReply) -> bool:
    return reply.search is not None


def _plain(number: str, title: str, act: Act, variants: tuple[str, ...] = ()) -> FaultDefinition:
    return FaultDefinition(number, title, act, _HERE, variants=variants)


FAULTS: Final = (
    FaultDefinition(
        "G1", "429 with RetryInfo in the body", _limited, _HERE, variants=tuple(_DELAYS)
    ),
    FaultDefinition("G2", "429, the day's quota is used up", _daily, _HERE),
    FaultDefinition("G3", "429 without details", _untold, _HERE),
    FaultDefinition(
        "G4", "503 UNAVAILABLE or 500 INTERNAL", _broken, _HERE, variants=("503", "500")
    ),
    FaultDefinition(
        "G5",
        "400, no search together with JSON",
        _tools_with_json,
        _HERE,
        _searches_with_json,
        "web search with a schema",
    ),
    FaultDefinition(
        "G6",
        "400, thinking level or budget is not accepted",
        _thinking,
        _HERE,
        _sets_thinking,
        "a thinking level or budget",
    ),
    FaultDefinition("G7", "400 API_KEY_INVALID", _key, _HERE),
    FaultDefinition("G18", "an error inside a list", _list, _HERE),
    _plain("G8", "the prompt is blocked, no candidates", changed_body(_blocked)),
    _plain("G9", "stopped for safety, no parts", changed_body(_stopped), _STOPPED),
    _plain("G10", "RECITATION", changed_body(_recitation)),
    _plain("G11", "MAX_TOKENS with thoughts only", changed_reply(fault.only_reasoning)),
    _plain(
        "G12",
        "STOP with empty parts, without parts or without content",
        changed_body(_empty),
        ("parts", "keyless", "contentless"),
    ),
    _plain("G13", "an odd finish reason", changed_body(_stopped), _ODD),
    _plain("G14", "CONTINUATION with a token", changed_body(_continued)),
    FaultDefinition(
        "G15",
        "grounding metadata empty or missing",
        changed_body(_ungrounded),
        _HERE,
        _searches,
        "web search",
        variants=("empty", "missing"),
    ),
    FaultDefinition(
        "G16",
        "search queries without chunks",
        changed_body(_chunkless),
        _HERE,
        _searches,
        "web search",
    ),
    _plain("G17", "text in six parts, a thought among them", changed_body(_split)),
    _plain("G19", "usage without candidatesTokenCount", changed_body(_without_candidates_count)),
)
