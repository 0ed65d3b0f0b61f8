"""OpenAI's Chat Completions API, which nearly every server implements."""

from collections.abc import Iterator
from typing import Annotated, Any

from acm_workers.errors import ProviderUnavailable
from acm_workers.providers.dialects import evidence, request_parameters, response_models
from acm_workers.providers.dialects.evidence import SourceLink
from acm_workers.providers.dialects.request_parameters import RequestParameters
from acm_workers.providers.http import endpoints, transport
from acm_workers.providers.http.responses import ProviderResponse, storable
from schemas.calls import Completion, Evidence, FinishReason, Request, Usage
from schemas.config.provider import Provider

PATH = "chat/completions"

_FINISHES: dict[str | None, FinishReason] = {"stop": "stop", "length": "length"}
_FILTERED = "content_filter"


def complete(provider: Provider, name: str, request: Request, client_request_id: str) -> Completion:
    """Answer ``request``; see ``completion.complete``."""
    payload = body(request, provider)
    return read(transport.ask(provider, name, PATH, payload, client_request_id))


def body(request: Request, provider: Provider) -> dict[str, Any]:
    """Return the request body for ``request``.

    Raises:
        ProviderRejected: The provider does not support the request; see ``request_parameters.of``.
    """
    parameters = request_parameters.of(request, provider)
    payload: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": turn.role, "content": turn.content} for turn in request.messages],
    }
    if parameters.max_tokens is not None:
        # OpenAI's newer models refuse the old name; most other servers ignore the new one.
        new = endpoints.is_openai(provider.base_url)
        payload["max_completion_tokens" if new else "max_tokens"] = parameters.max_tokens
    if parameters.temperature is not None:
        payload["temperature"] = parameters.temperature
    if parameters.json_schema is not None:
        payload["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": request.schema_name,
                "schema": parameters.json_schema,
                "strict": True,
            },
        }
    if parameters.search:
        limit = {} if request.max_searches is None else {"max_uses": request.max_searches}
        payload["tools"] = [{"type": "openrouter:web_search", "parameters": limit}]
    if endpoints.is_openrouter(provider.base_url):
        return {**payload, **_routing(parameters)}
    return (
        payload if parameters.effort is None else {**payload, "reasoning_effort": parameters.effort}
    )


def read(response: ProviderResponse) -> Completion:
    """Return the completion in ``response``.

    Raises:
        AcmError: The response contains an error in spite of its status.
    """
    chat = response_models.read(_Chat, _unwrapped(response))
    choice = chat.choices[0] if chat.choices else _Choice()
    usage = _usage(chat)
    error = chat.error or choice.error
    if error:
        raise response_models.failed(response, error, usage)
    if not chat.choices or choice.finish_reason == "error":
        parsed = f"{response.provider}: an answer without choices"
        raise response_models.costing(ProviderUnavailable(parsed, status=response.status), usage)
    message = choice.message
    thoughts, text = apart(_joined(message.content))
    if choice.finish_reason == _FILTERED:
        raise response_models.stopped(response, _FILTERED, usage, text)
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
        request_id=response.request_id,
        status=response.status,
        cost_usd=_cost_usd(chat.usage),
    )


def usage(response: ProviderResponse) -> Usage:
    """Return the usage that ``response`` reports."""
    return _usage(response_models.read(_Chat, response))


def apart(text: str) -> tuple[str, str]:
    """Return the thoughts that some servers leave before the answer, and the answer."""
    opened = text.lstrip()
    if not opened.startswith("<think>"):
        return "", text
    # Without an end tag the budget was spent on thinking, and there is no answer.
    thoughts, _, rest = opened.removeprefix("<think>").partition("</think>")
    return thoughts.strip(), rest.lstrip()


class _InputDetails(response_models.ResponseModel):
    cached_tokens: response_models.Count = None
    cache_write_tokens: response_models.Count = None


class _OutputDetails(response_models.ResponseModel):
    reasoning_tokens: response_models.Count = None


class _ToolUse(response_models.ResponseModel):
    web_search_requests: response_models.Count = None


class _CostDetails(response_models.ResponseModel):
    upstream_inference_cost: response_models.Money = None


