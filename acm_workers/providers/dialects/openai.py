"""OpenAI's Responses API."""

from collections.abc import Iterator
from typing import Annotated, Any

from acm_workers.errors import ProviderUnavailable
from acm_workers.providers.dialects import evidence, request_parameters, response_models
from acm_workers.providers.dialects.evidence import SourceLink
from acm_workers.providers.dialects.request_parameters import RequestParameters
from acm_workers.providers.http import transport
from acm_workers.providers.http.responses import ProviderResponse, storable
from schemas.calls import Completion, Evidence, FinishReason, Request, Usage
from schemas.config.provider import Provider

PATH = "responses"
UNFINISHED = ("queued", "in_progress")
SOURCES = "web_search_call.action.sources"
"""Field to request, because searches otherwise do not list their pages."""

_SEARCH_ACTIONS = ("search", "open_page", "find_in_page")
_FILTERED = "content_filter"
_INCOMPLETE_REASONS: dict[str | None, FinishReason] = {"max_output_tokens": "length"}


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
    system = [turn.content for turn in request.messages if turn.role == "system"]
    payload: dict[str, Any] = {
        "model": request.model,
        "input": [
            {"role": turn.role, "content": turn.content}
            for turn in request.messages
            if turn.role != "system"
        ],
        "store": False,
    }
    if system:
        payload["instructions"] = "\n\n".join(system)
    if parameters.max_tokens is not None:
        payload["max_output_tokens"] = parameters.max_tokens
    if parameters.temperature is not None:
        payload["temperature"] = parameters.temperature
    if parameters.json_schema is not None:
        payload["text"] = {
            "format": {
                "type": "json_schema",
                "name": request.schema_name,
                "schema": parameters.json_schema,
                "strict": True,
            }
        }
    return {**payload, **_thinking(parameters), **_searching(parameters, request.max_searches)}


def read(response: ProviderResponse) -> Completion:
    """Return the completion in ``response``.

    Raises:
        AcmError: The response contains an error in spite of its status, or is not finished.
    """
    parsed = response_models.read(_Response, response)
    usage = _usage(parsed)
    if parsed.error or parsed.status == "failed":
        raise response_models.failed(response, parsed.error, usage)
    if parsed.status in ("cancelled", *UNFINISHED):
        message = f"{response.provider}: the answer is {parsed.status}"
        raise response_models.costing(ProviderUnavailable(message, status=response.status), usage)
    parts = list(_parts(parsed.output))
    text = "".join(part.text for part in parts if part.type == "output_text" and part.text)
    refusal = "".join(part.refusal for part in parts if part.refusal)
    if parsed.status == "incomplete" and parsed.incomplete_details.reason == _FILTERED:
        raise response_models.stopped(response, _FILTERED, usage, text)
    finish = _finish(parsed)
    if refusal and not text:
        text, finish = refusal, "refusal"
    return Completion(
        text=storable(text),
        finish_reason=finish,
        usage=usage,
        evidence=_evidence(parsed),
        model=parsed.model,
        response_id=parsed.id,
        request_id=response.request_id,
        status=response.status,
    )


def usage(response: ProviderResponse) -> Usage:
    """Return the usage that ``response`` reports."""
    return _usage(response_models.read(_Response, response))


class _Annotation(response_models.ResponseModel):
    """The source of a part of the text."""

    type: response_models.String = None
    url: response_models.String = None
    title: response_models.String = None
    start_index: response_models.Count = None
    end_index: response_models.Count = None


class _InputDetails(response_models.ResponseModel):
    cached_tokens: response_models.Count = None
    cache_write_tokens: response_models.Count = None


class _OutputDetails(response_models.ResponseModel):
    reasoning_tokens: response_models.Count = None


class _Usage(response_models.ResponseModel):
    input_tokens: response_models.Count = None
    output_tokens: response_models.Count = None
    input_tokens_details: Annotated[_InputDetails, response_models.Object] = _InputDetails()
    output_tokens_details: Annotated[_OutputDetails, response_models.Object] = _OutputDetails()


class _Part(response_models.ResponseModel):
    type: response_models.String = None
    text: response_models.String = None
    refusal: response_models.String = None
    annotations: Annotated[tuple[_Annotation, ...], response_models.Objects] = ()


class _Page(response_models.ResponseModel):
    url: response_models.String = None
    title: response_models.String = None


