"""Responses: OpenAI's own form."""

from collections.abc import Iterator
from typing import Annotated, Any

from acm_workers.errors import ProviderUnavailable
from acm_workers.providers import evidence, wanted, wire
from acm_workers.providers.answers import Answer, storable
from acm_workers.providers.evidence import Link
from acm_workers.providers.wanted import Wanted
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
    return read(wire.ask(provider, name, PATH, asked, client_request_id))


def body(request: Request, provider: Provider) -> dict[str, Any]:
    """Return ``request`` as this dialect sends it.

    Raises:
        ProviderRejected: It cannot be sent so; see ``wanted.of``.
    """
    want = wanted.of(request, provider)
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
    response = wire.read(_Response, answer)
    usage = _usage(response)
    if response.error or response.status == "failed":
        raise wire.failed(answer, response.error, usage)
    if response.status in ("cancelled", *UNFINISHED):
        said = f"{answer.provider}: the answer is {response.status}"
        raise wire.costing(ProviderUnavailable(said, status=answer.status), usage)
    parts = list(_parts(response.output))
    text = "".join(part.text for part in parts if part.type == "output_text" and part.text)
    refusal = "".join(part.refusal for part in parts if part.refusal)
    if response.status == "incomplete" and response.incomplete_details.reason == _FILTERED:
        raise wire.stopped(answer, _FILTERED, usage, text)
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
    return _usage(wire.read(_Response, answer))


class _Annotation(wire.Wire):
    """Where a piece of the text comes from."""

    type: wire.String = None
    url: wire.String = None
    title: wire.String = None
    start_index: wire.Count = None
    end_index: wire.Count = None


class _InputDetails(wire.Wire):
    cached_tokens: wire.Count = None
    cache_write_tokens: wire.Count = None


class _OutputDetails(wire.Wire):
    reasoning_tokens: wire.Count = None


class _Usage(wire.Wire):
    input_tokens: wire.Count = None
    output_tokens: wire.Count = None
    input_tokens_details: Annotated[_InputDetails, wire.Object] = _InputDetails()
    output_tokens_details: Annotated[_OutputDetails, wire.Object] = _OutputDetails()


class _Part(wire.Wire):
    type: wire.String = None
    text: wire.String = None
    refusal: wire.String = None
    annotations: Annotated[tuple[_Annotation, ...], wire.Objects] = ()


class _Page(wire.Wire):
    url: wire.String = None
    title: wire.String = None


class _Action(wire.Wire):
    type: wire.String = None
    query: wire.String = None
    queries: wire.Strings = ()
    url: wire.String = None
    sources: Annotated[tuple[_Page, ...], wire.Objects] = ()


class _Item(wire.Wire):
    type: wire.String = None
    status: wire.String = None
    phase: wire.String = None
    content: Annotated[tuple[_Part, ...], wire.Objects] = ()
    summary: Annotated[tuple[_Part, ...], wire.Objects] = ()
    action: Annotated[_Action, wire.Object] = _Action()


class _Incomplete(wire.Wire):
    reason: wire.String = None


class _Searches(wire.Wire):
    num_requests: wire.Count = None


class _ToolUsage(wire.Wire):
    web_search: Annotated[_Searches, wire.Object] = _Searches()


class _Response(wire.Wire):
    id: wire.String = None
    model: wire.String = None
    status: wire.String = None
    error: Any = None
    incomplete_details: Annotated[_Incomplete, wire.Object] = _Incomplete()
    output: Annotated[tuple[_Item, ...], wire.Objects] = ()
    usage: Annotated[_Usage, wire.Object] = _Usage()
    tool_usage: Annotated[_ToolUsage, wire.Object] = _ToolUsage()


def _thinking(want: Wanted) -> dict[str, Any]:
    if want.effort is None:
        return {}
    return {"reasoning": {"effort": want.effort, **({"summary": "auto"} if want.summary else {})}}


def _searching(want: Wanted, most: int | None) -> dict[str, Any]:
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


def _links(actions: list[_Action], cited: list[_Annotation]) -> Iterator[Link]:
    for action in actions:
        yield Link(action.url)
        for page in action.sources:
            yield Link(page.url, page.title)
    for note in cited:
        yield Link(note.url, note.title)


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
