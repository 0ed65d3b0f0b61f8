"""A request, and its successful answer in each dialect."""

from typing import Any

from acm_workers.providers import completion
from schemas.calls import Completion, Message, Request
from schemas.config.provider import Dialect, Provider
from tests.support.scripted_server import Reply, ScriptedServer

ASK = Request(provider="alpha", model="m1", messages=(Message(role="user", content="H\u00e4?"),))
CHAT: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m1-2026",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Hello", "refusal": None},
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
}
RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "status": "completed",
    "error": None,
    "incomplete_details": None,
    "model": "m1-2026",
    "output": [
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
        }
    ],
    "usage": {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4},
}
MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m1-2026",
    "content": [{"type": "text", "text": "Hello"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 3, "output_tokens": 1},
}
CONTENT: dict[str, Any] = {
    "candidates": [
        {"content": {"role": "model", "parts": [{"text": "Hello"}]}, "finishReason": "STOP"}
    ],
    "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1, "totalTokenCount": 4},
    "modelVersion": "m1-2026",
    "responseId": "r_1",
}
FIT = Reply(body=CHAT, headers={"x-request-id": "req-1"})


def provider(server: ScriptedServer, dialect: Dialect = "openai_chat", **beside: Any) -> Provider:
    """Return ``server`` as a provider."""
    return Provider(dialect=dialect, base_url=server.base_url, **beside)


def complete(server: ScriptedServer, dialect: Dialect = "openai_chat", **beside: Any) -> Completion:
    """Ask ``server`` the ordinary question."""
    return completion.complete(provider(server, dialect, **beside), "alpha", ASK, "call-1")
