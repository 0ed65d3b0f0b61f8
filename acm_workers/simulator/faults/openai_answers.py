"""O9 to O24: answers of OpenAI that are none, or not what they seem."""

from collections.abc import Mapping
from typing import Any, Final

from acm_workers.simulator.asked import Asked, DialectName, Reply
from acm_workers.simulator.dialects import openai
from acm_workers.simulator.faults import shortening
from acm_workers.simulator.faults.fault import Case, Fault, Life, impossible, retold, rewritten

_RESPONSES: Final[tuple[DialectName, ...]] = ("openai",)
_BOTH: Final[tuple[DialectName, ...]] = ("openai", "openai_chat")
_NOTE: Final = "I will look at the criteria one by one."


def _failed(body: dict[str, Any], code: str, message: str) -> None:
    body |= {
        "status": "failed",
        "completed_at": None,
        "error": {"code": code, "message": message},
        "output": [],
    }


def _server_failed(case: Case, body: dict[str, Any]) -> None:
    limited = case.variant == "rate"
    code = "rate_limit_exceeded" if limited else "server_error"
    _failed(body, code, "An error occurred while processing your request.")
    if case.variant != "billed":
        body["usage"] = None


def _prompt_failed(case: Case, body: dict[str, Any]) -> None:
    _failed(body, case.variant, "Your request was flagged as potentially violating a policy.")
    body["usage"] = None


def _filtered(case: Case, body: dict[str, Any]) -> None:
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


def _refused(case: Case, body: dict[str, Any]) -> None:
    words = "I'm sorry, but I cannot assist with that request."
    if case.dialect.NAME == "openai_chat":
        body["choices"][0]["message"] |= {"content": None, "refusal": words}
        return
    _message(body)["content"] = [{"type": "refusal", "refusal": words}]


def _empty(case: Case, body: dict[str, Any]) -> None:
    if case.dialect.NAME == "openai_chat":
        body["choices"][0]["message"]["content"] = "" if case.variant == "text" else None
    elif case.variant == "text":
        _message(body)["content"][0] |= {"text": "", "annotations": []}
    else:
        body["output"] = []


def _search_failed(_: Case, body: dict[str, Any]) -> None:
    for item in body["output"]:
        if item["type"] == "web_search_call":
            item["status"] = "failed"
            item["action"].pop("sources", None)
        for part in item.get("content", ()):
            part["annotations"] = []
    body["tool_usage"] = {"web_search": {"num_requests": 0}}


def _commented(_: Case, body: dict[str, Any]) -> None:
    message = _message(body)
    message["phase"] = "final_answer"
    note = {"type": "output_text", "text": _NOTE, "annotations": [], "logprobs": []}
    comment = {**message, "id": message["id"] + "c", "phase": "commentary", "content": [note]}
    body["output"].insert(body["output"].index(message), comment)


def _unknown(case: Case, body: dict[str, Any]) -> None:
    strange = {"type": "hologram_citation", "hologram": {"depth": 3}}
    if case.dialect.NAME == "openai_chat":
        body["choices"][0]["message"]["annotations"].append(strange)
        return
    _message(body)["content"][0]["annotations"].append(strange)
    body["output"].insert(0, {"id": "hl_1", "type": "hologram_call", "status": "completed"})


def _no_usage(_: Case, body: dict[str, Any]) -> None:
    body["usage"] = None


def _snapshot(case: Case, body: dict[str, Any]) -> None:
    body["model"] = case.asked.model.split("@")[0] + "-2026-08-07"


def _incomplete(case: Case, body: dict[str, Any]) -> dict[str, Any]:
    return openai.write(case.asked, shortening.half(case))


def _message(body: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(item for item in body["output"] if item["type"] == "message")
    return found


def _speaks(_: Asked, reply: Reply) -> bool:
    return bool(reply.text)


def _searches(_: Asked, reply: Reply) -> bool:
    return reply.search is not None


def _in_background(asked: Asked, _: Reply) -> bool:
    return asked.background


def _lives(number: str, title: str, life: Life) -> Fault:
    return Fault(
        number, title, impossible, _RESPONSES, _in_background, "background", life=life, late=True
    )


FAULTS: Final = (
    Fault(
        "O9",
        "200 failed: server_error or rate_limit_exceeded",
        rewritten(_server_failed),
        _RESPONSES,
        variants=("server", "rate", "billed"),
        late=True,
    ),
    Fault(
        "O10",
        "200 failed: invalid_prompt or bio_policy",
        rewritten(_prompt_failed),
        _RESPONSES,
        variants=("invalid_prompt", "bio_policy"),
        late=True,
    ),
    Fault(
        "O11",
        "cut off at the budget, nothing but reasoning",
        retold(shortening.nothing),
        _BOTH,
        late=True,
    ),
    Fault("O12", "cut off at the budget in mid-text", retold(shortening.half), _BOTH, late=True),
    Fault("O13", "incomplete: content_filter", rewritten(_filtered), _BOTH, late=True),
    Fault("O14", "completed with a refusal", rewritten(_refused), _BOTH, _speaks, late=True),
    Fault(
        "O15",
        "completed without output, or with an empty text",
        rewritten(_empty),
        _BOTH,
        _speaks,
        variants=("output", "text"),
        late=True,
    ),
    Fault(
        "O16",
        "every web search failed",
        rewritten(_search_failed),
        _RESPONSES,
        _searches,
        "web search",
        late=True,
    ),
    Fault(
        "O17",
        "commentary before the final answer",
        rewritten(_commented),
        _RESPONSES,
        _speaks,
        late=True,
    ),
    Fault(
        "O18",
        "output items and annotations of unknown type",
        rewritten(_unknown),
        _BOTH,
        _speaks,
        late=True,
    ),
    _lives("O19", "a background response stays queued for ever", "queued"),
    _lives("O20", "a background response cannot be found", "hidden"),
    _lives("O21", "a background response completes when it is cancelled", "stubborn"),
    Fault(
        "O22",
        "a background response ends incomplete",
        rewritten(_incomplete),
        _RESPONSES,
        _in_background,
        "background",
        late=True,
    ),
    Fault("O23", "usage is null", rewritten(_no_usage), _BOTH, late=True),
    Fault("O24", "the model named is a snapshot", rewritten(_snapshot), _BOTH, late=True),
)
