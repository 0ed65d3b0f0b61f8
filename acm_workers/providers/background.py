"""Answers that take minutes to an hour: asked for once, then looked for until they are there.

A question that is sent twice is paid twice, so ``submit`` is never repeated once it has returned a
name; ``look`` and ``cancel`` may be repeated as often as one likes.
"""

import re
from urllib.parse import urlencode

from acm_workers.errors import AcmError, ProviderRejected, ProviderUnavailable
from acm_workers.providers.dialects import openai, response_models
from acm_workers.providers.http import classify, redaction, transport
from acm_workers.providers.http.answers import Answer
from schemas.calls import Completion, Request
from schemas.config.provider import Provider

_NAME = re.compile(r"[A-Za-z0-9_-]{1,200}")
_ORPHAN = "client_request_id"
"""Under which key our name for a question stands with the provider, to find it there by hand."""

_GONE = 404
_OVER = (400, _GONE, 409)
_ENDS = ("completed", "incomplete", "failed", "cancelled")


def submit(
    provider: Provider, name: str, request: Request, client_request_id: str
) -> tuple[str, str]:
    """Ask ``request`` in the background; return the provider's name for the answer, and its state.

    Args:
        provider: Speaks the dialect ``openai``.
        name: What the config calls it.
        client_request_id: Our name for this attempt, kept beside the answer.

    Raises:
        AcmError: See ``dialects.complete``; with ``maybe_billed`` it may be under way all the same.
    """
    asked = {
        **openai.body(request, provider),
        "background": True,
        "store": True,
        "metadata": {_ORPHAN: client_request_id},
    }
    try:
        answer = response_models.ask(provider, name, openai.PATH, asked, client_request_id)
    except AcmError as error:
        redaction.strip(error, provider, request)
        raise
    submitted = response_models.read(_Submitted, answer)
    if submitted.id is None or not _NAME.fullmatch(submitted.id):
        nameless = ProviderUnavailable(f"{name}: a background answer without a name", status=200)
        nameless.maybe_billed = True
        raise nameless
    return submitted.id, submitted.status or "queued"


def look(provider: Provider, name: str, response_id: str) -> Completion | None:
    """Return the answer of that name, or None while the model is at work on it.

    Raises:
        TransientError: Look again later; with status 404 the answer is not there yet, or no more.
            If it is ``final``, ask again: the answer failed.
        ProviderRejected: It was cancelled, or refused; ``usage`` says what that cost.
        ProviderPaused: See ``dialects.complete``.
    """
    query = urlencode({"include[]": openai.SOURCES})
    answer = transport.get(provider, name, f"{_path(name, response_id)}?{query}", {})
    if answer.status == _GONE:
        raise ProviderUnavailable(f"{name}: no answer {response_id}", status=_GONE)
    classify.check(answer)
    state = response_models.read(_Submitted, answer).status
    if state in openai.UNFINISHED:
        return None
    if state not in _ENDS:  # some gateway's page, not the answer
        raise ProviderUnavailable(f"{name}: not an answer of the API", status=answer.status)
    try:
        if state == "cancelled":
            raise _cancelled(name, answer)
        return openai.read(answer)
    except AcmError as error:
        redaction.strip(error, provider)
        error.final = True
        raise


def cancel(provider: Provider, name: str, response_id: str) -> None:
    """Stop work on an answer; one that is finished stays, so look once more afterwards.

    Raises:
        TransientError: Nobody knows whether it is stopped; try again.
        ProviderPaused: See ``dialects.complete``.
    """
    answer = transport.post(provider, name, f"{_path(name, response_id)}/cancel", {}, {})
    if answer.status not in _OVER:
        classify.check(answer)


class _Submitted(response_models.ResponseModel):
    id: response_models.String = None
    status: response_models.String = None


def _path(name: str, response_id: str) -> str:
    # It came over the wire once, and goes into an address.
    if not _NAME.fullmatch(response_id):
        raise ProviderRejected(f"{name}: {response_id[:80]!r} names no background answer")
    return f"{openai.PATH}/{response_id}"


def _cancelled(name: str, answer: Answer) -> ProviderRejected:
    error = ProviderRejected(f"{name}: the answer was cancelled", status=answer.status)
    usage = openai.usage(answer)
    # Where nothing is counted, nobody knows what the work up to here cost.
    error.maybe_billed = usage.input_tokens is None and usage.output_tokens is None
    error.usage = None if error.maybe_billed else usage
    return error
