"""A12 to A20: answers of Anthropic that are none, or not what they seem."""

import json
from typing import Any, Final

from acm_workers.simulator import paused
from acm_workers.simulator.answer import Answer
from acm_workers.simulator.asked import Asked, DialectName, Reply
from acm_workers.simulator.dialects.anthropic import text_blocks
from acm_workers.simulator.faults import shortening
from acm_workers.simulator.faults.fault import Case, Fault, retold, rewritten

_HERE: Final[tuple[DialectName, ...]] = ("anthropic",)
_SEARCH_ERRORS: Final = ("too_many_requests", "unavailable", "max_uses_exceeded")


def _declined(_: Case, body: dict[str, Any]) -> None:
    words = "The request was declined for reasons of safety."
    body |= {
        "content": [],
        "stop_reason": "refusal",
        "stop_details": {"type": "refusal", "category": "general_harms", "explanation": words},
    }


def _paused(case: Case, body: dict[str, Any]) -> None:
    """Stop in mid-text; the rest travels with the last search result, which is handed back."""
    text, kept = case.reply.text, len(case.reply.text) // 2
    blocks = [block for block in body["content"] if block["type"] != "text"]
    if blocks and blocks[-1]["type"] == "web_search_tool_result":
        blocks[-1]["content"][-1]["encrypted_content"] = paused.sealed(text[kept:])
    body["content"] = blocks + text_blocks(text[:kept], None)
    body["stop_reason"] = "pause_turn"


def _out_of_window(_: Case, body: dict[str, Any]) -> None:
    body["stop_reason"] = "model_context_window_exceeded"


def _empty(_: Case, body: dict[str, Any]) -> None:
    body["content"] = []


def _search_failed(case: Case, body: dict[str, Any]) -> None:
    for block in body["content"]:
        if block["type"] == "web_search_tool_result":
            block["content"] = {
                "type": "web_search_tool_result_error",
                "error_code": case.variant,
            }
        block.pop("citations", None)
    body["usage"]["server_tool_use"]["web_search_requests"] = 0


def _tool_used(case: Case, body: dict[str, Any]) -> None:
    call = {"type": "tool_use", "id": f"toolu_{case.reply.id}", "name": "submit", "input": {}}
    body |= {"content": [call], "stop_reason": "tool_use"}


def _streamed(case: Case) -> Answer:
    """Answer with events, whether they were asked for or not, and never come to their end."""
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
    return Answer(200, stream.encode(), case.headers, b"text/event-stream", billed=True)


def _searches(_: Asked, reply: Reply) -> bool:
    return reply.search is not None


FAULTS: Final = (
    Fault("A12", "max_tokens in mid-text", retold(shortening.half), _HERE),
    Fault("A13", "max_tokens, nothing but thinking", retold(shortening.nothing), _HERE),
    Fault("A14", "refusal with stop_details", rewritten(_declined), _HERE),
    Fault("A15", "pause_turn", rewritten(_paused), _HERE, _searches, "web search"),
    Fault("A16", "model_context_window_exceeded", rewritten(_out_of_window), _HERE),
    Fault("A17", "end_turn without content", rewritten(_empty), _HERE),
    Fault(
        "A18",
        "the web search's result is an error",
        rewritten(_search_failed),
        _HERE,
        _searches,
        "web search",
        variants=_SEARCH_ERRORS,
    ),
    Fault("A19", "tool_use though no tool was offered", rewritten(_tool_used), _HERE),
    Fault(
        "A20",
        "an event stream with an error in it, or without an end",
        _streamed,
        _HERE,
        variants=("error", "cut"),
    ),
)
