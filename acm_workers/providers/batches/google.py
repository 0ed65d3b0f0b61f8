"""Google's batches of generateContent, with requests and results inline."""

from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import urlencode

import pydantic_core

from acm_workers.errors import ProviderUnavailable
from acm_workers.providers.batches import records
from acm_workers.providers.batches.records import (
    BatchedRequest,
    BatchLabel,
    BatchProgress,
    BatchResult,
)
from acm_workers.providers.dialects import google, response_models
from acm_workers.providers.http.responses import is_too_deep
from schemas.calls import NotExecuted
from schemas.config.provider import Provider

_NAME = "acm-"
_ENDED = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")
_CANCELLED, _DEADLINE = 1, 4
_STATUSES = {3: 400, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 13: 500, 14: 503, 16: 401}
"""HTTP statuses by gRPC code; other codes are server errors."""


def submit(
    provider: Provider,
    name: str,
    label: BatchLabel,
    model: str,
    requests: tuple[BatchedRequest, ...],
) -> str:
    """Submit a batch; see ``BatchDialect``."""
    inline = [{"request": one.body, "metadata": {"key": one.name}} for one in requests]
    asked = {
        "batch": {
            "displayName": _NAME + label.id,
            "inputConfig": {"requests": {"requests": inline}},
        }
    }
    path = google.path(model).replace(":generateContent", ":batchGenerateContent")
    return _id(name, response_models.read(_Batch, records.post(provider, name, path, asked)))


def find(provider: Provider, name: str, label: BatchLabel) -> str | None:
    """Return the id of the batch with the label's name; see ``BatchDialect``."""
    token: str | None = None
    for _ in range(records.MOST_LISTED):
        more = {} if token is None else {"pageToken": token}
        query = urlencode({"pageSize": records.PAGE, **more})
        page = response_models.read(_Page, records.ask(provider, name, f"batches?{query}"))
        for batch in page.operations:
            if batch.metadata.display_name == _NAME + label.id:
                return _id(name, batch)
        token = page.next_page_token
        if not token:
            return None
    return None


def poll(provider: Provider, name: str, batch_id: str) -> BatchProgress:
    """Return the progress of a batch; see ``BatchDialect``.

    The answer may contain the results, but ``fetch`` requests them again.
    """
    batch = _Batch.model_validate(_whole(provider, name, batch_id))
    state = (batch.metadata.state or "").rpartition("_STATE_")[2]
    stats = batch.metadata.batch_stats
    answered = _number(stats.successful_request_count) + _number(stats.failed_request_count)
    failure = None
    if state == "FAILED":
        failure = batch.error.message or "no reason was given"
    return BatchProgress(state in _ENDED, answered, failure)


def fetch(
    provider: Provider, name: str, batch_id: str, progress: BatchProgress
) -> Iterator[BatchResult]:
    """Yield the results of an ended batch; see ``BatchDialect``."""
    batch = _Batch.model_validate(_whole(provider, name, batch_id))
    inline = batch.response.inlined_responses.inlined_responses
    for one in inline or batch.metadata.output.inlined_responses.inlined_responses:
        key = one.metadata.key
        if key is None or is_too_deep(one.response):
            continue
        if one.response is not None:
            yield BatchResult(key, 200, one.response)
            continue
        error = _Error.model_validate(one.error if isinstance(one.error, dict) else {})
        reason: NotExecuted | None = None
        if error.code in (_CANCELLED, _DEADLINE):
            reason = "cancelled" if error.code == _CANCELLED else "expired"
            yield BatchResult(key, None, None, reason)
            continue
        code = error.code or 0
        status = code if code >= 400 else _STATUSES.get(code, 500)
        said = {**one.error, "code": status} if isinstance(one.error, dict) else {}
        yield BatchResult(key, status, {"error": said})


def cancel(provider: Provider, name: str, batch_id: str) -> None:
    """Cancel a batch; see ``BatchDialect``."""
    records.cancel(provider, name, f"batches/{batch_id}:cancel")


class _Error(response_models.CamelCaseModel):
    code: response_models.Count = None
    message: response_models.String = None


class _Key(response_models.CamelCaseModel):
    key: response_models.String = None


class _Inline(response_models.CamelCaseModel):
    metadata: Annotated[_Key, response_models.Object] = _Key()
    response: Any = None
    error: Any = None


class _Inlines(response_models.CamelCaseModel):
    inlined_responses: Annotated[tuple[_Inline, ...], response_models.Objects] = ()


class _Output(response_models.CamelCaseModel):
    inlined_responses: Annotated[_Inlines, response_models.Object] = _Inlines()


class _Stats(response_models.CamelCaseModel):
    # Google writes 64-bit numbers as texts.
    successful_request_count: Any = None
    failed_request_count: Any = None


class _Metadata(response_models.CamelCaseModel):
    display_name: response_models.String = None
    state: response_models.String = None
    batch_stats: Annotated[_Stats, response_models.Object] = _Stats()
    output: Annotated[_Output, response_models.Object] = _Output()


class _Batch(response_models.CamelCaseModel):
    name: response_models.String = None
    metadata: Annotated[_Metadata, response_models.Object] = _Metadata()
    response: Annotated[_Output, response_models.Object] = _Output()
    error: Annotated[_Error, response_models.Object] = _Error()


class _Page(response_models.CamelCaseModel):
    operations: Annotated[tuple[_Batch, ...], response_models.Objects] = ()
    next_page_token: response_models.String = None


def _id(name: str, batch: _Batch) -> str:
    found = None if batch.name is None else batch.name.removeprefix("batches/")
    return records.checked_id(name, found)


def _whole(provider: Provider, name: str, batch_id: str) -> dict[str, Any]:
    """Return a batch with its results, which may be far longer than other answers."""
    path = f"batches/{batch_id}"
    content = records.content(provider, name, path)
    try:
        found = pydantic_core.from_json(content)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ProviderUnavailable(f"{name}: not an answer of the API", status=200)
    return found


def _number(value: Any) -> int:
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else 0
