"""Answers of OpenAI's Responses API, with only what a test cares for."""

from typing import Any

from acm_workers.providers.dialects import openai
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion

SEARCHED = {
    "id": "ws_1",
    "type": "web_search_call",
    "status": "completed",
    "action": {
        "type": "search",
        "query": "old bridges",
        "queries": ["old bridges", "new bridges"],
        "sources": [
            {"type": "url", "url": "https://a.example/1"},
            {"type": "url", "url": "https://b.example/"},
            {"type": "url", "url": "https://a.example/1"},
        ],
    },
}


def message(text: str, phase: str | None = None, *notes: Any) -> dict[str, Any]:
    """Return an item of the output that says ``text``, with ``notes`` beside it."""
    part = {"type": "output_text", "text": text, "annotations": [{"type": "odd"}, *notes]}
    item = {"id": "msg", "type": "message", "role": "assistant", "content": [part]}
    return item if phase is None else {**item, "phase": phase}


def read(status: Any = "completed", output: Any = None, **beside: Any) -> Completion:
    """Return what is read from an answer with that status and that output."""
    body = {
        "id": "resp_1",
        "object": "response",
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": "m1-2026",
        "output": output,
        "usage": None,
        "reasoning": {"effort": "high"},
        **beside,
    }
    return openai.read(ProviderResponse("openai", 200, body=body, request_id="req-1"))
