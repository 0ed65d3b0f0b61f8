"""Faults R1 to R11, of OpenRouter and of local servers with Chat Completions."""

import json
from typing import Any, Final

from acm_workers.simulator import judging
from acm_workers.simulator.dialects.openai import error_body
from acm_workers.simulator.faults.fault import (
    FaultDefinition,
    FaultyRequest,
    changed_body,
    changed_reply,
    with_text,
)
from acm_workers.simulator.messages import (
    DialectName,
    Headers,
    HttpAnswer,
    ModelReply,
    ModelRequest,
)

_HERE: Final[tuple[DialectName, ...]] = ("openai_chat",)
_BUDGET: Final = 2048
_THOUGHTS: Final = "The task is clear. I weigh what is there {and what is not}."
_UPSTREAM_USD: Final = 0.0123


def _says(
    case: FaultyRequest,
    status: int,
    message: str,
    metadata: dict[str, Any] | None = None,
    headers: Headers | None = None,
) -> HttpAnswer:
    error: dict[str, Any] = {"code": status, "message": message}
    if metadata is not None:
        error["metadata"] = metadata
    return case.refused(status, json.dumps({"error": error}).encode(), headers)


def _no_credits(case: FaultyRequest) -> HttpAnswer:
    return _says(case, 402, "Insufficient credits. Add more on the settings page.")


def _in_flight(case: FaultyRequest) -> HttpAnswer:
    metadata = {"limit_source": "openrouter_in_flight_budget"}
    message = "Requests in flight already take up your remaining credits."
    return _says(case, 402, message, metadata, [(b"retry-after", b"1")])


def _moderated(case: FaultyRequest) -> HttpAnswer:
    metadata = {
        "reasons": ["violence"],
        "flagged_input": "...",
        "provider_name": "Simulated",
        "model_slug": case.request.model,
    }
    return _says(case, 403, "Your input was flagged", metadata)


def _failed_inside(case: FaultyRequest, body: dict[str, Any]) -> Any:
    metadata = {"provider_name": "Simulated", "raw": "upstream error"}
    error = {"code": 502, "message": "Provider returned error", "metadata": metadata}
    if case.variant == "error":
        return {"id": body["id"], "model": body["model"], "error": error}
    choice = body["choices"][0]
    choice |= {"finish_reason": "error", "native_finish_reason": "error", "error": error}
    choice["message"]["content"] = ""
    return None


def _no_choices(_: FaultyRequest, body: dict[str, Any]) -> None:
    body["choices"] = None


def _nested(_: FaultyRequest, body: dict[str, Any]) -> dict[str, Any]:
    return {"id": body["id"], "provider": body}


def _in_words(case: FaultyRequest) -> ModelReply:
    value = case.reply.value or {}
    judged = case.reply.kind in ("scores", "verdict")
    text = judging.in_words(value) if judged else "It is as good as such a thing can be."
    return with_text(case, text)._replace(kind="assessment")


def _usage(case: FaultyRequest, body: dict[str, Any]) -> None:
    if case.variant == "missing":
        del body["usage"]
        return
    body["usage"] |= {
        "cost": 0,
        "is_byok": True,
        "cost_details": {"upstream_inference_cost": _UPSTREAM_USD},
    }


def _local(case: FaultyRequest) -> HttpAnswer:
    if case.variant == "pulled":
        message = f"model '{case.request.model}' not found, try pulling it first"
        return case.refused(404, error_body(message, "api_error"))
    if case.variant == "loading":
        error = {"message": "Loading model", "type": "unavailable_error", "code": 503}
        return case.refused(503, json.dumps({"error": error}).encode())
    body = case.whole()
    text = case.reply.text[: _BUDGET // 8]
    body["choices"][0] |= {"finish_reason": "length"}
    body["choices"][0]["message"]["content"] = text
    body["usage"] |= {"prompt_tokens": min(_BUDGET, body["usage"]["prompt_tokens"])}
    return case.billed(body)


def _thought_aloud(case: FaultyRequest, body: dict[str, Any]) -> None:
    message = body["choices"][0]["message"]
    if case.variant == "think":
        message["content"] = f"<think>\n{_THOUGHTS}\n</think>\n\n{message['content']}"
        return
    message |= {"content": None, case.variant: _THOUGHTS}


def _blank(case: FaultyRequest, body: dict[str, Any]) -> None:
    budget = case.request.max_tokens or _BUDGET
    body["choices"][0]["finish_reason"] = "length"
    body["choices"][0]["message"]["content"] = " \n" * budget
    body["usage"] |= {"completion_tokens": budget}


def _has_schema(request: ModelRequest, reply: ModelReply) -> bool:
    return request.schema is not None and reply.is_json


FAULTS: Final = (
    FaultDefinition("R1", "402, no credits", _no_credits, _HERE),
    FaultDefinition("R2", "402, credits are in flight", _in_flight, _HERE),
    FaultDefinition("R3", "403, moderation", _moderated, _HERE),
    FaultDefinition(
        "R4",
        "200 with an error, or finish_reason error",
        changed_body(_failed_inside),
        _HERE,
        variants=("error", "finish"),
    ),
    FaultDefinition("R5", "200 with choices null", changed_body(_no_choices), _HERE),
    FaultDefinition("R6", "200 with the completion inside provider", changed_body(_nested), _HERE),
    FaultDefinition(
        "R7", "the schema is ignored", changed_reply(_in_words), _HERE, _has_schema, "a schema"
    ),
    FaultDefinition(
        "R8",
        "usage is missing, or cost 0 for the user's own key",
        changed_body(_usage),
        _HERE,
        variants=("missing", "byok"),
    ),
    FaultDefinition(
        "R9",
        "a local server: model loading, not pulled, or context too small",
        _local,
        _HERE,
        variants=("loading", "pulled", "context"),
    ),
    FaultDefinition(
        "R10",
        "thoughts in the text, or thoughts only",
        changed_body(_thought_aloud),
        _HERE,
        variants=("think", "reasoning", "reasoning_content"),
    ),
    FaultDefinition("R11", "whitespace up to the token limit", changed_body(_blank), _HERE),
)
