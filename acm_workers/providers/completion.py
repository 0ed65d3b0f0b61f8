"""The one way to a model, whatever its provider speaks."""

import hashlib
from collections.abc import Callable
from typing import Any

from pydantic_core import to_json

from acm_workers.errors import AcmError
from acm_workers.providers.dialects import anthropic, google, openai, openai_chat
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
        provider: Where to ask.
        name: What the config calls it.
        request: What to ask.
        client_request_id: Our name for this attempt, shown in the provider's own records.

    Raises:
        RequestError: The key is missing.
        TransientError: The same request may succeed later.
        ParameterRefused: It may in another form; also raised before anything is sent.
        PermanentError: It will not.
        ProviderPaused: The provider's money or quota is used up, or its key is refused.
    """
    try:
        return _COMPLETE[provider.dialect](provider, name, request, client_request_id)
    except AcmError as error:
        redaction.strip(error, provider, request)
        raise


def digest(provider: Provider, request: Request) -> str:
    """Return what is the same for two requests exactly if they ask the same of the same.

    Raises:
        ProviderRejected: It cannot be sent so; see ``wanted.of``.
    """
    dialect, where = provider.dialect, provider.base_url
    # Google's bodies do not name the model.
    body = _BODY[dialect](request, provider)
    identity = [request.provider, dialect, where, request.model, body]
    # Bodies are built in one fixed order, so their bytes need no sorting.
    return hashlib.sha256(to_json(identity)).hexdigest()
