"""Anthropic's Messages API."""

from collections.abc import Iterator
from typing import Annotated, Any

from acm_workers.providers.dialects import evidence, request_parameters, response_models
from acm_workers.providers.dialects.evidence import SourceLink
from acm_workers.providers.dialects.request_parameters import RequestParameters
from acm_workers.providers.http import transport
from acm_workers.providers.http.responses import ProviderResponse, storable, storable_json
from schemas.calls import Completion, Effort, Evidence, FinishReason, Request, Usage
from schemas.config.provider import Provider

PATH = "messages"
MAX_TOKENS = 20_000
"""Default token limit: this API requires one, and closes connections that are silent for long."""

_VERSION, _SAMPLING_VERSION = "2026-10-21", "2023-06-01"
_BUDGETS: dict[Effort, int] = {"low": 2048, "medium": 8192, "high": 16_384}
_LEAST_BUDGET = 1024
_SEARCH = "web_search"
# Newer search tools filter through code and return pages without citations.
_SEARCH_TOOL = {"type": "web_search_20250305", "name": _SEARCH}
_FINISHES: dict[str | None, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "pause_turn": "pause",
}


def complete(provider: Provider, name: str, request: Request, client_request_id: str) -> Completion:
    """Answer ``request``; see ``completion.complete``."""
    payload = body(request, provider)
    headers = {"anthropic-version": version(payload)}
    response = transport.ask(provider, name, PATH, payload, client_request_id, headers)
    return read(response, request.so_far)


def version(body: dict[str, Any]) -> str:
    """Return the API version for ``body``: the newest does not accept a temperature."""
    return _SAMPLING_VERSION if "temperature" in body else _VERSION


def body(request: Request, provider: Provider) -> dict[str, Any]:
    """Return the request body for ``request``.

    Raises:
        ProviderRejected: The provider does not support the request; see ``request_parameters.of``.
    """
    parameters = request_parameters.of(request, provider)
    system = [turn.content for turn in request.messages if turn.role == "system"]
    messages: list[dict[str, Any]] = [
        {"role": turn.role, "content": turn.content}
        for turn in request.messages
        if turn.role != "system"
    ]
    if request.so_far:
        messages.append({"role": "assistant", "content": list(request.so_far)})
    payload: dict[str, Any] = {
        "model": request.model,
        "max_tokens": parameters.max_tokens or MAX_TOKENS,
        "messages": messages,
    }
    if system:
        payload["system"] = "\n\n".join(system)
    if parameters.temperature is not None:
        payload["temperature"] = parameters.temperature
    if parameters.search:
        limit = {} if request.max_searches is None else {"max_uses": request.max_searches}
        payload["tools"] = [{**_SEARCH_TOOL, **limit}]
    thinking = _thinking(parameters, payload["max_tokens"])
    if thinking is not None:
        payload["thinking"] = thinking
    output = _output(parameters)
    return {**payload, "output_config": output} if output else payload


def read(response: ProviderResponse, so_far: tuple[Any, ...] = ()) -> Completion:
    """Return the completion in ``response``.

    Args:
        so_far: Blocks from before the model paused, which the response continues.

    Raises:
        AcmError: The response contains an error in spite of its status.
    """
    parsed = response_models.read(_Message, response)
    usage = _usage(parsed.usage)
    if parsed.type == "error" or parsed.error:
        raise response_models.failed(response, parsed.error, usage)
    raw = response.body.get("content")
    whole = (*so_far, *(raw if isinstance(raw, list) else ()))
    blocks = _Blocks.model_validate({"blocks": list(whole)}).blocks
    # Citations split sentences into blocks, so blocks are joined without a separator.
    text = "".join(block.text or "" for block in blocks if block.type == "text")
    if parsed.stop_reason == "refusal":
        raise response_models.stopped(response, parsed.stop_details.category, usage, text)
    if parsed.stop_reason == "model_context_window_exceeded":
        raise response_models.overfull(response, usage, text)
    finish = _FINISHES.get(parsed.stop_reason, "other")
    return Completion(
        text=storable(text),
        finish_reason=finish,
        usage=usage,
        evidence=_evidence(blocks, usage),
        model=parsed.model,
        response_id=parsed.id,
        request_id=response.request_id,
        status=response.status,
        so_far=tuple(storable_json(block) for block in whole) if finish == "pause" else (),
    )


class _ServerToolUse(response_models.ResponseModel):
    web_search_requests: response_models.Count = None


class _OutputDetails(response_models.ResponseModel):
    thinking_tokens: response_models.Count = None


class _Usage(response_models.ResponseModel):
    input_tokens: response_models.Count = None
    cache_creation_input_tokens: response_models.Count = None
    cache_read_input_tokens: response_models.Count = None
    output_tokens: response_models.Count = None
    output_tokens_details: Annotated[_OutputDetails, response_models.Object] = _OutputDetails()
    server_tool_use: Annotated[_ServerToolUse, response_models.Object] = _ServerToolUse()
    service_tier: response_models.Tier = None
    speed: response_models.Tier = None


