"""Google's generateContent API."""

from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import quote

from acm_workers.errors import ProviderUnavailable
from acm_workers.providers.dialects import evidence, request_parameters, response_models
from acm_workers.providers.dialects.evidence import SourceLink
from acm_workers.providers.dialects.request_parameters import RequestParameters
from acm_workers.providers.http import transport
from acm_workers.providers.http.responses import ProviderResponse, storable, storable_json
from schemas.calls import Completion, Effort, Evidence, FinishReason, Request, Usage
from schemas.config.provider import Provider

_BUDGETS: dict[Effort, int] = {"low": 1024, "medium": 8192, "high": 24_576}
_LEAST_BUDGET = 512
_ROLES = {"user": "user", "assistant": "model"}
_FINISHES: dict[str | None, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
}
_FILTERED = ("SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR")


def complete(provider: Provider, name: str, request: Request, client_request_id: str) -> Completion:
    """Answer ``request``; see ``completion.complete``."""
    payload = body(request, provider)
    response = transport.ask(provider, name, path(request.model), payload, client_request_id)
    return read(response, request.so_far)


def path(model: str) -> str:
    """Return the path of ``model``, which this dialect names in the address."""
    name = model if "/" in model else f"models/{model}"
    return f"{quote(name)}:generateContent"


def body(request: Request, provider: Provider) -> dict[str, Any]:
    """Return the request body for ``request``.

    Raises:
        ProviderRejected: The provider does not support the request; see ``request_parameters.of``.
    """
    parameters = request_parameters.of(request, provider)
    system = [turn.content for turn in request.messages if turn.role == "system"]
    payload: dict[str, Any] = {
        "contents": [
            {"role": _ROLES[turn.role], "parts": [{"text": turn.content}]}
            for turn in request.messages
            if turn.role != "system"
        ]
    }
    if system:
        payload["systemInstruction"] = {"parts": [{"text": "\n\n".join(system)}]}
    if parameters.search:
        payload["tools"] = [{"google_search": {}}]
    generation = _generation(parameters)
    if generation:
        payload["generationConfig"] = generation
    if request.so_far:
        payload["continuationToken"] = request.so_far[-1]["continuationToken"]
    return payload


def read(response: ProviderResponse, so_far: tuple[Any, ...] = ()) -> Completion:
    """Return the completion in ``response``.

    Args:
        so_far: Earlier candidates of the same answer, which the response continues.

    Raises:
        AcmError: The response contains an error in spite of its status.
    """
    parsed = response_models.read(_Answer, response)
    usage = _usage(parsed)
    if parsed.error:
        raise response_models.failed(response, parsed.error, usage)
    if parsed.prompt_feedback.block_reason is not None:
        raise response_models.stopped(response, parsed.prompt_feedback.block_reason, usage)
    if not parsed.candidates:
        error = ProviderUnavailable(f"{response.provider}: an answer without candidates")
        raise response_models.costing(error, usage)
    last = parsed.candidates[0]
    whole = (*so_far, *_raw(response))
    hops = _Hops.model_validate({"hops": list(whole)}).hops
    finish = _finish(last)
    text = "".join(part.text for part in _parts(hops) if part.text and part.thought is not True)
    if last.finish_reason in _FILTERED:
        raise response_models.stopped(response, last.finish_reason, usage, text)
    return Completion(
        text=storable(text),
        finish_reason=finish,
        usage=usage,
        evidence=_evidence(hops, usage),
        model=parsed.model_version,
        response_id=parsed.response_id,
        request_id=response.request_id,
        status=response.status,
        so_far=whole if finish == "pause" else (),
    )


class _Part(response_models.CamelCaseModel):
    text: response_models.String = None
    thought: Any = None


class _Content(response_models.CamelCaseModel):
    parts: Annotated[tuple[_Part, ...], response_models.Objects] = ()


class _Web(response_models.CamelCaseModel):
    uri: response_models.String = None
    title: response_models.String = None


class _Chunk(response_models.CamelCaseModel):
    web: Annotated[_Web, response_models.Object] = _Web()


class _Support(response_models.CamelCaseModel):
    grounding_chunk_indices: response_models.Counts = ()


class _Grounding(response_models.CamelCaseModel):
    web_search_queries: response_models.Strings = ()
    # Positions matter: supports refer to chunks by index.
    grounding_chunks: Annotated[tuple[_Chunk, ...], response_models.Places] = ()
    grounding_supports: Annotated[tuple[_Support, ...], response_models.Objects] = ()


class _Candidate(response_models.CamelCaseModel):
    content: Annotated[_Content, response_models.Object] = _Content()
    finish_reason: response_models.String = None
    grounding_metadata: Annotated[_Grounding, response_models.Object] = _Grounding()
    continuation_token: response_models.String = None


class _Hops(response_models.CamelCaseModel):
    hops: Annotated[tuple[_Candidate, ...], response_models.Objects] = ()


class _Feedback(response_models.CamelCaseModel):
    block_reason: response_models.String = None


