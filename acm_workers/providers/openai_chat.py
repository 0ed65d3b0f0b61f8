"""Chat Completions: OpenAI's older form, spoken by nearly every server."""

from collections.abc import Iterator
from typing import Annotated, Any

from acm_workers.errors import ProviderUnavailable
from acm_workers.providers import addresses, evidence, wanted, wire
from acm_workers.providers.answers import Answer, storable
from acm_workers.providers.evidence import Link
from acm_workers.providers.wanted import Wanted
from schemas.calls import Completion, Evidence, FinishReason, Request, Usage
from schemas.config.provider import Provider

PATH = "chat/completions"

_FINISHES: dict[str | None, FinishReason] = {"stop": "stop", "length": "length"}
_FILTERED = "content_filter"


def complete(provider: Provider, name: str, request: Request, client_request_id: str) -> Completion:
    """Answer ``request``; see ``dialects.complete``."""
    asked = body(request, provider)
    return read(wire.ask(provider, name, PATH, asked, client_request_id))


def body(request: Request, provider: Provider) -> dict[str, Any]:
    """Return ``request`` as this dialect sends it.

    Raises:
        ProviderRejected: It cannot be sent so; see ``wanted.of``.
    """
    want = wanted.of(request, provider)
    sent: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": turn.role, "content": turn.content} for turn in request.messages],
    }
    if want.max_tokens is not None:
        # OpenAI's newer models refuse the old name, most other servers ignore the new one.
        new = addresses.is_openai(provider.base_url)
        sent["max_completion_tokens" if new else "max_tokens"] = want.max_tokens
    if want.temperature is not None:
        sent["temperature"] = want.temperature
    if want.json_schema is not None:
        sent["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": request.schema_name,
                "schema": want.json_schema,
                "strict": True,
            },
        }
    if want.search:
        limit = {} if request.max_searches is None else {"max_uses": request.max_searches}
        sent["tools"] = [{"type": "openrouter:web_search", "parameters": limit}]
    if addresses.is_openrouter(provider.base_url):
        return {**sent, **_routing(want)}
    return sent if want.effort is None else {**sent, "reasoning_effort": want.effort}


def read(answer: Answer) -> Completion:
    """Return what ``answer`` says.

    Raises:
        AcmError: It is an error in the dress of a success.
    """
    chat = wire.read(_Chat, _unwrapped(answer))
    choice = chat.choices[0] if chat.choices else _Choice()
    usage = _usage(chat.usage)
    error = chat.error or choice.error
    if error:
        raise wire.failed(answer, error, usage)
    if not chat.choices or choice.finish_reason == "error":
        said = f"{answer.provider}: an answer without choices"
        raise wire.costing(ProviderUnavailable(said, status=answer.status), usage)
    message = choice.message
    thoughts, text = apart(_joined(message.content))
    if choice.finish_reason == _FILTERED:
        raise wire.stopped(answer, _FILTERED, usage, text)
    finish = _FINISHES.get(choice.finish_reason, "other")
    if message.refusal and not text:
        text, finish = message.refusal, "refusal"
    return Completion(
        text=storable(text),
        finish_reason=finish,
        usage=usage,
        evidence=_evidence(message, usage, thoughts),
        model=chat.model,
        response_id=chat.id,
        request_id=answer.request_id,
        status=answer.status,
        cost_usd=_cost_usd(chat.usage),
    )


def apart(text: str) -> tuple[str, str]:
    """Return the thoughts that some servers leave in front of the answer, and the answer."""
    opened = text.lstrip()
    if not opened.startswith("<think>"):
        return "", text
    # Without an end the budget was spent on thinking: there is no answer.
    thoughts, _, rest = opened.removeprefix("<think>").partition("</think>")
    return thoughts.strip(), rest.lstrip()


class _InputDetails(wire.Wire):
    cached_tokens: wire.Count = None
    cache_write_tokens: wire.Count = None


class _OutputDetails(wire.Wire):
    reasoning_tokens: wire.Count = None


class _ToolUse(wire.Wire):
    web_search_requests: wire.Count = None


class _CostDetails(wire.Wire):
    upstream_inference_cost: wire.Money = None


