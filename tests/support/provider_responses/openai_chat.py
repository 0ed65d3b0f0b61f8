"""Answers of chat completions, with only what a test cares for."""

from typing import Any

from acm_workers.providers.dialects import openai_chat
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion


def read(message: Any, finish_reason: Any = "stop", usage: Any = None, **beside: Any) -> Completion:
    """Return what is read from an answer with that message."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "m1-2026",
        "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}],
        "usage": usage,
        **beside,
    }
    return openai_chat.read(ProviderResponse("alpha", 200, body=body, request_id="req-1"))
