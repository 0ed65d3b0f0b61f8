"""Responses in the background: begun by one request, polled and cancelled by others."""

import math
from typing import NamedTuple

import pydantic_core

from acm_workers.simulator.answer import Answer
from acm_workers.simulator.arriving import Arrived, Outcome
from acm_workers.simulator.dialects import openai
from acm_workers.simulator.faults.fault import Case
from acm_workers.simulator.faults.registry import Wish
from acm_workers.simulator.kept import Kept, Shelf
from acm_workers.simulator.refused import Refused
from acm_workers.simulator.stats import Stats


class Span(NamedTuple):
    """When a response is asked for, and when it is done, on one clock."""

    began_at: float
    ready_at: float


class _FaultyPolls:
    """The fault that polls of a response meet, and how many of them still do."""

    def __init__(self, wish: Wish, case: Case) -> None:
        self.wish, self.case = wish, case._replace(variant=wish.variant)
        times = 1 if wish.times == "once" else wish.times
        self.left = math.inf if times == "always" else times


class Background:
    """The responses that are worked on in the background, and all others that are kept."""

    def __init__(self, stats: Stats) -> None:
        self._stats = stats
        self._faulty: dict[str, _FaultyPolls] = {}
        self.shelf = Shelf()

    def begin(self, case: Case, wish: Wish | None, polls: Wish | None, span: Span) -> Answer:
        """Begin a response; return what whoever asks for it is answered.

        Args:
            case: The request.
            wish: The fault it meets, if any.
            polls: The fault that its polls meet, if any.
            span: When it begins and ends.
        """
        in_result = wish is not None and wish.fault.late
        final = case.whole()
        if wish is not None and in_result and wish.fault.life is None:
            final = pydantic_core.from_json(wish.fault.act(case).body)
        pending = openai.pending(final, "queued")
        submitted = case._replace(whole=lambda: dict(pending))
        answer = submitted.good() if wish is None or in_result else wish.fault.act(submitted)
        if answer.billed:
            self.shelf.keep(final["id"], Kept(final, *span, wish))
            self._stats.submitted()
            if polls is not None:
                self._faulty[final["id"]] = _FaultyPolls(polls, case)
        return answer

    def poll(self, arrived: Arrived) -> Outcome:
        """Answer ``GET /v1/responses/ID``."""
        self._stats.polled()
        id = arrived.path.rpartition("/")[2]
        kept = self.shelf.find(id)
        shown = kept.poll(arrived.now) if kept else None
        if shown is None:
            return _missing(arrived, id)
        faulty = self._faulty.get(id)
        if faulty is None or faulty.left <= 0:
            return _shown(shown)
        faulty.left -= 1
        case = faulty.case._replace(
            whole=lambda: shown, request_id=arrived.request_id, path=arrived.path, wall=arrived.wall
        )
        fault = faulty.wish.fault
        return Outcome(fault.act(case), model=case.asked.model, fault=fault.number)

    def cancel(self, arrived: Arrived) -> Outcome:
        """Answer ``POST /v1/responses/ID/cancel``."""
        self._stats.cancelled()
        id = arrived.path.removesuffix("/cancel").rpartition("/")[2]
        kept = self.shelf.find(id)
        if kept is None:
            return _missing(arrived, id)
        if not kept.background:
            return _refused(arrived, Refused("Cannot cancel a synchronous response."))
        return _shown(kept.cancel(arrived.now))


def _shown(response: dict[str, object]) -> Outcome:
    model = response["model"]
    return Outcome(Answer(200, pydantic_core.to_json(response), []), model=str(model))


def _missing(arrived: Arrived, id: str) -> Outcome:
    return _refused(arrived, Refused(f"Response with id '{id}' not found.", 404, param="id"))


def _refused(arrived: Arrived, refused: Refused) -> Outcome:
    body = arrived.dialect.error(refused, arrived.request_id)
    return Outcome(Answer(refused.status, body, []))