class _Usage(wire.Wire):
    prompt_tokens: wire.Count = None
    completion_tokens: wire.Count = None
    prompt_tokens_details: Annotated[_InputDetails, wire.Object] = _InputDetails()
    completion_tokens_details: Annotated[_OutputDetails, wire.Object] = _OutputDetails()
    server_tool_use_details: Annotated[_ToolUse, wire.Object] = _ToolUse()
    server_tool_use: Annotated[_ToolUse, wire.Object] = _ToolUse()
    cost: wire.Money = None
    is_byok: Any = None
    cost_details: Annotated[_CostDetails, wire.Object] = _CostDetails()


class _Citation(wire.Wire):
    url: wire.String = None
    title: wire.String = None
    start_index: wire.Count = None
    end_index: wire.Count = None


class _Annotation(wire.Wire):
    type: wire.String = None
    url_citation: Annotated[_Citation, wire.Object] = _Citation()


class _Thought(wire.Wire):
    text: wire.String = None
    summary: wire.String = None
    data: wire.String = None


class _Message(wire.Wire):
    content: Any = None
    refusal: wire.String = None
    reasoning: wire.String = None
    reasoning_content: wire.String = None
    reasoning_details: Annotated[tuple[_Thought, ...], wire.Objects] = ()
    annotations: Annotated[tuple[_Annotation, ...], wire.Objects] = ()


class _Choice(wire.Wire):
    finish_reason: wire.String = None
    message: Annotated[_Message, wire.Object] = _Message()
    error: Any = None


class _Chat(wire.Wire):
    id: wire.String = None
    model: wire.String = None
    choices: Annotated[tuple[_Choice, ...], wire.Objects] = ()
    usage: Annotated[_Usage, wire.Object] = _Usage()
    error: Any = None


def _routing(want: Wanted) -> dict[str, Any]:
    """Return what only OpenRouter is told: to say its price, and to honour what is asked for."""
    routing: dict[str, Any] = {"usage": {"include": True}}
    if want.effort is not None:
        routing["reasoning"] = {"effort": want.effort}
    if want.effort is not None or want.json_schema is not None:
        # Else it may choose an upstream that ignores them.
        routing["provider"] = {"require_parameters": True}
    return routing


def _unwrapped(answer: Answer) -> Answer:
    # OpenRouter at times answers with the upstream's answer inside "provider".
    inner = answer.body.get("provider")
    if isinstance(inner, dict) and "choices" in inner and not answer.body.get("choices"):
        return answer._replace(body=inner)
    return answer


def _joined(content: Any) -> str:
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _evidence(message: _Message, usage: Usage, in_front: str) -> Evidence:
    pages = [
        note.url_citation
        for note in message.annotations
        if note.type == "url_citation" and note.url_citation.url
    ]
    thoughts = message.reasoning or message.reasoning_content
    details = message.reasoning_details
    return evidence.graded(
        searched=bool(usage.searches),
        cited=any((page.end_index or 0) > (page.start_index or 0) for page in pages),
        queries=(),
        links=(Link(page.url, page.title) for page in pages),
        thinking=evidence.of_text(
            [thoughts] if thoughts else [*_told(details), in_front],
            usage.reasoning_tokens,
            hidden=any(thought.data for thought in details),
        ),
    )


def _told(details: tuple[_Thought, ...]) -> Iterator[str | None]:
    for thought in details:
        yield thought.text or thought.summary


def _usage(usage: _Usage) -> Usage:
    searches = usage.server_tool_use_details.web_search_requests
    return Usage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cached_tokens=usage.prompt_tokens_details.cached_tokens,
        cache_write_tokens=usage.prompt_tokens_details.cache_write_tokens,
        reasoning_tokens=usage.completion_tokens_details.reasoning_tokens,
        searches=usage.server_tool_use.web_search_requests if searches is None else searches,
    )


def _cost_usd(usage: _Usage) -> float | None:
    """Return what the router says was charged, by itself and by whose key it used."""
    upstream = usage.cost_details.upstream_inference_cost
    if usage.is_byok is True or (not usage.cost and upstream):
        # With the user's own key the router charges little or nothing; the upstream does.
        return None if upstream is None else upstream + (usage.cost or 0.0)
    return usage.cost
