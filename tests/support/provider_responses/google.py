"""Requests to Gemini and its answers, with only what a test cares for."""

from typing import Any

from acm_workers.providers.dialects import google
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion, Message, Parameter, Request
from schemas.config.provider import KNOWN

ASK = Request(
    provider="google",
    model="gemini-3.8-flash",
    messages=(
        Message(role="system", content="Be brief."),
        Message(role="user", content="Hi"),
        Message(role="assistant", content="Hm"),
        Message(role="user", content="Again"),
    ),
)
CHUNK = {"web": {"uri": "https://a.example/1", "title": "a.example"}}
SUPPORT = {
    "segment": {"startIndex": 0, "endIndex": 4, "text": "Old."},
    "groundingChunkIndices": [0],
}
GROUND = {
    "webSearchQueries": ["old bridges"],
    "groundingChunks": [CHUNK],
    "groundingSupports": [SUPPORT],
    "searchEntryPoint": {"renderedContent": "<div>"},
}


def asking(model: str = ASK.model, *left_out: Parameter, **changed: Any) -> dict[str, Any]:
    """Return the body of a request to ``model``, which refused ``left_out`` before."""
    asked = ASK.model_copy(update={"model": model, "left_out": frozenset(left_out), **changed})
    return google.body(asked, KNOWN["google"])


def read(
    parts: Any,
    finish_reason: Any = "STOP",
    ground: Any = None,
    usage: Any = None,
    so_far: Any = (),
    **beside: Any,
) -> Completion:
    """Return what is read from an answer of these parts."""
    candidate = {
        "content": {"role": "model", "parts": parts},
        "finishReason": finish_reason,
        "index": 0,
        "groundingMetadata": ground,
        **beside,
    }
    body = {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": "gemini-3.8-flash-001",
        "responseId": "resp_1",
    }
    return google.read(ProviderResponse("alpha", 200, body=body), so_far)
