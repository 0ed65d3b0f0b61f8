"""Responses: OpenAI's own form."""

from collections.abc import Iterator
from typing import Annotated, Any

from acm_workers.errors import ProviderUnavailable
from acm_workers.providers.dialects import evidence, request_parameters, response_models
from acm_workers.providers.dialects.evidence import SourceLink
from acm_workers.providers.dialects.request_parameters import RequestParameters
from acm_workers.providers.http.answers import Answer, storable
from schemas.calls import Completion, Evidence, FinishReason, Request, Usage
from schemas.config.provider import Provider

PATH = "responses"
UNFINISHED = ("queued", "in_progress")
SOURCES = "web_search_call.action.sources"
"""What must be asked for, or searches do not tell what they found."""

_LOOKS = ("search", "open_page", "find_in_page")
_FILTERED = "content_filter"
_CUT_OFF: dict[str | None, FinishReason] = {"max_output_tokens": "length"}


def complete(provider: Provider, name: str, request: Request, client_request_id: str) -> Completion:
    """Answer ``request``; see ``dialects.complete``."""
    asked = body(request, provider)
    return read(response_models.ask(provider, name, PATH, asked, client_request_id))


def body(request: Request, provider: Provider) -> dict[str, Any]:
    """Return ``request`` as this dialect sends it.

    Raises:
        ProviderRejected: It cannot be sent so; see ``wanted.of``.
    """
    want = request_parameters.of(request, provider)
    system = [turn.content for turn in request.messages if turn.role == "system"]
    sent: dict[str, Any] = {
        "model": request.model,
        "input": [
            {"role": turn.role, "content": turn.content}
            for turn in request.messages
            if turn.role != "system"
        ],
        "store": False,
    }
    if system:
        sent["instructions"] = "\n\n".join(system)
    if want.max_tokens is not None:
        sent["max_output_tokens"] = want.max_tokens
    if want.temperature is not None:
        sent["temperature"] = want.temperature
    if want.json_schema is not None:
        sent["text"] = {
            "format": {
                "type": "json_schema",
                "name": request.schema_name,
                "schema": want.json_schema,
                "strict": True,
            }
        }
    return {**sent, **_thinking(want), **_searching(want, request.max_searches)}


def read(answer: Answer) -> Completion:
    """Return what ``answer`` says.

    Raises:
        AcmError: It is an error in the dress of a success, or not finished.
    """
    response = response_models.read(_Response, answer)
    usage = _usage(response)
    if response.error or response.status == "failed":
        raise response_models.failed(answer, response.error, usage)
    if response.status in ("cancelled", *UNFINISHED):
        said = f"{answer.provider}: the answer is {response.status}"
        raise response_models.costing(ProviderUnavailable(said, status=answer.status), usage)
    parts = list(_parts(response.output))
    text = "".join(part.text for part in parts if part.type == "output_text" and part.text)
    refusal = "".join(part.refusal for part in parts if part.refusal)
    if response.status == "incomplete" and response.incomplete_details.reason == _FILTERED:
        raise response_models.stopped(answer, _FILTERED, usage, text)
    finish = _finish(response)
    if refusal and not text:
        text, finish = refusal, "refusal"
    return Completion(
        text=storable(text),
        finish_reason=finish,
        usage=usage,
        evidence=_evidence(response),
        model=response.model,
        response_id=response.id,
        request_id=answer.request_id,
        status=answer.status,
    )


def usage(answer: Answer) -> Usage:
    """Return what ``answer`` took, whatever it says."""
    return _usage(response_models.read(_Response, answer))


class _Annotation(response_models.ResponseModel):
    """Where a piece of the text comes from."""

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


def _thinking(want: RequestParameters) -> dict[str, Any]:
    if want.effort is None:
        return {}
    return {"reasoning": {"effort": want.effort, **({"summary": "auto"} if want.summary else {})}}


def _searching(want: RequestParameters, most: int | None) -> dict[str, Any]:
    if not want.search:
        return {}
    limit = {} if most is None else {"max_tool_calls": most}
    return {"tools": [{"type": "web_search"}], **limit, "include": [SOURCES]}


def _parts(output: tuple[_Item, ...]) -> Iterator[_Part]:
    for item in output:
        # Commentary is what the model says on its way; it is no part of the answer.
        if item.type == "message" and item.phase != "commentary":
            yield from item.content


def _finish(response: _Response) -> FinishReason:
    if response.status == "incomplete":
        return _CUT_OFF.get(response.incomplete_details.reason, "other")
    return "stop" if response.status == "completed" else "other"


def _evidence(response: _Response) -> Evidence:
    """Return what the output shows; ``tools`` and ``reasoning`` only repeat the request."""
    actions = [
        item.action
        for item in response.output
        if item.type == "web_search_call"
        and item.status == "completed"
        and item.action.type in _LOOKS
    ]
    cited = [note for part in _parts(response.output) for note in part.annotations if _ties(note)]
    thoughts = [item for item in response.output if item.type == "reasoning"]
    return evidence.graded(
        searched=bool(actions),
        # An annotation without any search that worked is no proof of one.
        cited=bool(actions and cited),
        queries=(query for action in actions for query in (action.query, *action.queries)),
        links=_links(actions, cited) if actions else (),
        thinking=evidence.of_text(
            (part.text for item in thoughts for part in (*item.summary, *item.content)),
            response.usage.output_tokens_details.reasoning_tokens,
        ),
    )


def _ties(note: _Annotation) -> bool:
    """Return whether ``note`` ties a piece of the text to a page."""
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
        yield SourceLink(note.url, note.title)


def _usage(response: _Response) -> Usage:
    usage = response.usage
    searches = response.tool_usage.web_search.num_requests
    if searches is None:  # older answers: pages that are opened cost nothing, failures neither
        searches = sum(
            item.type == "web_search_call"
            and item.action.type == "search"
            and item.status != "failed"
            for item in response.output
        )
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.input_tokens_details.cached_tokens,
        cache_write_tokens=usage.input_tokens_details.cache_write_tokens,
        reasoning_tokens=usage.output_tokens_details.reasoning_tokens,
        searches=searches,
    )
