"""Background responses: submitted once, then polled for minutes to an hour.

A request that is submitted twice is billed twice, so ``submit`` is never repeated once it has
returned an id; ``poll`` and ``cancel`` may be repeated.
"""

import re
from urllib.parse import urlencode

from acm_workers.errors import AcmError, ProviderRejected, ProviderUnavailable
from acm_workers.providers.dialects import openai, response_models
from acm_workers.providers.http import failures, redaction, transport
from acm_workers.providers.http.responses import ProviderResponse
from schemas.calls import Completion, Request
from schemas.config.provider import Provider

_RESPONSE_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
_NOT_FOUND = 404
_NOT_CANCELLABLE = (400, _NOT_FOUND, 409)
_FINAL_STATES = ("completed", "incomplete", "failed", "cancelled")


def submit(
    provider: Provider, name: str, request: Request, client_request_id: str
) -> tuple[str, str]:
    """Submit ``request`` in the background; return the response's id and state.

    Args:
        provider: Speaks the dialect ``openai``.
        name: The provider's name in the config.
        client_request_id: ACM's id of this attempt, which is stored with the response, so that
            users can find the response at the provider.

    Raises:
        AcmError: See ``completion.complete``; with ``maybe_billed`` the request may be running.
    """
    asked = {
        **openai.body(request, provider),
        "background": True,
        "store": True,
        "metadata": {"client_request_id": client_request_id},
    }
    try:
        response = transport.ask(provider, name, openai.PATH, asked, client_request_id)
    except AcmError as error:
        redaction.redact_error(error, provider, request)
        raise
    submitted = response_models.read(_Submitted, response)
    if submitted.id is None or not _RESPONSE_ID.fullmatch(submitted.id):
        without_id = ProviderUnavailable(f"{name}: a background answer without an id", status=200)
        without_id.maybe_billed = True
        raise without_id
    return submitted.id, submitted.status or "queued"


def poll(provider: Provider, name: str, response_id: str) -> Completion | None:
    """Return the completion of a background response, or None while the model works on it.

    Raises:
        TransientError: Poll again later; with status 404 the response does not exist yet, or no
            longer exists. If the error is ``final``, the response failed: submit the request again.
        ProviderRejected: The response was cancelled or refused; ``usage`` contains its tokens.
        ProviderPaused: See ``completion.complete``.
    """
    query = urlencode({"include[]": openai.SOURCES})
    response = transport.get(provider, name, f"{_path(name, response_id)}?{query}", {})
    if response.status == _NOT_FOUND:
        raise ProviderUnavailable(f"{name}: no answer {response_id}", status=_NOT_FOUND)
    failures.check(response)
    state = response_models.read(_Submitted, response).status
    if state in openai.UNFINISHED:
        return None
    if state not in _FINAL_STATES:  # a gateway's page, not the response
        raise ProviderUnavailable(f"{name}: not an answer of the API", status=response.status)
    try:
        if state == "cancelled":
            raise _cancelled(name, response)
        return openai.read(response)
    except AcmError as error:
        redaction.redact_error(error, provider)
        error.final = True
        raise


def cancel(provider: Provider, name: str, response_id: str) -> None:
    """Cancel a background response; poll once more afterwards, because it may have finished.

    Raises:
        TransientError: The cancellation may have failed; try again.
        ProviderPaused: See ``completion.complete``.
    """
    response = transport.post(provider, name, f"{_path(name, response_id)}/cancel", {}, {})
    if response.status not in _NOT_CANCELLABLE:
        failures.check(response)


class _Submitted(response_models.ResponseModel):
    id: response_models.String = None
    status: response_models.String = None


def _path(name: str, response_id: str) -> str:
    # The id came from the provider and becomes part of an address.
    if not _RESPONSE_ID.fullmatch(response_id):
        raise ProviderRejected(f"{name}: {response_id[:80]!r} names no background answer")
    return f"{openai.PATH}/{response_id}"


def _cancelled(name: str, response: ProviderResponse) -> ProviderRejected:
    error = ProviderRejected(f"{name}: the answer was cancelled", status=response.status)
    usage = openai.usage(response)
    # Without counts the cost of the work so far is not known.
    error.maybe_billed = usage.input_tokens is None and usage.output_tokens is None
    error.usage = None if error.maybe_billed else usage
    return error