class _BilledTool(response_models.CamelCaseModel):
    tool: response_models.String = None
    successful_tool_call_count: response_models.Count = None


class _UsageMetadata(response_models.CamelCaseModel):
    prompt_token_count: response_models.Count = None
    candidates_token_count: response_models.Count = None
    thoughts_token_count: response_models.Count = None
    tool_use_prompt_token_count: response_models.Count = None
    cached_content_token_count: response_models.Count = None
    billed_tool_calls: Annotated[tuple[_BilledTool, ...], response_models.Objects] = ()
    service_tier: response_models.Tier = None


class _Answer(response_models.CamelCaseModel):
    candidates: Annotated[tuple[_Candidate, ...], response_models.Objects] = ()
    prompt_feedback: Annotated[_Feedback, response_models.Object] = _Feedback()
    usage_metadata: Annotated[_UsageMetadata, response_models.Object] = _UsageMetadata()
    model_version: response_models.String = None
    response_id: response_models.String = None
    service_tier: response_models.Tier = None
    error: Any = None


def _generation(parameters: RequestParameters) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if parameters.max_tokens is not None:
        config["maxOutputTokens"] = parameters.max_tokens
    if parameters.temperature is not None:
        config["temperature"] = parameters.temperature
    if parameters.json_schema is not None:
        config["responseMimeType"] = "application/json"
        config["responseJsonSchema"] = request_parameters.google_schema(parameters.json_schema)
    if parameters.effort is not None:
        shown = {"includeThoughts": True} if parameters.summary else {}
        config["thinkingConfig"] = {**_amount(parameters, parameters.effort), **shown}
    return config


def _amount(parameters: RequestParameters, effort: Effort) -> dict[str, Any]:
    if not parameters.budgeted:
        return {"thinkingLevel": effort}
    budget = _BUDGETS[effort]
    if parameters.max_tokens is not None:  # the answer needs a part of it
        budget = max(min(budget, parameters.max_tokens // 2), _LEAST_BUDGET)
    return {"thinkingBudget": budget}


def _raw(response: ProviderResponse) -> list[Any]:
    """Return the first candidate as received, if there is one."""
    found = response.body.get("candidates")
    raw = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return [storable_json(one) for one in raw[:1]]


def _finish(candidate: _Candidate) -> FinishReason:
    if candidate.finish_reason == "CONTINUATION" and candidate.continuation_token:
        return "pause"
    return _FINISHES.get(candidate.finish_reason, "other")


def _parts(hops: tuple[_Candidate, ...]) -> Iterator[_Part]:
    for hop in hops:
        yield from hop.content.parts


def _evidence(hops: tuple[_Candidate, ...], usage: Usage) -> Evidence:
    grounds = [hop.grounding_metadata for hop in hops]
    queries = [query for ground in grounds for query in ground.web_search_queries]
    links = [
        SourceLink(chunk.web.uri, chunk.web.title, cited=number in cited)
        for ground, cited in ((ground, _cited(ground)) for ground in grounds)
        for number, chunk in enumerate(ground.grounding_chunks)
    ]
    return evidence.graded(
        # Billed searches prove a search even without metadata.
        searched=any(query.strip() for query in queries) or bool(usage.searches),
        cited=any(link.cited and link.url for link in links),
        queries=queries,
        links=links,
        thinking=evidence.of_text(
            (part.text for part in _parts(hops) if part.thought is True), usage.reasoning_tokens
        ),
    )


def _cited(ground: _Grounding) -> set[int]:
    """Return the positions of the pages that parts of the text cite."""
    return {
        number
        for support in ground.grounding_supports
        for number in support.grounding_chunk_indices
    }


def _usage(parsed: _Answer) -> Usage:
    counts = parsed.usage_metadata
    counted = counts.prompt_token_count is not None
    return Usage(
        # Search results are input too; the candidates' tokens do not include thoughts.
        input_tokens=_sum(counts.prompt_token_count, counts.tool_use_prompt_token_count, counted),
        output_tokens=_sum(counts.candidates_token_count, counts.thoughts_token_count, counted),
        cached_tokens=counts.cached_content_token_count,
        reasoning_tokens=counts.thoughts_token_count,
        searches=_billed_searches(parsed),
        search_tokens=counts.tool_use_prompt_token_count,
        service_tier=counts.service_tier or parsed.service_tier,
    )


def _billed_searches(parsed: _Answer) -> int:
    """Return the billed number of searches, or else the number of different queries."""
    billed = [
        tool.successful_tool_call_count
        for tool in parsed.usage_metadata.billed_tool_calls
        if tool.successful_tool_call_count is not None
        and (tool.tool is None or "search" in tool.tool.lower())
    ]
    if billed:
        return sum(billed)
    candidates = parsed.candidates[:1]
    queries = (query for one in candidates for query in one.grounding_metadata.web_search_queries)
    return len({query.strip() for query in queries} - {""})


def _sum(first: int | None, second: int | None, counted: bool) -> int | None:
    """Return the sum, in which a missing count is 0 if others are present."""
    return (first or 0) + (second or 0) if counted else None