class _Page(response_models.ResponseModel):
    """A page that a search found, or a part of it that the text cites."""

    type: response_models.String = None
    url: response_models.String = None
    title: response_models.String = None


class _Query(response_models.ResponseModel):
    query: response_models.String = None


class _Block(response_models.ResponseModel):
    type: response_models.String = None
    text: response_models.String = None
    citations: Annotated[tuple[_Page, ...], response_models.Objects] = ()
    thinking: response_models.String = None
    signature: response_models.String = None
    data: response_models.String = None
    id: response_models.String = None
    name: response_models.String = None
    input: Annotated[_Query, response_models.Object] = _Query()
    tool_use_id: response_models.String = None
    content: Any = None


class _Blocks(response_models.ResponseModel):
    blocks: Annotated[tuple[_Block, ...], response_models.Objects] = ()


class _Pages(response_models.ResponseModel):
    pages: Annotated[tuple[_Page, ...], response_models.Objects] = ()


class _StopDetails(response_models.ResponseModel):
    category: response_models.String = None


class _Message(response_models.ResponseModel):
    id: response_models.String = None
    type: response_models.String = None
    model: response_models.String = None
    stop_reason: response_models.String = None
    stop_details: Annotated[_StopDetails, response_models.Object] = _StopDetails()
    usage: Annotated[_Usage, response_models.Object] = _Usage()
    error: Any = None


def _thinking(parameters: RequestParameters, max_tokens: int) -> dict[str, Any] | None:
    if not parameters.thinks or parameters.effort is None:
        return None
    shown = {"display": "summarized"} if parameters.summary else {}
    if not parameters.budgeted:
        return {"type": "adaptive", **shown}
    # The answer needs half of the budget, and less than the minimum is not worth asking for.
    budget = min(_BUDGETS[parameters.effort], max_tokens // 2)
    if budget < _LEAST_BUDGET:
        return None
    return {"type": "enabled", "budget_tokens": budget}


def _output(parameters: RequestParameters) -> dict[str, Any]:
    output: dict[str, Any] = {}
    if parameters.effort is not None and not parameters.budgeted:
        output["effort"] = parameters.effort
    if parameters.json_schema is not None:
        schema = request_parameters.anthropic_schema(parameters.json_schema)
        output["format"] = {"type": "json_schema", "schema": schema}
    return output


def _evidence(blocks: tuple[_Block, ...], usage: Usage) -> Evidence:
    results = [block for block in blocks if block.type == "web_search_tool_result"]
    # A failed search has an error object in place of the list.
    found = [block for block in results if isinstance(block.content, list)]
    worked = {block.tool_use_id for block in found}
    cited = [
        page
        for block in blocks
        if block.type == "text"
        for page in block.citations
        if page.type == "web_search_result_location" and page.url
    ]
    searched = bool(found) or (not results and bool(usage.searches))
    return evidence.graded(
        searched=searched,
        cited=searched and bool(cited),
        queries=(block.input.query for block in _searches(blocks) if block.id in worked),
        links=_links(found, cited) if searched else (),
        thinking=evidence.of_text(
            (block.thinking for block in blocks if block.type == "thinking"),
            usage.reasoning_tokens,
            hidden=any(_is_hidden_thought(block) for block in blocks),
        ),
    )


def _searches(blocks: tuple[_Block, ...]) -> Iterator[_Block]:
    return (block for block in blocks if block.type == "server_tool_use" and block.name == _SEARCH)


def _is_hidden_thought(block: _Block) -> bool:
    if block.type == "redacted_thinking":
        return bool(block.data)
    return block.type == "thinking" and bool(block.signature)


def _links(found: list[_Block], cited: list[_Page]) -> Iterator[SourceLink]:
    for block in found:
        for page in _Pages.model_validate({"pages": block.content}).pages:
            if page.type == "web_search_result":
                yield SourceLink(page.url, page.title)
    for page in cited:
        yield SourceLink(page.url, page.title, cited=True)


def _usage(usage: _Usage) -> Usage:
    # Anthropic counts cached tokens apart; ``Usage.input_tokens`` includes them.
    parts = (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
    searches = usage.server_tool_use.web_search_requests
    return Usage(
        input_tokens=None if usage.input_tokens is None else sum(part or 0 for part in parts),
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cache_read_input_tokens,
        cache_write_tokens=usage.cache_creation_input_tokens,
        reasoning_tokens=usage.output_tokens_details.thinking_tokens,
        searches=0 if searches is None and usage.output_tokens is not None else searches,
        # A speed other than the usual one has a price of its own, as a tier has.
        service_tier=usage.speed or usage.service_tier,
    )
