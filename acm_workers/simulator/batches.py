"""Message batches (``/v1/messages/batches``): many requests now, their answers later."""

from typing import Any, Final, NamedTuple

import pydantic_core

from acm_workers.simulator.faults.anthropic import BatchResult, faulty_results
from acm_workers.simulator.messages import (
    HttpAnswer,
    IncomingRequest,
    PlannedAnswer,
    RequestRefused,
)
from acm_workers.simulator.service import SimulatedProvider

_FAULT: Final = "A21"
_KINDS: Final = ("processing", "succeeded", "errored", "canceled", "expired")
_MOST: Final = 1000


class _Batch(NamedTuple):
    """A submitted batch.

    Attributes:
        results: In the order in which they are handed out.
        ready_at: When they are there.
    """

    results: list[BatchResult]
    ready_at: float


class Batches:
    """Keeps batches by id; the oldest are forgotten beyond a thousand."""

    def __init__(self, service: SimulatedProvider) -> None:
        self._service = service
        self._batches: dict[str, _Batch] = {}

    def take(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``POST /v1/messages/batches``."""
        try:
            requests = pydantic_core.from_json(incoming.body)["requests"]
            results = [
                self._result(incoming, each["custom_id"], each["params"]) for each in requests
            ]
            models = [each["params"]["model"] for each in requests]
        except (ValueError, KeyError, TypeError):
            return _refused(incoming, RequestRefused("requests: custom_id and params are required"))
        requested = self._service.requested_fault(_FAULT, models[0]) if models else None
        if requested is not None:
            results = faulty_results(results, requested.variant)
        ready_at = incoming.now + self._service.settings.background_latency_s
        id = f"msgbatch_{incoming.request_id.removeprefix('req_')}"
        self._batches[id] = _Batch(results, ready_at)
        if len(self._batches) > _MOST:
            del self._batches[next(iter(self._batches))]
        return _shown(self._described(id, incoming))._replace(fault=_FAULT if requested else None)

    def show(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET /v1/messages/batches/ID``."""
        id = incoming.path.rpartition("/")[2]
        if id not in self._batches:
            return _refused(incoming, RequestRefused(f"Batch not found: {id}", 404))
        return _shown(self._described(id, incoming))

    def results(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET /v1/messages/batches/ID/results``."""
        id = incoming.path.removesuffix("/results").rpartition("/")[2]
        batch = self._batches.get(id)
        if batch is None or incoming.now < batch.ready_at:
            return _refused(incoming, RequestRefused(f"No results yet: {id}", 404))
        lines = b"".join(pydantic_core.to_json(result) + b"\n" for result in batch.results)
        return PlannedAnswer(HttpAnswer(200, lines, [], b"application/x-jsonl"))

    def _result(
        self, incoming: IncomingRequest, custom_id: str, params: dict[str, Any]
    ) -> BatchResult:
        one = incoming._replace(path="/v1/messages", body=pydantic_core.to_json(params))
        answer = self._service.decide(one).answer
        body = pydantic_core.from_json(answer.body)
        if answer.status == 200:
            return {"custom_id": custom_id, "result": {"type": "succeeded", "message": body}}
        return {"custom_id": custom_id, "result": {"type": "errored", "error": body}}

    def _described(self, id: str, incoming: IncomingRequest) -> dict[str, Any]:
        batch = self._batches[id]
        ended = incoming.now >= batch.ready_at
        counts = dict.fromkeys(_KINDS, 0)
        for result in batch.results:
            counts[result["result"]["type"] if ended else "processing"] += 1
        scheme = "http" if self._service.settings.tls_cert is None else "https"
        host = (incoming.header(b"host") or b"").decode("latin-1")
        where = f"{scheme}://{host}/v1/messages/batches/{id}/results"
        return {
            "id": id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "results_url": where if ended else None,
        }


def _shown(body: dict[str, Any]) -> PlannedAnswer:
    return PlannedAnswer(HttpAnswer(200, pydantic_core.to_json(body), []))


def _refused(incoming: IncomingRequest, refused: RequestRefused) -> PlannedAnswer:
    body = incoming.dialect.error(refused, incoming.request_id)
    return PlannedAnswer(HttpAnswer(refused.status, body, []))
