"""The batch endpoints of OpenAI, Anthropic and Google: pure functions from requests to answers."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qs

import pydantic_core

from acm_workers.simulator.batches import (
    BatchedResult,
    Batches,
    BatchRequest,
    ResultKind,
    StoredBatch,
)
from acm_workers.simulator.dialects import google
from acm_workers.simulator.messages import (
    HttpAnswer,
    IncomingRequest,
    PlannedAnswer,
    RequestRefused,
)
from acm_workers.simulator.service import check_key

_LINES: Final = b"application/x-jsonl"
_PAGE: Final = 20
_WINDOW_S: Final = 86_400
_ANTHROPIC_KINDS: Final[tuple[ResultKind, ...]] = (
    "processing",
    "succeeded",
    "errored",
    "canceled",
    "expired",
)
_GRPC_CODES: Final = {400: 3, 401: 16, 403: 7, 404: 5, 429: 8, 499: 1, 500: 13, 503: 14, 504: 4}
_PART_NAME: Final = re.compile(rb'name="([^"]*)"')
_FILE_NAME: Final = re.compile(rb'filename="([^"]*)"')

_Handler = Callable[[IncomingRequest], PlannedAnswer]


def refusing(handler: _Handler) -> _Handler:
    """Answer with an error of the dialect if ``handler`` refuses or cannot read a request."""

    def handle(incoming: IncomingRequest) -> PlannedAnswer:
        try:
            check_key(incoming.dialect, incoming.headers)
            return handler(incoming)
        except RequestRefused as error:
            refused = error
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            refused = RequestRefused("The batch is not what was expected.")
        body = incoming.dialect.error(refused, incoming.request_id)
        return PlannedAnswer(HttpAnswer(refused.status, body, []))

    return handle


class OpenAIBatches:
    """``/v1/files`` and ``/v1/batches``."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def upload(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``POST /v1/files``."""
        fields = _form(incoming)
        if fields["purpose"][1] != b"batch":
            raise RequestRefused("Invalid purpose.", param="purpose")
        name, content = fields["file"]
        id = f"file-{incoming.request_id.removeprefix('req_')}"
        self._batches.keep_file(id, name, content)
        about = {"id": id, "object": "file", "filename": name, "bytes": len(content)}
        return _shown({**about, "purpose": "batch", "created_at": int(incoming.wall)})

    def content(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET /v1/files/ID/content``."""
        id = incoming.path.removesuffix("/content").rpartition("/")[2]
        kind, _, batch_id = id.removeprefix("file-").partition("-")
        if kind not in ("output", "error"):
            _, content = self._batches.file(id)
            return PlannedAnswer(HttpAnswer(200, content, [], _LINES))
        batch = self._batches.find(batch_id, incoming)
        lines = [
            self._line(batch, one, incoming)
            for one in batch.results
            if (batch.kind(one, incoming.now) == "succeeded") == (kind == "output")
        ]
        return _lines(lines)

    def create(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``POST /v1/batches``."""
        asked = pydantic_core.from_json(incoming.body)
        if asked["endpoint"] != "/v1/responses" or asked["completion_window"] != "24h":
            raise RequestRefused("Invalid endpoint or completion window.")
        _, content = self._batches.file(asked["input_file_id"])
        lines = [pydantic_core.from_json(line) for line in content.splitlines()]
        requests = [BatchRequest(one["custom_id"], one["url"], one["body"]) for one in lines]
        about = {
            "input_file_id": asked["input_file_id"],
            "metadata": asked.get("metadata"),
            "endpoint": asked["endpoint"],
            "completion_window": "24h",
        }
        id = f"batch_{incoming.request_id.removeprefix('req_')}"
        batch, fault = self._batches.submit(id, about, incoming, requests)
        return _shown(self._described(batch, incoming))._replace(fault=fault)

    def list(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET /v1/batches``, page by page."""
        page, more = _page(self._batches.listed(incoming), incoming, "after", "limit")
        data = [self._described(batch, incoming) for batch in page]
        return _shown({"object": "list", "data": data, "has_more": more})

    def show(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET /v1/batches/ID``."""
        batch = self._batches.find(incoming.path.rpartition("/")[2], incoming)
        return _shown(self._described(batch, incoming))

    def cancel(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``POST /v1/batches/ID/cancel``; the next poll finds it cancelled."""
        id = incoming.path.removesuffix("/cancel").rpartition("/")[2]
        batch = self._batches.cancel(id, incoming)
        return _shown({**self._described(batch, incoming), "status": "cancelling"})

    def _described(self, batch: StoredBatch, incoming: IncomingRequest) -> dict[str, Any]:
        now, counts = incoming.now, batch.counts(incoming.now)
        ended = batch.is_ended(now)
        status = "validating" if batch.is_queued(now) else "in_progress"
        if ended:
            status = "cancelled" if batch.is_cancelled else "completed"
        total, done = sum(counts.values()), counts["succeeded"]
        failed = total - done - counts["processing"]
        return {
            "id": batch.id,
            "object": "batch",
            **batch.about,
            "status": status,
            "created_at": int(batch.created),
            "expires_at": int(batch.created) + _WINDOW_S,
            "request_counts": {"total": total, "completed": done, "failed": failed},
            "output_file_id": f"file-output-{batch.id}" if ended and done else None,
            "error_file_id": f"file-error-{batch.id}" if ended and failed else None,
            "errors": None,
        }

    def _line(
        self, batch: StoredBatch, one: BatchedResult, incoming: IncomingRequest
    ) -> dict[str, Any]:
        kind = batch.kind(one, incoming.now)
        response, error = None, None
        if kind in ("succeeded", "errored"):
            response = {
                "status_code": one.answer.answer.status,
                "request_id": one.incoming.request_id,
                "body": one.body,
            }
        else:
            code = "batch_expired" if kind == "expired" else "batch_cancelled"
            error = {"code": code, "message": "This request was not executed."}
        id = f"batch_req_{one.name}"
        return {"id": id, "custom_id": one.name, "response": response, "error": error}


class AnthropicBatches:
    """``/v1/messages/batches``."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def create(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``POST /v1/messages/batches``."""
        asked = pydantic_core.from_json(incoming.body)["requests"]
        requests = [BatchRequest(one["custom_id"], "/v1/messages", one["params"]) for one in asked]
        if len({one.name for one in requests}) < len(requests):
            raise RequestRefused("custom_id must be unique within a batch")
        id = f"msgbatch_{incoming.request_id.removeprefix('req_')}"
        batch, fault = self._batches.submit(id, {}, incoming, requests)
        return _shown(self._described(batch, incoming))._replace(fault=fault)

    def list(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET /v1/messages/batches``, page by page."""
        page, more = _page(self._batches.listed(incoming), incoming, "after_id", "limit")
        data = [self._described(batch, incoming) for batch in page]
        last = page[-1].id if page else None
        return _shown({"data": data, "has_more": more, "last_id": last})

    def show(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET /v1/messages/batches/ID``."""
        batch = self._batches.find(incoming.path.rpartition("/")[2], incoming)
        return _shown(self._described(batch, incoming))

    def cancel(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``POST /v1/messages/batches/ID/cancel``; the next poll finds it ended."""
        id = incoming.path.removesuffix("/cancel").rpartition("/")[2]
        batch = self._batches.cancel(id, incoming)
        shown = {**self._described(batch, incoming), "processing_status": "canceling"}
        return _shown({**shown, "results_url": None})

    def results(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET /v1/messages/batches/ID/results``."""
        id = incoming.path.removesuffix("/results").rpartition("/")[2]
        batch = self._batches.find(id, incoming)
        if not batch.is_ended(incoming.now):
            raise RequestRefused(f"No results yet: {id}", 404)
        return _lines([self._line(batch, one, incoming) for one in batch.results])

    def _described(self, batch: StoredBatch, incoming: IncomingRequest) -> dict[str, Any]:
        ended, counts = batch.is_ended(incoming.now), batch.counts(incoming.now)
        shown: dict[ResultKind, int] = dict.fromkeys(_ANTHROPIC_KINDS, 0)
        # Until a batch has ended, all of its requests count as being processed.
        if ended:
            shown = {kind: counts[kind] for kind in _ANTHROPIC_KINDS}
        else:
            shown["processing"] = sum(counts.values())
        scheme = "http" if self._batches.service.settings.tls_cert is None else "https"
        host = (incoming.header(b"host") or b"").decode("latin-1")
        where = f"{scheme}://{host}/v1/messages/batches/{batch.id}/results"
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": shown,
            "created_at": datetime.fromtimestamp(batch.created, UTC).isoformat(),
            "expires_at": datetime.fromtimestamp(batch.created + _WINDOW_S, UTC).isoformat(),
            "results_url": where if ended else None,
        }

    def _line(
        self, batch: StoredBatch, one: BatchedResult, incoming: IncomingRequest
    ) -> dict[str, Any]:
        kind = batch.kind(one, incoming.now)
        result: dict[str, Any] = {"type": kind}
        if kind == "succeeded":
            message = one.body
            usage = {**message.get("usage", {}), "service_tier": "batch"}
            result["message"] = {**message, "usage": usage}
        elif kind == "errored":
            result["error"] = one.body
        return {"custom_id": one.name, "result": result}


class GoogleBatches:
    """``models/MODEL:batchGenerateContent`` and ``/batches``."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def create(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``POST models/MODEL:batchGenerateContent``."""
        asked = pydantic_core.from_json(incoming.body)["batch"]
        path = incoming.path.removesuffix(":batchGenerateContent") + google.METHOD
        requests = [
            BatchRequest(one["metadata"]["key"], path, one["request"])
            for one in asked["inputConfig"]["requests"]["requests"]
        ]
        id = incoming.request_id.removeprefix("req_")
        about = {"displayName": asked["displayName"]}
        batch, fault = self._batches.submit(id, about, incoming, requests)
        return _shown(self._described(batch, incoming))._replace(fault=fault)

    def list(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET batches``, page by page."""
        page, more = _page(self._batches.listed(incoming), incoming, "pageToken", "pageSize")
        shown = [self._described(batch, incoming) for batch in page]
        for one in shown:  # results are shown one batch at a time
            one.pop("response", None)
        return _shown({"operations": shown, **({"nextPageToken": page[-1].id} if more else {})})

    def show(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET batches/ID``."""
        batch = self._batches.find(incoming.path.rpartition("/")[2], incoming)
        return _shown(self._described(batch, incoming))

    def cancel(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``POST batches/ID:cancel``."""
        id = incoming.path.removesuffix(":cancel").rpartition("/")[2]
        self._batches.cancel(id, incoming)
        return _shown({})

    def _described(self, batch: StoredBatch, incoming: IncomingRequest) -> dict[str, Any]:
        now, counts = incoming.now, batch.counts(incoming.now)
        ended = batch.is_ended(now)
        state = "BATCH_STATE_PENDING" if batch.is_queued(now) else "BATCH_STATE_RUNNING"
        if ended:
            state = "BATCH_STATE_CANCELLED" if batch.is_cancelled else "BATCH_STATE_SUCCEEDED"
        stats = {
            "requestCount": str(sum(counts.values())),
            "successfulRequestCount": str(counts["succeeded"]),
            "failedRequestCount": str(counts["errored"] + counts["expired"] + counts["canceled"]),
            "pendingRequestCount": str(counts["processing"]),
        }
        created = datetime.fromtimestamp(batch.created, UTC).isoformat()
        metadata = {**batch.about, "state": state, "createTime": created, "batchStats": stats}
        shown = {"name": f"batches/{batch.id}", "metadata": metadata, "done": ended}
        if ended:
            lines = [self._line(batch, one, now) for one in batch.results]
            shown["response"] = {"inlinedResponses": {"inlinedResponses": lines}}
        return shown

    def _line(self, batch: StoredBatch, one: BatchedResult, now: float) -> dict[str, Any]:
        kind, key = batch.kind(one, now), {"metadata": {"key": one.name}}
        if kind == "succeeded":
            return {"response": one.body, **key}
        if kind == "errored":
            error = one.body["error"]
            code = _GRPC_CODES.get(one.answer.answer.status, 2)
            return {"error": {**error, "code": code}, **key}
        code = 4 if kind == "expired" else 1
        return {"error": {"code": code, "message": f"The request was {kind}."}, **key}


def _page(
    found: Sequence[StoredBatch], incoming: IncomingRequest, after: str, limit: str
) -> tuple[Sequence[StoredBatch], bool]:
    """Return the requested page, and whether further pages follow."""
    query = parse_qs(incoming.query)
    most = int(query.get(limit, [str(_PAGE)])[0])
    last = query.get(after, [""])[0]
    places = [number for number, batch in enumerate(found) if batch.id == last]
    left = found[places[0] + 1 :] if places else found
    return left[:most], len(left) > most


def _form(incoming: IncomingRequest) -> Mapping[str, tuple[str, bytes]]:
    """Return the file names and contents of a form by the names of its fields."""
    kind = incoming.header(b"content-type") or b""
    boundary = b"--" + kind.partition(b"boundary=")[2].strip(b'"')
    fields: dict[str, tuple[str, bytes]] = {}
    for part in incoming.body.split(boundary)[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        name, file = _PART_NAME.search(head), _FILE_NAME.search(head)
        if name is not None:
            named = "" if file is None else file[1].decode()
            fields[name[1].decode()] = named, content.removesuffix(b"\r\n")
    return fields


def _lines(values: Sequence[object]) -> PlannedAnswer:
    body = b"".join(pydantic_core.to_json(value) + b"\n" for value in values)
    return PlannedAnswer(HttpAnswer(200, body, [], _LINES))


def _shown(body: Mapping[str, Any]) -> PlannedAnswer:
    return PlannedAnswer(HttpAnswer(200, pydantic_core.to_json(body), []))