class _Usage(response_models.ResponseModel):
    prompt_tokens: response_models.Count = None
    completion_tokens: response_models.Count = None
    prompt_tokens_details: Annotated[_InputDetails, response_models.Object] = _InputDetails()
    completion_tokens_details: Annotated[_OutputDetails, response_models.Object] = _OutputDetails()
    server_tool_use_details: Annotated[_ToolUse, response_models.Object] = _ToolUse()
    server_tool_use: Annotated[_ToolUse, response_models.Object] = _ToolUse()
    cost: response_models.Money = None
    is_byok: Any = None
    cost_details: Annotated[_CostDetails, response_models.Object] = _CostDetails()


class _Citation(response_models.ResponseModel):
    url: response_models.String = None
    title: response_models.String = None
    start_index: response_models.Count = None
    end_index: response_models.Count = None


class _Annotation(response_models.ResponseModel):
    type: response_models.String = None
    url_citation: Annotated[_Citation, response_models.Object] = _Citation()


class _Thought(response_models.ResponseModel):
    text: response_models.String = None
    summary: response_models.String = None
    data: response_models.String = None


class _Message(response_models.ResponseModel):
    content: Any = None
    refusal: response_models.String = None
    reasoning: response_models.String = None
    reasoning_content: response_models.String = None
    reasoning_details: Annotated[tuple[_Thought, ...], response_models.Objects] = ()
    annotations: Annotated[tuple[_Annotation, ...], response_models.Objects] = ()


class _Choice(response_models.ResponseModel):
    finish_reason: response_models.String = None
    message: Annotated[_Message, response_models.Object] = _Message()
    error: Any = None


class _Chat(response_models.ResponseModel):
    id: response_models.String = None
    model: response_models.String = None
    choices: Annotated[tuple[_Choice, ...], response_models.Objects] = ()
    usage: Annotated[_Usage, response_models.Object] = _Usage()
    service_tier: response_models.Tier = None
    error: Any = None


def _routing(parameters: RequestParameters) -> dict[str, Any]:
    """Return OpenRouter's own parameters, which make it report costs and obey all parameters."""
    routing: dict[str, Any] = {"usage": {"include": True}}
    if parameters.effort is not None:
        routing["reasoning"] = {"effort": parameters.effort}
    if parameters.effort is not None or parameters.json_schema is not None:
        # Otherwise it may choose an upstream that ignores them.
        routing["provider"] = {"require_parameters": True}
    return routing


def _unwrapped(response: ProviderResponse) -> ProviderResponse:
    # OpenRouter sometimes puts the upstream's response under "provider".
    inner = response.body.get("provider")
    if isinstance(inner, dict) and "choices" in inner and not response.body.get("choices"):
        return response._replace(body=inner)
    return response


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
        cited=any(_ties(page) for page in pages),
        queries=(),
        links=(SourceLink(page.url, page.title, cited=_ties(page)) for page in pages),
        thinking=evidence.of_text(
            [thoughts] if thoughts else [*_thought_texts(details), in_front],
            usage.reasoning_tokens,
            hidden=any(thought.data for thought in details),
        ),
    )


def _ties(page: _Citation) -> bool:
    return (page.end_index or 0) > (page.start_index or 0)


def _thought_texts(details: tuple[_Thought, ...]) -> Iterator[str | None]:
    for thought in details:
        yield thought.text or thought.summary


def _usage(chat: _Chat) -> Usage:
    usage = chat.usage
    searches = usage.server_tool_use_details.web_search_requests
    return Usage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cached_tokens=usage.prompt_tokens_details.cached_tokens,
        cache_write_tokens=usage.prompt_tokens_details.cache_write_tokens,
        reasoning_tokens=usage.completion_tokens_details.reasoning_tokens,
        searches=usage.server_tool_use.web_search_requests if searches is None else searches,
        service_tier=chat.service_tier,
    )


def _cost_usd(usage: _Usage) -> float | None:
    """Return the cost that the router reports, including charges to the user's own key."""
    upstream = usage.cost_details.upstream_inference_cost
    if usage.is_byok is True or (not usage.cost and upstream):
        # With the user's own key the upstream charges, and the router little or nothing.
        return None if upstream is None else upstream + (usage.cost or 0.0)
    return usage.cost
