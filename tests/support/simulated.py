"""Requests to a simulated provider in each dialect, and what its answers say, without a socket."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import prompts
from acm_workers.simulator.dialects import anthropic, google, openai, openai_chat
from acm_workers.simulator.messages import Dialect, IncomingRequest
from schemas.config import provider

DialectName = provider.Dialect
DIALECTS: dict[DialectName, Dialect] = {
    "openai": openai,
    "openai_chat": openai_chat,
    "anthropic": anthropic,
    "google": google,
}
DOCUMENT = "Write about this: the colony forms a ball around its queen when winter comes."
SCORES = {
    "type": "object",
    "properties": {
        name: {
            "type": "object",
            "properties": {
                "reason": {"type": "string"},
                "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
            },
        }
        for name in ("accuracy", "clear_language")
    },
}
VERDICT = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "winner": {"type": "string", "enum": ["A", "B", "tie"]},
        "confidence": {"type": "number"},
    },
}
JUDGE = f"""Score it.

{prompts.block("CANDIDATE", "They hum, all of them, and they do so all summer long.")}

# Your answer

One JSON object with these keys:

- "accuracy" for the criterion accuracy: a JSON object with a number from 1 to 5
- "clear_language" for the criterion Clear language: a JSON object with a number from 1 to 5
"""
COMPARE = f"""Compare them.

{prompts.block("CANDIDATE A", "They hum.")}

{prompts.block("CANDIDATE B", "Bees are insects.")}

# Your answer

One JSON object with "reasoning", "winner" and "confidence".
"""


class Wanted(NamedTuple):
    """What a request asks for, in no dialect."""

    prompt: str = DOCUMENT
    model: str = "m1"
    schema: Mapping[str, Any] | None = None
    search: bool = False
    thinking: bool = False
    max_tokens: int | None = None
    temperature: float | None = None
    request_id: str = "r1"
    said: tuple[str, str] | None = None
    more: Mapping[str, Any] = {}


_USUAL = Wanted()
_MEETING: dict[str, Wanted] = {
    "": _USUAL,
    "a document": _USUAL,
    "a temperature": Wanted(temperature=0.5),
    "a reasoning parameter": Wanted(thinking=True),
    "a thinking level or budget": Wanted(thinking=True),
    "thinking": Wanted(thinking=True),
    "thinking enabled or disabled": Wanted(
        more={"thinking": {"type": "enabled", "budget_tokens": 1024}}
    ),
    "a forced tool": Wanted(more={"tool_choice": {"type": "any"}}),
    "background": Wanted(more={"background": True}),
    "web search": Wanted(search=True),
    "web search with a schema": Wanted(JUDGE, schema=SCORES, search=True),
    "a schema": Wanted(JUDGE, schema=SCORES),
    "an answer as JSON": Wanted(JUDGE, schema=SCORES),
    "scores as JSON": Wanted(JUDGE, schema=SCORES),
    "scores or a verdict as JSON": Wanted(JUDGE, schema=SCORES),
    "a verdict as JSON": Wanted(COMPARE, schema=VERDICT),
}


def meeting(needs: str) -> Wanted:
    """Return a request that can meet a fault with those ``needs``."""
    return _MEETING[needs]


def arrived(dialect: DialectName, wanted: Wanted = _USUAL, now: float = 0.0) -> IncomingRequest:
    """Return a request as the server gets it."""
    path, body = {
        "openai": _openai,
        "openai_chat": _chat,
        "anthropic": _anthropic,
        "google": _google,
    }[dialect](wanted)
    headers = [
        (b"host", b"127.0.0.1:8077"),
        (b"anthropic-version", b"2023-06-01"),
        (b"x-client-request-id", wanted.request_id.encode()),
    ]
    raw = json.dumps({**body, **wanted.more}).encode()
    return IncomingRequest(DIALECTS[dialect], path, headers, raw, now, 1.7e9 + now)


def text(dialect: DialectName, body: Mapping[str, Any]) -> str:
    """Return all visible text of an answer."""
    if dialect == "openai_chat":
        return str(body["choices"][0]["message"]["content"])
    if dialect == "anthropic":
        return "".join(block["text"] for block in body["content"] if block["type"] == "text")
    if dialect == "google":
        parts = body["candidates"][0]["content"]["parts"]
        return "".join(part["text"] for part in parts if not part.get("thought"))
    messages = [item for item in body["output"] if item["type"] == "message"]
    return "".join(part["text"] for item in messages for part in item["content"])


def _turns(wanted: Wanted, said_by: str = "assistant") -> list[tuple[str, str]]:
    later = [] if wanted.said is None else [(said_by, wanted.said[0]), ("user", wanted.said[1])]
    return [("user", wanted.prompt), *later]


def _openai(wanted: Wanted) -> tuple[str, dict[str, Any]]:
    turns = [{"role": role, "content": said} for role, said in _turns(wanted)]
    body: dict[str, Any] = {"model": wanted.model, "input": turns}
    if wanted.schema is not None:
        form = {"type": "json_schema", "name": "answer", "schema": wanted.schema, "strict": True}
        body["text"] = {"format": form}
    if wanted.search:
        body["tools"] = [{"type": "web_search"}]
        body["include"] = ["web_search_call.action.sources"]
    if wanted.thinking:
        body["reasoning"] = {"effort": "low", "summary": "auto"}
    return "/v1/responses", body | _numbers(wanted, "max_output_tokens")


def _chat(wanted: Wanted) -> tuple[str, dict[str, Any]]:
    turns = [{"role": role, "content": said} for role, said in _turns(wanted)]
    body: dict[str, Any] = {"model": wanted.model, "messages": turns}
    if wanted.schema is not None:
        named = {"name": "answer", "schema": wanted.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    if wanted.search:
        body["tools"] = [{"type": "openrouter:web_search"}]
    if wanted.thinking:
        body["reasoning"] = {"effort": "low"}
    return "/v1/chat/completions", body | _numbers(wanted, "max_tokens")


def _anthropic(wanted: Wanted) -> tuple[str, dict[str, Any]]:
    turns = [{"role": role, "content": said} for role, said in _turns(wanted)]
    body: dict[str, Any] = {"model": wanted.model, "messages": turns, "max_tokens": 8000}
    if wanted.schema is not None:
        form = {"type": "json_schema", "schema": wanted.schema}
        body["output_config"] = {"format": form}
    if wanted.search:
        body["tools"] = [{"type": "web_search_20250305", "name": "web_search"}]
    if wanted.thinking:
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
    return "/v1/messages", body | _numbers(wanted, "max_tokens")


def _google(wanted: Wanted) -> tuple[str, dict[str, Any]]:
    turns = [
        {"role": role, "parts": [{"text": said}]} for role, said in _turns(wanted, said_by="model")
    ]
    config = _numbers(wanted, "maxOutputTokens")
    if wanted.schema is not None:
        config |= {
            "responseMimeType": "application/json",
            "responseJsonSchema": wanted.schema,
        }
    if wanted.thinking:
        config["thinkingConfig"] = {"thinkingLevel": "low", "includeThoughts": True}
    body: dict[str, Any] = {"contents": turns, "generationConfig": config}
    if wanted.search:
        body["tools"] = [{"googleSearch": {}}]
    return f"/v1beta/models/{wanted.model}:generateContent", body


def _numbers(wanted: Wanted, budget: str) -> dict[str, Any]:
    numbers = {budget: wanted.max_tokens, "temperature": wanted.temperature}
    return {name: number for name, number in numbers.items() if number is not None}
