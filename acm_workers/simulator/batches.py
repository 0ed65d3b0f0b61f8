"""Batches in every dialect: many requests, which are answered later at half price."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import pydantic_core

from acm_workers.simulator.messages import (
    HttpAnswer,
    IncomingRequest,
    PlannedAnswer,
    RequestRefused,
)
from acm_workers.simulator.service import SimulatedProvider

ResultKind = Literal["processing", "succeeded", "errored", "expired", "canceled"]

_FAULT: Final = "A21"
_NAME_HEADER: Final = b"x-client-request-id"
_MOST: Final = 1000
_QUEUED_SHARE: Final = 0.1
_INTERNAL_ERROR: Final = RequestRefused("Internal error", 500, type="server_error")

LogRequest = Callable[[IncomingRequest, PlannedAnswer], object]


class BatchRequest(NamedTuple):
    """One request of a batch.

    Attributes:
        name: Name that identifies the result.
        path: Path of the same request outside a batch.
    """

    name: str
    path: str
    body: Mapping[str, Any]


class BatchedResult(NamedTuple):
    """One request of a batch with its result.

    Attributes:
        incoming: The request as if it had come individually.
        kind: Kind of its result.
        ready_at: Time at which the result is ready.
    """

    name: str
    incoming: IncomingRequest
    answer: PlannedAnswer
    kind: ResultKind
    ready_at: float

    @property
    def body(self) -> Any:
        """Return the JSON of the answer."""
        return pydantic_core.from_json(self.answer.answer.body)


class StoredBatch:
    """A batch that was submitted.

    Attributes:
        about: Fields that the dialect shows in addition to the state.
        created: Time of its submission, in seconds since 1970.
        results: Results in the order in which they are returned.
    """

    def __init__(
        self,
        id: str,
        about: Mapping[str, Any],
        incoming: IncomingRequest,
        results: Sequence[BatchedResult],
    ) -> None:
        self.id, self.about, self.created = id, about, incoming.wall
        self.dialect = incoming.dialect.NAME
        self.results = list(results)
        self.billed: set[str] = set()
        self._began_at = incoming.now
        self._ready_at = max((one.ready_at for one in results), default=incoming.now)
        self._cancelled_at: float | None = None

    def cancel(self, now: float) -> None:
        """End the requests that have no result yet."""
        if self._cancelled_at is None and now < self._ready_at:
            self._cancelled_at = now

    @property
    def is_cancelled(self) -> bool:
        """Return whether the batch was cancelled before its end."""
        return self._cancelled_at is not None

    def is_queued(self, now: float) -> bool:
        """Return whether no request of the batch was begun."""
        return now < self._began_at + (self._ready_at - self._began_at) * _QUEUED_SHARE

    def is_ended(self, now: float) -> bool:
        """Return whether each request of the batch has a result."""
        return self.is_cancelled or now >= self._ready_at

    def kind(self, one: BatchedResult, now: float) -> ResultKind:
        """Return the progress of a request of the batch."""
        if self._cancelled_at is not None and one.ready_at > self._cancelled_at:
            return "canceled"
        return one.kind if self._cancelled_at is not None or now >= one.ready_at else "processing"

    def counts(self, now: float) -> Counter[ResultKind]:
        """Return the number of requests of each kind."""
        named = {one.name: one for one in self.results}
        return Counter(self.kind(one, now) for one in named.values())


class Batches:
    """Keeps batches and files by id; the oldest are forgotten beyond a thousand.

    Args:
        log: Callback that is called for each request that a model has worked on.
    """

    def __init__(
        self, service: SimulatedProvider, log: LogRequest = lambda _incoming, _answer: None
    ) -> None:
        self.service = service
        self._log = log
        self._batches: dict[str, StoredBatch] = {}
        self._files: dict[str, tuple[str, bytes]] = {}

    def submit(
        self,
        id: str,
        about: Mapping[str, Any],
        incoming: IncomingRequest,
        requests: Sequence[BatchRequest],
    ) -> tuple[StoredBatch, str | None]:
        """Accept a batch, and return it with the number of its fault, if any.

        Raises:
            RequestRefused: The batch has no request, or asks for a model that does not exist.
        """
        if not requests:
            raise RequestRefused("A batch needs at least one request.")
        # One after the other, so that a batch that is cancelled has some of its results.
        step_s = self.service.settings.background_latency_s / len(requests)
        results = [
            self._result(incoming, one, incoming.now + step_s * number)
            for number, one in enumerate(requests, start=1)
        ]
        model = results[0].answer.model
        wanted = (
            None if model is None else self.service.requested_fault(_FAULT, model, incoming.dialect)
        )
        if wanted is not None:
            results = _with_fault(results, wanted.variant)
        batch = self._batches[id] = StoredBatch(id, about, incoming, results)
        if len(self._batches) > _MOST:
            del self._batches[next(iter(self._batches))]
        self.service.stats.batch_submitted(len(requests))
        return batch, None if wanted is None else _FAULT

    def find(self, id: str, incoming: IncomingRequest) -> StoredBatch:
        """Return a batch.

        Raises:
            RequestRefused: The id does not exist.
        """
        self.bill_results(incoming.now)
        batch = self._batches.get(id)
        if batch is None or batch.dialect != incoming.dialect.NAME:
            raise RequestRefused(f"Batch not found: {id}", 404)
        return batch

    def listed(self, incoming: IncomingRequest) -> list[StoredBatch]:
        """Return the batches of a dialect, the newest first."""
        self.bill_results(incoming.now)
        found = [one for one in self._batches.values() if one.dialect == incoming.dialect.NAME]
        return found[::-1]

    def cancel(self, id: str, incoming: IncomingRequest) -> StoredBatch:
        """Cancel a batch, and return it.

        Raises:
            RequestRefused: The id does not exist.
        """
        batch = self.find(id, incoming)
        self.service.stats.batch_cancelled()
        batch.cancel(incoming.now)
        return batch

    def keep_file(self, id: str, name: str, content: bytes) -> None:
        """Keep a file."""
        self._files[id] = name, content
        if len(self._files) > _MOST:
            del self._files[next(iter(self._files))]

    def file(self, id: str) -> tuple[str, bytes]:
        """Return the name and the content of a file.

        Raises:
            RequestRefused: The id does not exist.
        """
        if id not in self._files:
            raise RequestRefused(f"No such File object: {id}", 404, param="id")
        return self._files[id]

    def bill_results(self, now: float) -> None:
        """Bill the requests that have succeeded since the previous call."""
        for batch in self._batches.values():
            for one in batch.results:
                if one.name in batch.billed or batch.kind(one, now) != "succeeded":
                    continue
                batch.billed.add(one.name)
                answer = one.answer
                self.service.stats.billed(answer.input_tokens, answer.output_tokens, answer.usd)
                self.service.stats.answered(answer.digest)
                self._log(one.incoming, answer)

    def _result(
        self, incoming: IncomingRequest, request: BatchRequest, ready_at: float
    ) -> BatchedResult:
        headers = [(name, value) for name, value in incoming.headers if name != _NAME_HEADER]
        one = incoming._replace(
            path=request.path,
            headers=[*headers, (_NAME_HEADER, request.name.encode("latin-1", "replace"))],
            body=pydantic_core.to_json(request.body),
            batched=True,
        )
        answer = self.service.decide(one)
        if answer.status is None:  # a connection that breaks is nothing that a batch could show
            answer = _failed(one)
        kind: ResultKind = "succeeded" if answer.status == 200 else "errored"
        return BatchedResult(request.name, one, answer, kind, ready_at)


def _with_fault(results: list[BatchedResult], variant: str) -> list[BatchedResult]:
    """Return the results of a batch with the fault, which affects the order or the first result."""
    if variant == "order":
        return results[::-1]
    if variant == "duplicate":
        return [*results, results[0]]
    first = results[0]
    if variant == "errored":
        return [
            first._replace(kind="errored", answer=_failed(first.incoming)),
            *results[1:],
        ]
    kind: ResultKind = "expired" if variant == "expired" else "canceled"
    return [first._replace(kind=kind), *results[1:]]


def _failed(incoming: IncomingRequest) -> PlannedAnswer:
    body = incoming.dialect.error(_INTERNAL_ERROR, incoming.request_id)
    return PlannedAnswer(HttpAnswer(_INTERNAL_ERROR.status, body, []))
