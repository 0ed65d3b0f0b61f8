"""Faults O1 to O25, of OpenAI: refusals and unusual answers."""

from collections.abc import Mapping
from typing import Any, Final

from acm_workers.simulator.dialects import openai
from acm_workers.simulator.dialects.openai import error_body, retry_headers
from acm_workers.simulator.faults import fault
from acm_workers.simulator.faults.fault import (
    FaultDefinition,
    FaultyRequest,
    Lifecycle,
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

_WAIT_S: Final = 0.25
_MONEY: Final = {
    "quota": "insufficient_quota",
    "balance": "credit_balance_exhausted",
    "billing": "billing_hard_limit_reached",
    "organization": "organization_spend_limit_exceeded",
    "project": "project_spend_limit_exceeded",
    "usage": "organization_usage_limit_exceeded",
}
_EFFORT: Final = {
    "parameter": "Unsupported parameter: '{}' is not supported with this model.",
    "value": "Unsupported value: '{}' must be 'medium' or 'high' with this model.",
}
_EXHAUSTED: Final[Headers] = [
    (b"x-ratelimit-limit-requests", b"500"),
    (b"x-ratelimit-remaining-requests", b"0"),
    (b"x-ratelimit-reset-requests", b"250ms"),
]


_RESPONSES: Final[tuple[DialectName, ...]] = ("openai",)
_BOTH: Final[tuple[DialectName, ...]] = ("openai", "openai_chat")
_NOTE: Final = "I will look at the criteria one by one."


def _refusal(
    case: FaultyRequest, status: int, message: str, type: str, code: str | None
) -> HttpAnswer:
    return case.refused(status, error_body(message, type, code))


def _limited(case: FaultyRequest) -> HttpAnswer:
    body = error_body(
        f"Rate limit reached for {case.request.model} on requests per min (RPM): Limit 500, "
        "Used 500, Requested 1. Please try again in 250ms.",
        "requests",
        "rate_limit_exceeded",
    )
    return HttpAnswer(429, body, [*_EXHAUSTED, *retry_headers(_WAIT_S)])


def _money(case: FaultyRequest) -> HttpAnswer:
    return _refusal(
        case,
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        _MONEY[case.variant],
    )


def _slow_down(case: FaultyRequest) -> HttpAnswer:
    if case.variant == "overloaded":
        return _refusal(
            case,
            503,
            "The server is overloaded. Please try again later.",
            "service_unavailable_error",
            "server_is_overloaded",
        )
    return _refusal(case, 429, "Please ramp up more slowly.", "rate_limit_error", "slow_down")


def _temperature(case: FaultyRequest) -> HttpAnswer:
    message = (
        "Unsupported value: 'temperature' is not supported with this model. "
        "Only the default (1) value is supported."
    )
    body = error_body(message, "invalid_request_error", "unsupported_value", "temperature")
    return case.refused(400, body)


def _effort(case: FaultyRequest) -> HttpAnswer:
    param = "reasoning.effort" if case.dialect.NAME == "openai" else "reasoning_effort"
    words = _EFFORT[case.variant]
    code = f"unsupported_{case.variant}"
    body = error_body(words.format(param), "invalid_request_error", code, param)
    return case.refused(400, body)


def _schema(case: FaultyRequest) -> HttpAnswer:
    chat = case.dialect.NAME == "openai_chat"
    param = "response_format" if chat else "text.format.schema"
    message = f"Invalid schema for {param}: 'additionalProperties' is required to be false."
    body = error_body(message, "invalid_request_error", "invalid_json_schema", param)
    return case.refused(400, body)


def _too_long(case: FaultyRequest) -> HttpAnswer:
    message = "Your input exceeds the context window of this model. Please adjust your input."
    param = "messages" if case.dialect.NAME == "openai_chat" else "input"
    body = error_body(message, "invalid_request_error", "context_length_exceeded", param)
    return case.refused(400, body)


def _denied(case: FaultyRequest) -> HttpAnswer:
    model = case.request.model
    message, type, code = {
        "401": ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
        "403": (
            "Country, region, or territory not supported",
            "request_forbidden",
            "unsupported_country_region_territory",
        ),
        "404": (
            f"The model '{model}' does not exist or you do not have access to it.",
            "invalid_request_error",
            "model_not_found",
        ),
    }[case.variant]
    return _refusal(case, int(case.variant), message, type, code)


def _flex(case: FaultyRequest) -> HttpAnswer:
    return _refusal(
        case,
        429,
        "Resource unavailable: no flex capacity at the moment. You were not charged.",
        "resource_unavailable",
        "resource_unavailable",
    )


def _has_temperature(request: ModelRequest, _: ModelReply) -> bool:
    return "temperature" in request.body


def _has_effort(request: ModelRequest, _: ModelReply) -> bool:
    return "reasoning" in request.body or "reasoning_effort" in request.body


def _has_schema(request: ModelRequest, _: ModelReply) -> bool:
    return request.schema is not None


def _failed(body: dict[str, Any], code: str, message: str) -> None:
    body |= {
        "status": "failed",
        "completed_at": None,
        "error": {"code": code, "message": message},
        "output": [],
    }


def _server_failed(case: FaultyRequest, body: dict[str, Any]) -> None:
    limited = case.variant == "rate"
    code = "rate_limit_exceeded" if limited else "server_error"
    _failed(body, code, "An error occurred while processing your request.")
    if case.variant != "billed":
        body["usage"] = None


def _prompt_failed(case: FaultyRequest, body: dict[str, Any]) -> None:
    _failed(body, case.variant, "Your request was flagged as potentially violating a policy.")
    body["usage"] = None


def _filtered(case: FaultyRequest, body: dict[str, Any]) -> None:
    if case.dialect.NAME == "openai_chat":
        body["choices"][0]["finish_reason"] = "content_filter"
        body["choices"][0]["message"]["content"] = ""
        return
    body |= {
        "status": "incomplete",
        "completed_at": None,
        "incomplete_details": {"reason": "content_filter"},
    }
    body["output"] = [item for item in body["output"] if item["type"] != "message"]


def _refused(case: FaultyRequest, body: dict[str, Any]) -> None:
    words = "I'm sorry, but I cannot assist with that request."
    if case.dialect.NAME == "openai_chat":
        body["choices"][0]["message"] |= {"content": None, "refusal": words}
        return
    _message(body)["content"] = [{"type": "refusal", "refusal": words}]


def _empty(case: FaultyRequest, body: dict[str, Any]) -> None:
    if case.dialect.NAME == "openai_chat":
        body["choices"][0]["message"]["content"] = "" if case.variant == "text" else None
    elif case.variant == "text":
        _message(body)["content"][0] |= {"text": "", "annotations": []}
    else:
        body["output"] = []


def _search_failed(_: FaultyRequest, body: dict[str, Any]) -> None:
    for item in body["output"]:
        if item["type"] == "web_search_call":
            item["status"] = "failed"
            item["action"].pop("sources", None)
        for part in item.get("content", ()):
            part["annotations"] = []
    body["tool_usage"] = {"web_search": {"num_requests": 0}}


def _commented(_: FaultyRequest, body: dict[str, Any]) -> None:
    message = _message(body)
    message["phase"] = "final_answer"
    note = {"type": "output_text", "text": _NOTE, "annotations": [], "logprobs": []}
    comment = {**message, "id": message["id"] + "c", "phase": "commentary", "content": [note]}
    body["output"].insert(body["output"].index(message), comment)


def _unknown(case: FaultyRequest, body: dict[str, Any]) -> None:
    strange = {"type": "hologram_citation", "hologram": {"depth": 3}}
    if case.dialect.NAME == "openai_chat":
        body["choices"][0]["message"]["annotations"].append(strange)
        return
    _message(body)["content"][0]["annotations"].append(strange)
    body["output"].insert(0, {"id": "hl_1", "type": "hologram_call", "status": "completed"})


def _no_usage(_: FaultyRequest, body: dict[str, Any]) -> None:
    body["usage"] = None


def _snapshot(case: FaultyRequest, body: dict[str, Any]) -> None:
    body["model"] = case.request.model.split("@")[0] + "-2026-08-07"


def _incomplete(case: FaultyRequest, body: dict[str, Any]) -> dict[str, Any]:
    return openai.write(case.request, fault.cut_in_half(case))


def _message(body: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(item for item in body["output"] if item["type"] == "message")
    return found


def _speaks(_: ModelRequest, reply: ModelReply) -> bool:
    return bool(reply.text)


def _searches(_: ModelRequest, reply: ModelReply) -> bool:
    return reply.search is not None


def _in_background(request: ModelRequest, _: ModelReply) -> bool:
    return request.background


def _lives(number: str, title: str, life: Lifecycle) -> FaultDefinition:
    return FaultDefinition(
        number, title, impossible, _RESPONSES, _in_background, "background", life=life, late=True
    )


FAULTS: Final = (
    FaultDefinition("O1", "429 rate_limit_exceeded", _limited, _BOTH),
    FaultDefinition("O2", "429, no credit", _money, _BOTH, variants=tuple(_MONEY)),
    FaultDefinition(
        "O3",
        "429 slow_down or 503 server_is_overloaded",
        _slow_down,
        _BOTH,
        variants=("slow_down", "overloaded"),
    ),
    FaultDefinition(
        "O4",
        "400, temperature is not accepted",
        _temperature,
        _BOTH,
        _has_temperature,
        needs="a temperature",
    ),
    FaultDefinition(
        "O5",
        "400, the reasoning effort is not accepted",
        _effort,
        _BOTH,
        _has_effort,
        needs="a reasoning parameter",
        variants=tuple(_EFFORT),
    ),
    FaultDefinition(
        "O6", "400, the schema is not accepted", _schema, _BOTH, _has_schema, "a schema"
    ),
    FaultDefinition("O7", "400 context_length_exceeded", _too_long, _BOTH),
    FaultDefinition(
        "O8", "401, 403 or 404 for key or model", _denied, _BOTH, variants=("401", "403", "404")
    ),
    FaultDefinition("O25", "429, no flex capacity", _flex, _BOTH),
    FaultDefinition(
        "O9",
        "200 failed: server_error or rate_limit_exceeded",
        changed_body(_server_failed),
        _RESPONSES,
        variants=("server", "rate", "billed"),
        late=True,
    ),
    FaultDefinition(
        "O10",
        "200 failed: invalid_prompt or bio_policy",
        changed_body(_prompt_failed),
        _RESPONSES,
        variants=("invalid_prompt", "bio_policy"),
        late=True,
    ),
    FaultDefinition(
        "O11",
        "cut off at the token limit, with reasoning only",
        changed_reply(fault.only_reasoning),
        _BOTH,
        late=True,
    ),
    FaultDefinition(
        "O12",
        "cut off at the token limit in mid-text",
        changed_reply(fault.cut_in_half),
        _BOTH,
        late=True,
    ),
    FaultDefinition("O13", "incomplete: content_filter", changed_body(_filtered), _BOTH, late=True),
    FaultDefinition(
        "O14", "completed with a refusal", changed_body(_refused), _BOTH, _speaks, late=True
    ),
    FaultDefinition(
        "O15",
        "completed without output, or with an empty text",
        changed_body(_empty),
        _BOTH,
        _speaks,
        variants=("output", "text"),
        late=True,
    ),
    FaultDefinition(
        "O16",
        "every web search failed",
        changed_body(_search_failed),
        _RESPONSES,
        _searches,
        "web search",
        late=True,
    ),
    FaultDefinition(
        "O17",
        "commentary before the final answer",
        changed_body(_commented),
        _RESPONSES,
        _speaks,
        late=True,
    ),
    FaultDefinition(
        "O18",
        "output items and annotations of unknown type",
        changed_body(_unknown),
        _BOTH,
        _speaks,
        late=True,
    ),
    _lives("O19", "a background response stays queued forever", "queued"),
    _lives("O20", "a background response cannot be found", "hidden"),
    _lives("O21", "a background response completes when it is cancelled", "stubborn"),
    FaultDefinition(
        "O22",
        "a background response ends incomplete",
        changed_body(_incomplete),
        _RESPONSES,
        _in_background,
        "background",
        late=True,
    ),
    FaultDefinition("O23", "usage is null", changed_body(_no_usage), _BOTH, late=True),
    FaultDefinition(
        "O24", "the answer names a snapshot of the model", changed_body(_snapshot), _BOTH, late=True
    ),
)
