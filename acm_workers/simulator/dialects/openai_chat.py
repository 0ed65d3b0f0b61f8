"""The Chat Completions dialect (``POST /v1/chat/completions``), with OpenRouter's additions.

The additions come with requests that use them: ``usage.include``, ``provider``, ``reasoning`` as
an object, or the server tool for search.
"""

from collections.abc import Mapping
from typing import Any, Final

from acm_workers.simulator import web_search
from acm_workers.simulator.dialects import openai
from acm_workers.simulator.messages import (
    DialectName,
    ModelReply,
    ModelRequest,
    ParsedRequest,
    Thinking,
)
from acm_workers.simulator.request_fields import (
    budget,
    mapping,
    mappings,
    named_schema,
    required,
    search_limit,
    turns_of,
)

NAME: Final[DialectName] = "openai_chat"
BAD_KEY_STATUS: Final = 401
error, key = openai.error, openai.key
limit_headers, retry_headers = openai.limit_headers, openai.retry_headers
id_headers = openai.id_headers

_USD_PER_INPUT: Final = 1e-6
_USD_PER_OUTPUT: Final = 4e-6
_USD_PER_SEARCH: Final = 0.005
_SEARCH_TOOLS: Final = ("openrouter:web_search", "web_search")


def read(sent: ParsedRequest) -> ModelRequest:
    """Parse the body of a request; see ``Dialect``."""
    body = sent.body
    model = required(body, "model", str)
    turns = turns_of(mappings(required(body, "messages", list)))
    form = mapping(body.get("response_format"))
    schema = None
    if form.get("type") == "json_schema":
        schema = named_schema(form.get("json_schema"), "response_format.json_schema")
    reasoning = mapping(body.get("reasoning"))
    streamed = bool(body.get("stream"))
    return ModelRequest(
        model=model,
        prompt=turns.prompt,
        input_chars=turns.chars,
        schema=schema,
        max_tokens=budget(body, "max_completion_tokens", "max_tokens"),
        body=body,
        assistant_text=turns.assistant_text,
        searches=_searches(body, model),
        thinking=_thinking(body, reasoning),
        shows_thoughts=bool(reasoning) and not reasoning.get("exclude"),
        streamed=streamed,
        stream_usage=streamed and bool(mapping(body.get("stream_options")).get("include_usage")),
    )


def write(request: ModelRequest, reply: ModelReply) -> dict[str, Any]:
    """Return the JSON of an answer; see ``Dialect``."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": reply.text,
        "refusal": None,
        "annotations": _annotations(reply) if reply.search else [],
    }
    finish = "length" if reply.cut else "stop"
    answer: dict[str, Any] = {
        "id": f"chatcmpl-{reply.id}",
        "object": "chat.completion",
        "created": reply.created,
        "model": request.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": _usage(reply),
        "service_tier": "default",
        "system_fingerprint": None,
    }
    if is_openrouter(request.body):
        _add_openrouter(answer, reply)
    return answer


def is_openrouter(body: Mapping[str, Any]) -> bool:
    """Return whether a request uses features that only OpenRouter has."""
    if "provider" in body or "usage" in body or isinstance(body.get("reasoning"), dict):
        return True
    return "tools" in body and _search_tool(body) is not None


def _thinking(body: Mapping[str, Any], reasoning: Mapping[str, Any]) -> Thinking:
    effort = reasoning.get("effort") or body.get("reasoning_effort")
    if effort == "none" or reasoning.get("enabled") is False:
        return "off"
    return "on" if effort or reasoning else "default"


def _search_tool(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    tools = mappings(body.get("tools"))
    return next((tool for tool in tools if tool.get("type") in _SEARCH_TOOLS), None)


def _searches(body: Mapping[str, Any], model: str) -> int:
    tool = _search_tool(body)
    if tool is not None:
        return search_limit(mapping(tool.get("parameters")).get("max_uses"))
    plugins = mappings(body.get("plugins"))
    online = ":online" in model or any(plugin.get("id") == "web" for plugin in plugins)
    return search_limit(None) if online or "web_search_options" in body else 0


def _annotations(reply: ModelReply) -> list[dict[str, Any]]:
    if reply.search is None or reply.is_json:
        return []
    pages = reply.search.pages
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "url": pages[cited.page].url,
                "title": pages[cited.page].title,
                "start_index": cited.start,
                "end_index": cited.end,
            },
        }
        for cited in web_search.citations(reply.text, reply.search)
    ]


def _usage(reply: ModelReply) -> dict[str, Any]:
    read_tokens, written = reply.all_input_tokens, reply.output_tokens
    return {
        "prompt_tokens": read_tokens,
        "completion_tokens": written,
        "total_tokens": read_tokens + written,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": reply.reasoning_tokens,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _add_openrouter(answer: dict[str, Any], reply: ModelReply) -> None:
    searches = len(reply.search.queries) if reply.search else 0
    cost = (
        reply.all_input_tokens * _USD_PER_INPUT
        + reply.output_tokens * _USD_PER_OUTPUT
        + searches * _USD_PER_SEARCH
    )
    answer["provider"] = "Simulated"
    answer["usage"] |= {
        "cost": round(cost, 8),
        "is_byok": False,
        "cost_details": {"upstream_inference_cost": None},
    }
    if searches:
        answer["usage"]["server_tool_use_details"] = {
            "tool_calls_requested": searches,
            "tool_calls_executed": searches,
            "web_search_requests": searches,
        }
    choice = answer["choices"][0]
    choice["native_finish_reason"] = choice["finish_reason"]
    if reply.thoughts:
        choice["message"]["reasoning"] = reply.thoughts
        choice["message"]["reasoning_details"] = [
            {"type": "reasoning.summary", "summary": reply.thoughts, "index": 0}
        ]
