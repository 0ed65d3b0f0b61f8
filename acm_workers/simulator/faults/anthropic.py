"""Faults A1 to A21, of Anthropic: refusals, unusual answers and message batches."""

import json
from datetime import UTC, datetime
from typing import Any, Final

from acm_workers.simulator import request_fields
from acm_workers.simulator.dialects.anthropic import error_body, text_blocks
from acm_workers.simulator.faults import fault
from acm_workers.simulator.faults.fault import (
    FaultDefinition,
    FaultyRequest,
    changed_body,
    changed_reply,
    impossible,
)
from acm_workers.simulator.messages import (
    DialectName,
    Headers,
    HttpAnswer,
    ModelReply,
    ModelRequest,
)
from acm_workers.simulator.request_fields import mapping

_HERE: Final[tuple[DialectName, ...]] = ("anthropic",)
_RETRY: Final[Headers] = [(b"retry-after", b"1")]
_BAD: Final = "invalid_request_error"
_SAMPLING: Final = ("temperature", "top_p", "top_k")
_MONEY: Final = {
    "contract": (429, "rate_limit_error", "contract_spend_limit_reached"),
    "enforced": (429, "rate_limit_error", "enforced_spend_limit_reached"),
    "billing": (402, "billing_error", "linked_organization_payment_failed"),
    "credit": (400, _BAD, None),
}
_SCHEMA: Final = {
    "complex": "The schema is too complex. Please simplify it.",
    "grammar": "The compiled grammar is too large.",
}


_SEARCH_ERRORS: Final = ("too_many_requests", "unavailable", "max_uses_exceeded")


def _says(
    case: FaultyRequest, status: int, type: str, message: str, code: str | None = None
) -> HttpAnswer:
    return case.refused(status, error_body(type, message, case.request_id, code))


def _limited(case: FaultyRequest) -> HttpAnswer:
    reset = datetime.fromtimestamp(int(case.wall) + 1, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    headers = [
        *_RETRY,
        (b"anthropic-ratelimit-requests-limit", b"50"),
        (b"anthropic-ratelimit-requests-remaining", b"0"),
        (b"anthropic-ratelimit-requests-reset", reset.encode()),
    ]
    message = "This request would exceed your organization's rate limit of 50 requests per minute."
    return HttpAnswer(429, error_body("rate_limit_error", message, case.request_id), headers)


def _ramp(case: FaultyRequest) -> HttpAnswer:
    body = error_body(
        "rate_limit_error", "Please ramp up gradually.", case.request_id, "ramp_limit_exceeded"
    )
    return case.refused(429, body, _RETRY)


def _money(case: FaultyRequest) -> HttpAnswer:
    status, type, code = _MONEY[case.variant]
    message = "Your credit balance is too low to access the Anthropic API."
    return _says(case, status, type, message, code)


def _overloaded(case: FaultyRequest) -> HttpAnswer:
    body = error_body("overloaded_error", "Overloaded", case.request_id)
    return case.refused(529, body, _RETRY if case.variant == "told" else [])


def _broken(case: FaultyRequest) -> HttpAnswer:
    if case.variant == "504":
        return _says(case, 504, "timeout_error", "The request timed out.")
    return _says(case, 500, "api_error", "Internal server error")


def _sampling(case: FaultyRequest) -> HttpAnswer:
    param = next(param for param in _SAMPLING if param in case.request.body)
    return _says(case, 400, _BAD, f"{param}: Extra inputs are not permitted")


def _thinking(case: FaultyRequest) -> HttpAnswer:
    kind = mapping(case.request.body.get("thinking"))["type"]
    message = (
        f'"thinking.type.{kind}" is not supported for this model. '
        'Use "thinking.type.adaptive" and "output_config.effort" to control thinking.'
    )
    return _says(case, 400, _BAD, message)


def _forced(case: FaultyRequest) -> HttpAnswer:
    kind = mapping(case.request.body.get("tool_choice"))["type"]
    return _says(case, 400, _BAD, f"tool_choice.type.{kind} is not supported for this model.")


def _schema(case: FaultyRequest) -> HttpAnswer:
    return _says(case, 400, _BAD, f"output_config.format.schema: {_SCHEMA[case.variant]}")


def _citations(case: FaultyRequest) -> HttpAnswer:
    return _says(case, 400, _BAD, "Citations cannot be enabled together with output_config.format.")


def _too_large(case: FaultyRequest) -> HttpAnswer:
    return _says(case, 413, "request_too_large", "Request exceeds the maximum size")


def _samples(request: ModelRequest, _: ModelReply) -> bool:
    return any(param in request.body for param in _SAMPLING)


def _sets_thinking(request: ModelRequest, _: ModelReply) -> bool:
    return mapping(request.body.get("thinking")).get("type") in ("enabled", "disabled")


def _forces(request: ModelRequest, _: ModelReply) -> bool:
    return mapping(request.body.get("tool_choice")).get("type") in ("any", "tool")


def _has_schema(request: ModelRequest, _: ModelReply) -> bool:
    return request.schema is not None


def _declined(_: FaultyRequest, body: dict[str, Any]) -> None:
    words = "The request was declined for reasons of safety."
    body |= {
        "content": [],
        "stop_reason": "refusal",
        "stop_details": {"type": "refusal", "category": "general_harms", "explanation": words},
    }


def _paused(case: FaultyRequest, body: dict[str, Any]) -> None:
    """Stop in mid-text; the rest travels with the last search result, which is handed back."""
    text, stored = case.reply.text, len(case.reply.text) // 2
    blocks = [block for block in body["content"] if block["type"] != "text"]
    if blocks and blocks[-1]["type"] == "web_search_tool_result":
        blocks[-1]["content"][-1]["encrypted_content"] = request_fields.pack_continuation(
            text[stored:]
        )
    body["content"] = blocks + text_blocks(text[:stored], None)
    body["stop_reason"] = "pause_turn"


def _out_of_window(_: FaultyRequest, body: dict[str, Any]) -> None:
    body["stop_reason"] = "model_context_window_exceeded"


def _empty(_: FaultyRequest, body: dict[str, Any]) -> None:
    body["content"] = []


def _search_failed(case: FaultyRequest, body: dict[str, Any]) -> None:
    for block in body["content"]:
        if block["type"] == "web_search_tool_result":
            block["content"] = {
                "type": "web_search_tool_result_error",
                "error_code": case.variant,
            }
        block.pop("citations", None)
    body["usage"]["server_tool_use"]["web_search_requests"] = 0


def _tool_used(case: FaultyRequest, body: dict[str, Any]) -> None:
    call = {"type": "tool_use", "id": f"toolu_{case.reply.id}", "name": "submit", "input": {}}
    body |= {"content": [call], "stop_reason": "tool_use"}


def _streamed(case: FaultyRequest) -> HttpAnswer:
    """Answer with events, whether they were requested or not, and never come to their end."""
    message = {**case.whole(), "content": [], "stop_reason": None}
    delta = {"type": "text_delta", "text": case.reply.text[:200]}
    started = {"type": "text", "text": ""}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": started},
        {"type": "content_block_delta", "index": 0, "delta": delta},
    ]
    if case.variant == "error":
        error = {"type": "overloaded_error", "message": "Overloaded"}
        events.append({"type": "error", "error": error})
    stream = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)
    return HttpAnswer(200, stream.encode(), case.headers, b"text/event-stream", billed=True)


