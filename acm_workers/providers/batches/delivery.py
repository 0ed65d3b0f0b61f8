"""The batch interface of a provider, regardless of its dialect."""

from collections.abc import Mapping
from typing import Any

import acm_workers.providers.batches.anthropic as of_anthropic
import acm_workers.providers.batches.google as of_google
import acm_workers.providers.batches.openai as of_openai
from acm_workers.errors import AcmError, AnswerLost, ProviderUnavailable
from acm_workers.providers.batches.records import BatchDialect, BatchResult
from acm_workers.providers.catalog import prices
from acm_workers.providers.dialects import anthropic, google, openai
from acm_workers.providers.http import failures, redaction
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion, Request
from schemas.config.provider import Dialect, Provider

_DIALECTS: Mapping[Dialect, BatchDialect] = {
    "openai": of_openai,
    "anthropic": of_anthropic,
    "google": of_google,
}
_BODIES = {"openai": openai.body, "anthropic": anthropic.body, "google": google.body}
_READERS = {"openai": openai.read, "anthropic": anthropic.read, "google": google.read}
_NOT_EXECUTED = {
    "expired": "the request was not answered within a day",
    "cancelled": "the batch was cancelled before the request was answered",
    "failed": "the provider did not execute the request",
    "lost": "the provider no longer knows the batch; the answer may have been paid",
    "missing": "the results of the batch say nothing of the request",
}


def of(provider: Provider) -> BatchDialect:
    """Return the batch interface of a provider, which a valid config guarantees to exist."""
    return _DIALECTS[provider.dialect]


def body(provider: Provider, request: Request) -> dict[str, Any]:
    """Return the body of a request, identical to that of an individual request."""
    return _BODIES[provider.dialect](request, provider)


def read(provider: Provider, name: str, result: BatchResult) -> Completion:
    """Return the completion in a batch result, at the price of batches.

    Raises:
        AcmError: See ``completion.complete``; ``final`` is set.
    """
    try:
        if result.status is None:
            raise _not_executed(name, result)
        response = ProviderResponse(name, result.status, body=result.body)
        failures.check(response)
        completion = _READERS[provider.dialect](response)
    except AcmError as error:
        redaction.redact_error(error, provider)
        if error.usage is not None:
            error.usage = error.usage.model_copy(update={"service_tier": prices.BATCH})
        error.final = True
        raise
    usage = completion.usage.model_copy(update={"service_tier": prices.BATCH})
    return completion.model_copy(update={"usage": usage})


def _not_executed(name: str, result: BatchResult) -> AcmError:
    reason = result.reason or "failed"
    said = f"{name}: {_NOT_EXECUTED[reason]}"
    message = result.body.get("message") if isinstance(result.body, dict) else result.body
    if isinstance(message, str) and message:
        said += f": {message[:300]}"
    if reason == "lost":
        lost = AnswerLost(said)
        lost.maybe_billed = True
        return lost
    return ProviderUnavailable(said)
