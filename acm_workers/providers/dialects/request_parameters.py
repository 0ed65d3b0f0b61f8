"""Request parameters and JSON schemas, adapted to the capabilities of a model."""

from typing import Any, NamedTuple

from acm_workers.errors import ParameterRefused, ProviderRejected
from acm_workers.providers.catalog import capabilities
from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.calls import Effort, Request
from schemas.config.provider import Provider

_BUDGET_OR_EFFORT = ("anthropic", "google")
"""Dialects whose older models accept a thinking budget in tokens, and newer models an effort."""


class RequestParameters(NamedTuple):
    """The parameters that are sent in addition to the messages.

    Attributes:
        thinks: Evidence of thinking is required, so thinking is requested explicitly.
        summary: A summary of the thinking is requested.
        effort: An effort that the model accepts.
        budgeted: The effort is sent as a budget in tokens.
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
    """Return the parameters of ``request`` that the model accepts.

    Raises:
        ParameterRefused: The model cannot search and follow a schema in one call.
        ProviderRejected: The model has no web search.
    """
    able = capabilities.of(provider, request.model)
    json_schema = request.json_schema if able.json_schema else None
    if "json_schema" in request.left_out:
        json_schema = None
    if request.search:
        _refuse_search(request, able, with_schema=json_schema is not None)
    max_tokens = request.max_tokens
    if max_tokens is not None and able.max_output is not None:
        max_tokens = min(max_tokens, able.max_output)
    effort = _effort(request, provider, able)
    thinks = request.reasoning != "none" and effort is not None
    return RequestParameters(
        max_tokens=max_tokens,
        temperature=_temperature(request, able, thinks=effort is not None),
        json_schema=json_schema,
        search=request.search,
        thinks=thinks,
        summary=thinks and request.reasoning == "summary",
        effort=effort,
        # After the model refused one of the two forms, the other one is sent.
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
        request.reasoning == "none" or provider.dialect not in _BUDGET_OR_EFFORT
    ):
        return None
    # Some models think only if an effort is set, so required evidence implies one.
    effort = request.effort or ("medium" if request.reasoning != "none" else None)
    return None if effort is None else able.nearest(effort)


def _temperature(request: Request, able: Capabilities, *, thinks: bool) -> float | None:
    accepted = able.sampling and (able.sampling_while_thinking or not thinks)
    return None if "temperature" in request.left_out or not accepted else request.temperature


def anthropic_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return ``schema`` as Anthropic accepts it: without ``type`` beside an ``enum``."""
    part = _with_each_subschema(schema, anthropic_schema)
    if "enum" in part:
        part.pop("type", None)
    return part


def google_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return ``schema`` as Google accepts it: objects list the order of their properties."""
    part = _with_each_subschema(schema, google_schema)
    if "properties" in part:
        part["propertyOrdering"] = list(part["properties"])
    return part


def _with_each_subschema(schema: dict[str, Any], change: Any) -> dict[str, Any]:
    part = dict(schema)
    if "properties" in part:
        part["properties"] = {name: change(inner) for name, inner in part["properties"].items()}
    if isinstance(part.get("items"), dict):
        part["items"] = change(part["items"])
    return part
