"""What of a request is sent to a model, given what the model accepts."""

from typing import Any, NamedTuple

from acm_workers.errors import ParameterRefused, ProviderRejected
from acm_workers.providers.catalog import capabilities
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import Effort, Request
from schemas.config.provider import Provider

_TWO_FORMS = ("anthropic", "google")
"""Dialects whose older models are told in tokens how much to think, and newer ones in words."""


class RequestParameters(NamedTuple):
    """What is sent beside the messages.

    Attributes:
        thinks: Thinking is asked for, so that it is seen that it took place.
        summary: And a summary of it.
        effort: How much thinking, in an accepted word.
        budgeted: Thinking is asked for in tokens, not in words.
    """

    max_tokens: int | None
    temperature: float | None
    json_schema: dict[str, Any] | None
    search: bool
    thinks: bool
    summary: bool
    effort: Effort | None
    budgeted: bool


def of(request: Request, provider: Provider) -> RequestParameters:
    """Return what of ``request`` is sent.

    Raises:
        ParameterRefused: Search and a schema do not work in one call; nothing was sent.
        ProviderRejected: The provider has no search; nothing was sent.
    """
    able = capabilities.of(provider, request.model)
    json_schema = request.json_schema if able.json_schema else None
    if "json_schema" in request.left_out:
        json_schema = None
    if request.search:
        _refuse_search(request, able, with_schema=json_schema is not None)
    effort = _effort(request, provider, able)
    thinks = request.reasoning != "none" and effort is not None
    return RequestParameters(
        max_tokens=_least(request.max_tokens, able.max_output),
        temperature=_temperature(request, able, thinks=effort is not None),
        json_schema=json_schema,
        search=request.search,
        thinks=thinks,
        summary=thinks and request.reasoning == "summary",
        effort=effort,
        # A form that was refused once is not asked for again: the other one is.
        budgeted=able.thinking_budget != ("reasoning" in request.left_out),
    )


def _refuse_search(request: Request, able: Capabilities, *, with_schema: bool) -> None:
    where = f"{request.provider}: {request.model}"
    if not able.search:
        raise ProviderRejected(f"{where} has no web search of its own")
    if with_schema and (not able.tools_with_json or "search_with_schema" in request.left_out):
        raise ParameterRefused(
            f"{where} cannot search and follow a schema in one call", "search_with_schema"
        )


def _effort(request: Request, provider: Provider, able: Capabilities) -> Effort | None:
    if "reasoning" in request.left_out and (
        request.reasoning == "none" or provider.dialect not in _TWO_FORMS
    ):
        return None
    # Some models think only when they are told how much, so what must be seen is always asked for.
    wanted = request.effort or ("medium" if request.reasoning != "none" else None)
    return None if wanted is None else able.nearest(wanted)


def _temperature(request: Request, able: Capabilities, *, thinks: bool) -> float | None:
    accepted = able.sampling and (able.sampling_while_thinking or not thinks)
    return None if "temperature" in request.left_out or not accepted else request.temperature


def _least(asked: int | None, most: int | None) -> int | None:
    return asked if asked is None or most is None else min(asked, most)
