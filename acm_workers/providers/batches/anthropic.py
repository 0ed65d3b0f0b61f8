"""Anthropic's Message Batches.

Message Batches have no field for an id of ours. A batch whose submission was not answered is
therefore found by its time and size, and verified by its results.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

from acm_workers.providers.batches import records
from acm_workers.providers.batches.records import (
    BatchedRequest,
    BatchLabel,
    BatchProgress,
    BatchResult,
)
from acm_workers.providers.dialects import anthropic, response_models
from schemas.calls import NotExecuted
from schemas.config.provider import Provider

PATH = "messages/batches"
_HEADERS = {"anthropic-version": anthropic.version({})}
_CLOCKS_DIFFER = timedelta(minutes=10)
_REASONS: dict[str | None, NotExecuted] = {"expired": "expired", "canceled": "cancelled"}
_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}


def submit(
    provider: Provider,
    name: str,
    label: BatchLabel,
    model: str,
    requests: tuple[BatchedRequest, ...],
) -> str:
    """Submit a batch; see ``BatchDialect``."""
    asked = {"requests": [{"custom_id": one.name, "params": one.body} for one in requests]}
    # The version that takes a temperature takes requests without one, too.
    heated = [one.body for one in requests if "temperature" in one.body]
    version = anthropic.version(dict(heated[0]) if heated else {})
    response = records.post(provider, name, PATH, asked, {"anthropic-version": version})
    return records.checked_id(name, response_models.read(_Batch, response).id)


def find(provider: Provider, name: str, label: BatchLabel) -> str | None:
    """Return the id of a batch with the label's size and time; see ``BatchDialect``."""
    since, after = label.sent_at - _CLOCKS_DIFFER, None
    found: str | None = None
    for _ in range(records.MOST_LISTED):
        query = urlencode({"limit": records.PAGE, **({} if after is None else {"after_id": after})})
        response = records.ask(provider, name, f"{PATH}?{query}", _HEADERS)
        page = response_models.read(_Page, response)
        for batch in page.data:
            created = _time(batch.created_at)
            if created is not None and created < since:
                return found
            if batch.request_counts.total == label.size and batch.id not in label.others:
                found = records.checked_id(name, batch.id)  # the oldest one in the end
        if not page.has_more or page.last_id is None:
            return found
        after = page.last_id
    return found


def poll(provider: Provider, name: str, batch_id: str) -> BatchProgress:
    """Return the progress of a batch; see ``BatchDialect``."""
    response = records.ask(provider, name, f"{PATH}/{batch_id}", _HEADERS)
    batch = response_models.read(_Batch, response)
    counts = batch.request_counts
    return BatchProgress(
        batch.processing_status == "ended", counts.total - (counts.processing or 0)
    )


def fetch(
    provider: Provider, name: str, batch_id: str, progress: BatchProgress
) -> Iterator[BatchResult]:
    """Yield the results of an ended batch; see ``BatchDialect``."""
    # Not from ``results_url``: an address in an answer gets no key.
    for line in records.lines(provider, name, f"{PATH}/{batch_id}/results", _HEADERS):
        found = _Line.model_validate(line)
        if found.custom_id is None:
            continue
        result = found.result
        if result.type == "succeeded":
            yield BatchResult(found.custom_id, 200, result.message)
        elif result.type == "errored":
            yield BatchResult(found.custom_id, _status(result.error), result.error)
        else:
            reason = _REASONS.get(result.type, "failed")
            yield BatchResult(found.custom_id, None, None, reason)


def cancel(provider: Provider, name: str, batch_id: str) -> None:
    """Cancel a batch; see ``BatchDialect``."""
    records.cancel(provider, name, f"{PATH}/{batch_id}/cancel", _HEADERS)


class _Counts(response_models.ResponseModel):
    processing: response_models.Count = None
    succeeded: response_models.Count = None
    errored: response_models.Count = None
    canceled: response_models.Count = None
    expired: response_models.Count = None

    @property
    def total(self) -> int:
        return sum(
            one or 0
            for one in (self.processing, self.succeeded, self.errored, self.canceled, self.expired)
        )


class _Batch(response_models.ResponseModel):
    id: response_models.String = None
    processing_status: response_models.String = None
    created_at: response_models.String = None
    request_counts: Annotated[_Counts, response_models.Object] = _Counts()


class _Page(response_models.ResponseModel):
    data: Annotated[tuple[_Batch, ...], response_models.Objects] = ()
    has_more: bool = False
    last_id: response_models.String = None


class _Result(response_models.ResponseModel):
    type: response_models.String = None
    message: Any = None
    error: Any = None


class _Line(response_models.ResponseModel):
    custom_id: response_models.String = None
    result: Annotated[_Result, response_models.Object] = _Result()


def _status(error: Any) -> int:
    """Return the HTTP status that an error would have had by itself."""
    inner = error.get("error") if isinstance(error, dict) else None
    kind = inner.get("type") if isinstance(inner, dict) else None
    return _STATUSES.get(kind, 500) if isinstance(kind, str) else 500


def _time(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    if found is not None and found.tzinfo is None:
        return found.replace(tzinfo=UTC)
    return found
