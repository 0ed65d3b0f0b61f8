"""Requests to batch interfaces, and their answers, independent of the dialect."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from acm_workers.errors import ProviderRejected, ProviderUnavailable
from acm_workers.providers.http import failures, transport
from acm_workers.providers.http.responses import ProviderResponse, is_too_deep, parse_json
from schemas.calls import NotExecuted
from schemas.config.provider import Provider

MOST_RESULT_BYTES = 256 * 1024 * 1024
"""Maximum size of a batch's results, in bytes; requests have at most a sixteenth of it."""

_NOT_CANCELLABLE = (400, 404, 409)

MOST_LISTED = 20
"""Maximum number of pages of batches that are searched."""

PAGE = 100
"""Number of batches on a page."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,190}")


class BatchLabel(NamedTuple):
    """The properties that identify a batch whose submission was not answered.

    Attributes:
        id: ACM's id of the batch; the provider stores it if its API has a field for it.
        size: Number of requests.
        sent_at: Time at which the batch was first sent.
        others: The provider's ids of batches that are known to be different batches.
    """

    id: str
    size: int
    sent_at: datetime
    others: frozenset[str] = frozenset()


class BatchedRequest(NamedTuple):
    """A request of a batch.

    Attributes:
        name: Name that identifies the result; unique within the batch.
        body: The body as the dialect sends it.
    """

    name: str
    body: Mapping[str, Any]


class BatchProgress(NamedTuple):
    """The progress of a batch at its provider.

    Attributes:
        ended: Whether the results can be fetched.
        answered: Number of requests that have ended.
        failure: Reason why the provider accepted none of the requests.
        results: Location of the results, if the dialect needs it.
    """

    ended: bool
    answered: int
    failure: str | None = None
    results: tuple[str, ...] = ()


class BatchResult(NamedTuple):
    """The result of one request of a batch.

    Attributes:
        status: HTTP status, as if the request had been sent individually; None if not executed.
        body: JSON of the answer or of the error.
        reason: Reason why the request was not executed.
    """

    name: str
    status: int | None
    body: Any = None
    reason: NotExecuted | None = None


class BatchDialect(Protocol):
    """The batch interface of a dialect; a module of this package."""

    def submit(
        self,
        provider: Provider,
        name: str,
        label: BatchLabel,
        model: str,
        requests: tuple[BatchedRequest, ...],
    ) -> str:
        """Submit a batch, and return the provider's id of it.

        Raises:
            AcmError: See ``completion.complete``; with ``maybe_billed`` the batch may exist.
        """
        ...

    def find(self, provider: Provider, name: str, label: BatchLabel) -> str | None:
        """Return the provider's id of a batch whose submission was not answered, if it exists."""
        ...

    def poll(self, provider: Provider, name: str, batch_id: str) -> BatchProgress:
        """Return the progress of a batch.

        Raises:
            TransientError: Poll again later; with status 404 there is no such batch.
            ProviderPaused: See ``completion.complete``.
        """
        ...

    def fetch(
        self, provider: Provider, name: str, batch_id: str, progress: BatchProgress
    ) -> Iterator[BatchResult]:
        """Yield the results of an ended batch in any order; some may occur twice."""
        ...

    def cancel(self, provider: Provider, name: str, batch_id: str) -> None:
        """Cancel a batch; requests that were already answered keep their answers."""
        ...


def checked_id(name: str, batch_id: str | None) -> str:
    """Return an id that came from the provider and becomes part of an address.

    Raises:
        ProviderUnavailable: The value cannot be an id.
    """
    if batch_id is None or not _ID.fullmatch(batch_id):
        said = "" if batch_id is None else f" {batch_id[:80]!r}"
        without_id = ProviderUnavailable(f"{name}: a batch without an id{said}", status=200)
        without_id.maybe_billed = True
        raise without_id
    return batch_id


def ask(
    provider: Provider, name: str, path: str, headers: Mapping[str, str] | None = None
) -> ProviderResponse:
    """Return the successful response to a GET.

    Raises:
        ProviderUnavailable: The request failed; with status 404 the resource does not exist.
    """
    response = transport.get(provider, name, path, headers or {})
    if response.status == 404:
        raise ProviderUnavailable(f"{name}: there is no {path}", status=404)
    failures.check(response)
    return response


def post(
    provider: Provider,
    name: str,
    path: str,
    body: dict[str, Any],
    headers: Mapping[str, str] | None = None,
) -> ProviderResponse:
    """Return the successful response to a POST."""
    response = transport.post(provider, name, path, body, headers or {})
    failures.check(response)
    return response


def cancel(
    provider: Provider, name: str, path: str, headers: Mapping[str, str] | None = None
) -> None:
    """Send a cancellation; ignore errors for a batch that has ended or no longer exists."""
    response = transport.post(provider, name, path, {}, headers or {})
    if response.status not in _NOT_CANCELLABLE:
        failures.check(response)


def content(
    provider: Provider, name: str, path: str, headers: Mapping[str, str] | None = None
) -> bytes:
    """Return the content at an address, which may be far longer than other answers.

    Raises:
        ProviderUnavailable: The request failed; with status 404 the resource does not exist.
        ProviderRejected: The response has an error status.
    """
    found, response = transport.get_content(provider, name, path, headers or {}, MOST_RESULT_BYTES)
    if response.status == 404:
        raise ProviderUnavailable(f"{name}: there is no {path}", status=404)
    if not 200 <= response.status < 300:
        failures.check(response)
        raise ProviderRejected(f"{name}: HTTP {response.status}", response.status)
    return found


def lines(
    provider: Provider, name: str, path: str, headers: Mapping[str, str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the objects in a file of JSON lines; skip lines without a JSON object."""
    for line in content(provider, name, path, headers).splitlines():
        value, _ = parse_json(line)
        if isinstance(value, dict) and not is_too_deep(value):
            yield value
