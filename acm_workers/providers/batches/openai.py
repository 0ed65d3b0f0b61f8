"""OpenAI's batches of Responses: a file of requests, a batch for the file, and result files."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import urlencode

import pydantic_core

from acm_workers.providers.batches import records
from acm_workers.providers.batches.records import (
    BatchedRequest,
    BatchLabel,
    BatchProgress,
    BatchResult,
)
from acm_workers.providers.dialects import response_models
from acm_workers.providers.http import failures, transport
from schemas.calls import NotExecuted
from schemas.config.provider import Provider

_METADATA = "acm_batch"
_ENDED = ("completed", "failed", "expired", "cancelled")
_CLOCKS_DIFFER = timedelta(hours=1)
_REASONS: dict[str | None, NotExecuted] = {
    "batch_expired": "expired",
    "batch_cancelled": "cancelled",
}


def submit(
    provider: Provider,
    name: str,
    label: BatchLabel,
    model: str,
    requests: tuple[BatchedRequest, ...],
) -> str:
    """Submit a batch; see ``BatchDialect``. A file without a batch costs nothing."""
    file_id = _upload(provider, name, label, requests)
    asked = {
        "input_file_id": file_id,
        "endpoint": "/v1/responses",
        "completion_window": "24h",
        "metadata": {_METADATA: label.id},
    }
    response = records.post(provider, name, "batches", asked)
    return records.checked_id(name, response_models.read(_Batch, response).id)


def find(provider: Provider, name: str, label: BatchLabel) -> str | None:
    """Return the id of the batch with the label's metadata; see ``BatchDialect``."""
    since = (label.sent_at - _CLOCKS_DIFFER).timestamp()
    after: str | None = None
    for _ in range(records.MOST_LISTED):
        query = urlencode({"limit": records.PAGE, **({} if after is None else {"after": after})})
        page = response_models.read(_Page, records.ask(provider, name, f"batches?{query}"))
        for batch in page.data:
            if batch.metadata.acm_batch == label.id:
                return records.checked_id(name, batch.id)
        last = page.data[-1] if page.data else None
        if not page.has_more or last is None or (last.created_at or since) < since:
            return None
        after = last.id
    return None


def poll(provider: Provider, name: str, batch_id: str) -> BatchProgress:
    """Return the progress of a batch; see ``BatchDialect``."""
    batch = response_models.read(_Batch, records.ask(provider, name, f"batches/{batch_id}"))
    counts = batch.request_counts
    failure = None
    if batch.status == "failed":
        said = [one.message for one in batch.errors.data if one.message]
        failure = said[0] if said else "no reason was given"
    return BatchProgress(
        ended=batch.status in _ENDED,
        answered=(counts.completed or 0) + (counts.failed or 0),
        failure=failure,
        results=tuple(
            records.checked_id(name, file)
            for file in (batch.output_file_id, batch.error_file_id)
            if file
        ),
    )


def fetch(
    provider: Provider, name: str, batch_id: str, progress: BatchProgress
) -> Iterator[BatchResult]:
    """Yield the results of an ended batch; see ``BatchDialect``."""
    for file in progress.results:
        for line in records.lines(provider, name, f"files/{file}/content"):
            found = _Line.model_validate(line)
            if found.custom_id is None:
                continue
            status = found.response.status_code
            if status is None:
                reason = _REASONS.get(found.error.code, "failed")
                yield BatchResult(found.custom_id, None, line.get("error"), reason)
            else:
                yield BatchResult(found.custom_id, status, found.response.body)


def cancel(provider: Provider, name: str, batch_id: str) -> None:
    """Cancel a batch; see ``BatchDialect``."""
    records.cancel(provider, name, f"batches/{batch_id}/cancel")


class _Counts(response_models.ResponseModel):
    completed: response_models.Count = None
    failed: response_models.Count = None


class _Problem(response_models.ResponseModel):
    message: response_models.String = None
    code: response_models.String = None


class _Problems(response_models.ResponseModel):
    data: Annotated[tuple[_Problem, ...], response_models.Objects] = ()


class _Metadata(response_models.ResponseModel):
    acm_batch: response_models.String = None


class _Batch(response_models.ResponseModel):
    id: response_models.String = None
    status: response_models.String = None
    created_at: response_models.Count = None
    metadata: Annotated[_Metadata, response_models.Object] = _Metadata()
    request_counts: Annotated[_Counts, response_models.Object] = _Counts()
    errors: Annotated[_Problems, response_models.Object] = _Problems()
    output_file_id: response_models.String = None
    error_file_id: response_models.String = None


class _Page(response_models.ResponseModel):
    data: Annotated[tuple[_Batch, ...], response_models.Objects] = ()
    has_more: bool = False


class _Answer(response_models.ResponseModel):
    status_code: response_models.Count = None
    body: Any = None


class _Line(response_models.ResponseModel):
    custom_id: response_models.String = None
    response: Annotated[_Answer, response_models.Object] = _Answer()
    error: Annotated[_Problem, response_models.Object] = _Problem()


class _File(response_models.ResponseModel):
    id: response_models.String = None


def _upload(
    provider: Provider, name: str, label: BatchLabel, requests: tuple[BatchedRequest, ...]
) -> str:
    content = b"".join(
        pydantic_core.to_json(
            {"custom_id": one.name, "method": "POST", "url": "/v1/responses", "body": one.body}
        )
        + b"\n"
        for one in requests
    )
    fields = {"purpose": "batch"}
    response = transport.post_file(
        provider, name, "files", fields, (f"acm-{label.id}.jsonl", content)
    )
    failures.check(response)
    return records.checked_id(name, response_models.read(_File, response).id)
