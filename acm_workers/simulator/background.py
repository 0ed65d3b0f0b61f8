"""Background responses: submitted by one request, polled and cancelled by others."""

import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import pydantic_core

from acm_workers.simulator.dialects import openai
from acm_workers.simulator.faults.fault import FaultyRequest, Lifecycle
from acm_workers.simulator.faults.registry import FaultRequest
from acm_workers.simulator.messages import (
    HttpAnswer,
    IncomingRequest,
    PlannedAnswer,
    RequestRefused,
)
from acm_workers.simulator.stats import RequestStats

_MAX_RESPONSES: Final = 5_000
_QUEUED_SHARE: Final = 0.2
_HIDDEN_POLLS: Final = 2
_DONE: Final = ("completed", "failed", "incomplete", "cancelled")


class StoredResponse:
    """A background response that is in progress, or a response that is kept.

    Args:
        final: The finished response.
        began_at: Time of its request, on the clock of ``IncomingRequest.now``.
        ready_at: Time at which the response is done.
        requested: The injected fault, if any.
    """

    def __init__(
        self,
        final: Mapping[str, Any],
        began_at: float,
        ready_at: float,
        requested: FaultRequest | None = None,
    ) -> None:
        self._final, self._ready_at = final, ready_at
        self._queued_until = began_at + (ready_at - began_at) * _QUEUED_SHARE
        self._life: Lifecycle | None = requested.fault.life if requested else None
        always = requested is not None and requested.times == "always"
        self._hidden = (math.inf if always else _HIDDEN_POLLS) if self._life == "hidden" else 0
        self._ended: dict[str, Any] | None = None
        self.background = bool(final["background"])

    def poll(self, now: float) -> dict[str, Any] | None:
        """Return the response as a poll shows it; None if it cannot be found."""
        if self._hidden > 0:
            self._hidden -= 1
            return None
        return self.seen(now)

    def cancel(self, now: float) -> dict[str, Any]:
        """Cancel the response unless it is done, and return it."""
        if self.seen(now)["status"] not in _DONE:
            self._ended = (
                dict(self._final)
                if self._life == "stubborn"
                else openai.pending(self._final, "cancelled")
            )
        return self.seen(now)

    def seen(self, now: float) -> dict[str, Any]:
        """Return the state of the response at ``now``."""
        if self._ended is not None:
            return self._ended
        if self._life == "queued" or now < self._queued_until:
            return openai.pending(self._final, "queued")
        if self._life == "stubborn" or now < self._ready_at:
            return openai.pending(self._final, "in_progress")
        return dict(self._final)


class ResponseStore:
    """Keeps responses by id; the oldest are forgotten beyond five thousand."""

    def __init__(self) -> None:
        self._kept: dict[str, StoredResponse] = {}

    def keep(self, id: str, stored: StoredResponse) -> None:
        """Keep a response."""
        self._kept[id] = stored
        if len(self._kept) > _MAX_RESPONSES:
            del self._kept[next(iter(self._kept))]

    def find(self, id: str) -> StoredResponse | None:
        """Return the response with an id, if it exists."""
        return self._kept.get(id)


class WorkPeriod(NamedTuple):
    """The times at which a response is requested and done, on one clock."""

    began_at: float
    ready_at: float


class _FaultyPolls:
    """The fault injected into polls of a response, and how many polls still get it."""

    def __init__(self, requested: FaultRequest, case: FaultyRequest) -> None:
        self.requested, self.case = requested, case._replace(variant=requested.variant)
        times = 1 if requested.times == "once" else requested.times
        self.left = math.inf if times == "always" else times


class BackgroundResponses:
    """The responses in progress in the background, and all other responses that are kept."""

    def __init__(self, stats: RequestStats) -> None:
        self._stats = stats
        self._faulty: dict[str, _FaultyPolls] = {}
        self.kept = ResponseStore()

    def begin(
        self,
        case: FaultyRequest,
        requested: FaultRequest | None,
        polls: FaultRequest | None,
        span: WorkPeriod,
    ) -> HttpAnswer:
        """Begin a response, and return the answer to its request.

        Args:
            case: The request.
            requested: The injected fault, if any.
            polls: The fault injected into polls of the response, if any.
            span: Time at which the response begins and ends.
        """
        in_result = requested is not None and requested.fault.late
        final = case.whole()
        if requested is not None and in_result and requested.fault.life is None:
            final = pydantic_core.from_json(requested.fault.act(case).body)
        pending = openai.pending(final, "queued")
        submitted = case._replace(whole=lambda: dict(pending))
        answer = (
            submitted.good() if requested is None or in_result else requested.fault.act(submitted)
        )
        if answer.billed:
            self.kept.keep(final["id"], StoredResponse(final, *span, requested))
            self._stats.submitted()
            if polls is not None:
                self._faulty[final["id"]] = _FaultyPolls(polls, case)
        return answer

    def poll(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``GET /v1/responses/ID``."""
        self._stats.polled()
        id = incoming.path.rpartition("/")[2]
        stored = self.kept.find(id)
        shown = stored.poll(incoming.now) if stored else None
        if shown is None:
            return _missing(incoming, id)
        faulty = self._faulty.get(id)
        if faulty is None or faulty.left <= 0:
            return _shown(shown)
        faulty.left -= 1
        case = faulty.case._replace(
            whole=lambda: shown,
            request_id=incoming.request_id,
            path=incoming.path,
            wall=incoming.wall,
        )
        fault = faulty.requested.fault
        return PlannedAnswer(fault.act(case), model=case.request.model, fault=fault.number)

    def cancel(self, incoming: IncomingRequest) -> PlannedAnswer:
        """Answer ``POST /v1/responses/ID/cancel``."""
        self._stats.cancelled()
        id = incoming.path.removesuffix("/cancel").rpartition("/")[2]
        stored = self.kept.find(id)
        if stored is None:
            return _missing(incoming, id)
        if not stored.background:
            return _refused(incoming, RequestRefused("Cannot cancel a synchronous response."))
        return _shown(stored.cancel(incoming.now))


def _shown(response: dict[str, object]) -> PlannedAnswer:
    model = response["model"]
    return PlannedAnswer(HttpAnswer(200, pydantic_core.to_json(response), []), model=str(model))


def _missing(incoming: IncomingRequest, id: str) -> PlannedAnswer:
    return _refused(
        incoming, RequestRefused(f"Response with id '{id}' not found.", 404, param="id")
    )


def _refused(incoming: IncomingRequest, refused: RequestRefused) -> PlannedAnswer:
    body = incoming.dialect.error(refused, incoming.request_id)
    return PlannedAnswer(HttpAnswer(refused.status, body, []))