class _Action(response_models.ResponseModel):
    type: response_models.String = None
    query: response_models.String = None
    queries: response_models.Strings = ()
    url: response_models.String = None
    sources: Annotated[tuple[_Page, ...], response_models.Objects] = ()


class _Item(response_models.ResponseModel):
    type: response_models.String = None
    status: response_models.String = None
    phase: response_models.String = None
    content: Annotated[tuple[_Part, ...], response_models.Objects] = ()
    summary: Annotated[tuple[_Part, ...], response_models.Objects] = ()
    action: Annotated[_Action, response_models.Object] = _Action()


class _Incomplete(response_models.ResponseModel):
    reason: response_models.String = None


class _Searches(response_models.ResponseModel):
    num_requests: response_models.Count = None


class _ToolUsage(response_models.ResponseModel):
    web_search: Annotated[_Searches, response_models.Object] = _Searches()


class _Response(response_models.ResponseModel):
    id: response_models.String = None
    model: response_models.String = None
    status: response_models.String = None
    error: Any = None
    incomplete_details: Annotated[_Incomplete, response_models.Object] = _Incomplete()
    output: Annotated[tuple[_Item, ...], response_models.Objects] = ()
    usage: Annotated[_Usage, response_models.Object] = _Usage()
    tool_usage: Annotated[_ToolUsage, response_models.Object] = _ToolUsage()
    service_tier: response_models.Tier = None


def _thinking(parameters: RequestParameters) -> dict[str, Any]:
    if parameters.effort is None:
        return {}
    return {
        "reasoning": {
            "effort": parameters.effort,
            **({"summary": "auto"} if parameters.summary else {}),
        }
    }


def _searching(parameters: RequestParameters, most: int | None) -> dict[str, Any]:
    if not parameters.search:
        return {}
    limit = {} if most is None else {"max_tool_calls": most}
    return {"tools": [{"type": "web_search"}], **limit, "include": [SOURCES]}


def _parts(output: tuple[_Item, ...]) -> Iterator[_Part]:
    for item in output:
        # Commentary accompanies the work; it is not part of the answer.
        if item.type == "message" and item.phase != "commentary":
            yield from item.content


def _finish(parsed: _Response) -> FinishReason:
    if parsed.status == "incomplete":
        return _INCOMPLETE_REASONS.get(parsed.incomplete_details.reason, "other")
    return "stop" if parsed.status == "completed" else "other"


def _evidence(parsed: _Response) -> Evidence:
    """Return the evidence in the output; ``tools`` and ``reasoning`` only repeat the request."""
    actions = [
        item.action
        for item in parsed.output
        if item.type == "web_search_call"
        and item.status == "completed"
        and item.action.type in _SEARCH_ACTIONS
    ]
    cited = [note for part in _parts(parsed.output) for note in part.annotations if _ties(note)]
    thoughts = [item for item in parsed.output if item.type == "reasoning"]
    return evidence.graded(
        searched=bool(actions),
        # An annotation does not prove a search if none succeeded.
        cited=bool(actions and cited),
        queries=(query for action in actions for query in (action.query, *action.queries)),
        links=_links(actions, cited) if actions else (),
        thinking=evidence.of_text(
            (part.text for item in thoughts for part in (*item.summary, *item.content)),
            parsed.usage.output_tokens_details.reasoning_tokens,
        ),
    )


def _ties(note: _Annotation) -> bool:
    """Return whether ``note`` cites a page for a part of the text."""
    return (
        note.type == "url_citation"
        and bool(note.url)
        and note.end_index is not None
        and note.end_index > (note.start_index or 0)
    )


def _links(actions: list[_Action], cited: list[_Annotation]) -> Iterator[SourceLink]:
    for action in actions:
        yield SourceLink(action.url)
        for page in action.sources:
            yield SourceLink(page.url, page.title)
    for note in cited:
        yield SourceLink(note.url, note.title, cited=True)


def _usage(parsed: _Response) -> Usage:
    usage = parsed.usage
    searches = parsed.tool_usage.web_search.num_requests
    if searches is None:  # older responses; opened pages and failed searches are not billed
        searches = sum(
            item.type == "web_search_call"
            and item.action.type == "search"
            and item.status != "failed"
            for item in parsed.output
        )
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.input_tokens_details.cached_tokens,
        cache_write_tokens=usage.input_tokens_details.cache_write_tokens,
        reasoning_tokens=usage.output_tokens_details.reasoning_tokens,
        searches=searches,
        service_tier=parsed.service_tier,
    )
