"""Completions from any provider, regardless of its dialect."""

import hashlib
from collections.abc import Callable
from typing import Any

from pydantic_core import to_json

from acm_workers.errors import AcmError
from acm_workers.providers.dialects import anthropic, evidence, google, openai, openai_chat
from acm_workers.providers.http import redaction
from schemas.calls import Completion, Request
from schemas.config.provider import Dialect, Provider

_COMPLETE: dict[Dialect, Callable[[Provider, str, Request, str], Completion]] = {
    "openai_chat": openai_chat.complete,
    "openai": openai.complete,
    "anthropic": anthropic.complete,
    "google": google.complete,
}
_BODY: dict[Dialect, Callable[[Request, Provider], dict[str, Any]]] = {
    "openai_chat": openai_chat.body,
    "openai": openai.body,
    "anthropic": anthropic.body,
    "google": google.body,
}


def complete(provider: Provider, name: str, request: Request, client_request_id: str) -> Completion:
    """Answer ``request`` with one HTTP request; nothing is retried here.

    Args:
        name: The provider's name in the config.
        client_request_id: ACM's id of this attempt, which appears in the provider's records.

    Raises:
        RequestError: The key is missing.
        TransientError: The same request may succeed later.
        ParameterRefused: The request may succeed without one parameter; also raised before
            anything is sent.
        PermanentError: The request will not succeed.
        ProviderPaused: The provider's credit or quota is used up, or its key is refused.
    """
    try:
        answer = _COMPLETE[provider.dialect](provider, name, request, client_request_id)
    except AcmError as error:
        redaction.redact_error(error, provider, request)
        raise
    return evidence.beyond_prompt(answer, request)


def digest(provider: Provider, request: Request) -> str:
    """Return a digest that is equal for two requests if and only if they are the same request.

    Raises:
        ProviderRejected: The provider does not support the request; see ``request_parameters.of``.
    """
    dialect = provider.dialect
    body = _BODY[dialect](request, provider)
    # Google's bodies do not name the model.
    identity = [request.provider, dialect, provider.base_url, request.model, body]
    # Bodies are built in a fixed order, so their keys need no sorting.
    return hashlib.sha256(to_json(identity)).hexdigest()