def _searches(_: ModelRequest, reply: ModelReply) -> bool:
    return reply.search is not None


def _never(_: ModelRequest, __: ModelReply) -> bool:
    return False  # the batch as a whole meets it, not a request


FAULTS: Final = (
    FaultDefinition("A1", "429 rate_limit_error with the limits' headers", _limited, _HERE),
    FaultDefinition("A2", "429 ramp_limit_exceeded", _ramp, _HERE),
    FaultDefinition("A3", "no credit: 429, 402 or 400", _money, _HERE, variants=tuple(_MONEY)),
    FaultDefinition("A4", "529 overloaded_error", _overloaded, _HERE, variants=("untold", "told")),
    FaultDefinition(
        "A5", "500 api_error or 504 timeout_error", _broken, _HERE, variants=("500", "504")
    ),
    FaultDefinition(
        "A6", "400, sampling is not accepted", _sampling, _HERE, _samples, "a temperature"
    ),
    FaultDefinition(
        "A7",
        "400, this kind of thinking is not accepted",
        _thinking,
        _HERE,
        _sets_thinking,
        "thinking enabled or disabled",
    ),
    FaultDefinition("A8", "400, no tool can be forced", _forced, _HERE, _forces, "a forced tool"),
    FaultDefinition(
        "A9",
        "400, the schema is too complex",
        _schema,
        _HERE,
        _has_schema,
        "a schema",
        variants=tuple(_SCHEMA),
    ),
    FaultDefinition(
        "A10", "400, citations with a schema", _citations, _HERE, _has_schema, "a schema"
    ),
    FaultDefinition("A11", "413 request_too_large", _too_large, _HERE),
    FaultDefinition("A12", "max_tokens in mid-text", changed_reply(fault.cut_in_half), _HERE),
    FaultDefinition(
        "A13", "max_tokens with thinking only", changed_reply(fault.only_reasoning), _HERE
    ),
    FaultDefinition("A14", "refusal with stop_details", changed_body(_declined), _HERE),
    FaultDefinition("A15", "pause_turn", changed_body(_paused), _HERE, _searches, "web search"),
    FaultDefinition("A16", "model_context_window_exceeded", changed_body(_out_of_window), _HERE),
    FaultDefinition("A17", "end_turn without content", changed_body(_empty), _HERE),
    FaultDefinition(
        "A18",
        "the result of the web search is an error",
        changed_body(_search_failed),
        _HERE,
        _searches,
        "web search",
        variants=_SEARCH_ERRORS,
    ),
    FaultDefinition(
        "A19", "tool_use although no tool was offered", changed_body(_tool_used), _HERE
    ),
    FaultDefinition(
        "A20",
        "an event stream with an error in it, or without an end",
        _streamed,
        _HERE,
        variants=("error", "cut"),
    ),
    FaultDefinition(
        "A21",
        "a batch with a request that failed, in another order, or with one twice",
        impossible,
        ("openai", "anthropic", "google"),
        _never,
        "a message batch",
        variants=("errored", "expired", "canceled", "order", "duplicate"),
    ),
)
