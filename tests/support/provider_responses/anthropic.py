"""Requests to Anthropic and its answers, with only what a test cares for."""

from typing import Any

from acm_workers.providers.dialects import anthropic
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion, Message, Parameter, Request
from schemas.config.provider import KNOWN

ASK = Request(
    provider="anthropic",
    model="claude-sonnet-5-5",
    messages=(
        Message(role="system", content="Be brief."),
        Message(role="user", content="Hi"),
        Message(role="assistant", content="Hm"),
        Message(role="user", content="Again"),
    ),
)
THOUGHT = {"type": "thinking", "thinking": "So.", "signature": "c2ln"}
QUERY = {
    "type": "server_tool_use",
    "id": "srv_1",
    "name": "web_search",
    "input": {"query": "old bridges"},
}
PAGE = {
    "type": "web_search_result",
    "url": "https://a.example/1",
    "title": "A",
    "page_age": None,
    "encrypted_content": "Zm9v",
}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [PAGE]}
CITED = {
    "type": "text",
    "text": "Bridges are old.",
    "citations": [
        {
            "type": "web_search_result_location",
            "url": "https://a.example/1",
            "title": "A",
            "cited_text": "Old.",
            "encrypted_index": "eA",
        }
    ],
}


def asking(model: str = ASK.model, *left_out: Parameter, **changed: Any) -> dict[str, Any]:
    """Return the body of a request to ``model``, which refused ``left_out`` before."""
    asked = ASK.model_copy(update={"model": model, "left_out": frozenset(left_out), **changed})
    return anthropic.body(asked, KNOWN["anthropic"])


def text(words: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": words}


def read(
    content: Any, stop_reason: Any = "end_turn", usage: Any = None, so_far: Any = (), **beside: Any
) -> Completion:
    """Return what is read from an answer of these blocks."""
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": usage,
        **beside,
    }
    return anthropic.read(ProviderResponse("alpha", 200, body=body, request_id="req_1"), so_far)
