"""G8 to G19: answers of Google that are none, or not what they seem."""

from typing import Any, Final

from acm_workers.simulator import paused
from acm_workers.simulator.asked import Asked, DialectName, Reply
from acm_workers.simulator.faults import shortening
from acm_workers.simulator.faults.fault import Act, Case, Fault, retold, rewritten

_HERE: Final[tuple[DialectName, ...]] = ("google",)
_STOPPED: Final = ("safety", "prohibited_content", "spii", "blocklist")
_ODD: Final = (
    "malformed_response",
    "other",
    "language",
    "unexpected_tool_call",
    "too_many_tool_calls",
)
_THOUGHT: Final = "Now the second half."


def _blocked(_: Case, body: dict[str, Any]) -> None:
    del body["candidates"]
    body["promptFeedback"] = {"blockReason": "PROHIBITED_CONTENT"}
    read = body["usageMetadata"]["promptTokenCount"]
    body["usageMetadata"] = {"promptTokenCount": read, "totalTokenCount": read}


def _stopped(case: Case, body: dict[str, Any]) -> None:
    body["candidates"] = [{"finishReason": case.variant.upper(), "index": 0}]


def _recitation(_: Case, body: dict[str, Any]) -> None:
    body["candidates"] = [{"finishReason": "RECITATION", "index": 0}]


def _empty(case: Case, body: dict[str, Any]) -> None:
    candidate = body["candidates"][0]
    if case.variant == "parts":
        candidate["content"]["parts"] = []
    elif case.variant == "keyless":
        del candidate["content"]["parts"]
    else:
        del candidate["content"]


def _continued(case: Case, body: dict[str, Any]) -> None:
    text, kept = case.reply.text, len(case.reply.text) // 2
    candidate = body["candidates"][0]
    candidate |= {
        "finishReason": "CONTINUATION",
        "continuationToken": paused.sealed(text[kept:]),
    }
    candidate["content"]["parts"] = [{"text": text[:kept]}]


def _ungrounded(case: Case, body: dict[str, Any]) -> None:
    candidate, usage = body["candidates"][0], body["usageMetadata"]
    candidate["groundingMetadata"] = {}
    if case.variant == "missing":
        del candidate["groundingMetadata"]
    usage["totalTokenCount"] -= usage.pop("toolUsePromptTokenCount", 0)


def _chunkless(_: Case, body: dict[str, Any]) -> None:
    found = body["candidates"][0]["groundingMetadata"]
    found.pop("groundingChunks", None)
    found.pop("groundingSupports", None)


def _split(case: Case, body: dict[str, Any]) -> None:
    """Send the text in six parts, two of which are halves of one word, with a thought between."""
    text = case.reply.text
    size = len(text) // 6 + 1
    parts: list[dict[str, Any]] = [
        {"text": text[start : start + size]} for start in range(0, len(text), size)
    ]
    parts.insert(len(parts) // 2, {"text": _THOUGHT, "thought": True})
    body["candidates"][0]["content"]["parts"] = parts


def _uncounted(_: Case, body: dict[str, Any]) -> None:
    usage = body["usageMetadata"]
    usage["totalTokenCount"] -= usage.pop("candidatesTokenCount")


def _searches(_: Asked, reply: Reply) -> bool:
    return reply.search is not None


def _plain(number: str, title: str, act: Act, variants: tuple[str, ...] = ()) -> Fault:
    return Fault(number, title, act, _HERE, variants=variants)


FAULTS: Final = (
    _plain("G8", "the prompt is blocked, no candidates", rewritten(_blocked)),
    _plain("G9", "stopped for safety, no parts", rewritten(_stopped), _STOPPED),
    _plain("G10", "RECITATION", rewritten(_recitation)),
    _plain("G11", "MAX_TOKENS, nothing but thoughts", retold(shortening.nothing)),
    _plain(
        "G12",
        "STOP with empty parts, without parts or without content",
        rewritten(_empty),
        ("parts", "keyless", "contentless"),
    ),
    _plain("G13", "an odd finish reason", rewritten(_stopped), _ODD),
    _plain("G14", "CONTINUATION with a token", rewritten(_continued)),
    Fault(
        "G15",
        "grounding metadata empty or missing",
        rewritten(_ungrounded),
        _HERE,
        _searches,
        "web search",
        variants=("empty", "missing"),
    ),
    Fault(
        "G16",
        "search queries without chunks",
        rewritten(_chunkless),
        _HERE,
        _searches,
        "web search",
    ),
    _plain("G17", "text in six parts, a thought among them", rewritten(_split)),
    _plain("G19", "usage without candidatesTokenCount", rewritten(_uncounted)),
)
