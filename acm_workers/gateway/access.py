"""The access of one unit to the gateway: its token, its calls, and its final error."""

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from acm_workers.calls.context import CallContext
from acm_workers.calls.unit_work import UnitWork
from acm_workers.errors import AcmError, CallLimitReached
from acm_workers.gateway.requests import Endpoint
from acm_workers.store import calls
from schemas.calls import Call, Completion
from schemas.config.config import Config
from schemas.config.provider import Provider

Route = Callable[[Mapping[str, str]], object]
"""Answers a child's GET request with JSON, given its query."""


class FinalAnswer(NamedTuple):
    """The answer to all further copies of a request, without another call to the provider."""

    status: int
    content_type: str
    body: bytes


class GatewayTotals(NamedTuple):
    """The calls of one unit through the gateway, added up.

    Attributes:
        sent: Requests that were sent to a provider, including failed ones.
        cached: Requests that were answered from the ledger at no cost.
        uncertain: Calls that a provider may have billed, at an unknown cost.
        input_tokens: Sum of the known input tokens.
        output_tokens: Sum of the known output tokens.
        cost_usd: Sum of the known costs; see ``unpriced``.
        unpriced: Answered calls whose cost is not known.
    """

    sent: int
    cached: int
    failed: int
    uncertain: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: int


class GatewayAccess:
    """The access of a unit's child to models through the gateway.

    Attributes:
        base_url: Address of the OpenAI-compatible server, ending in ``/v1``.
        root_url: The same without ``/v1``; the routes of the unit are below it.
        port: Port of both addresses.
        token: The key that the child presents; valid until the unit ends.
        without_usage: Models, by provider, whose servers refuse to be asked for a stream's usage.
        failure: The first error that blocks all requests of the unit, which then fails or waits;
            None without such an error.
    """

    def __init__(
        self,
        context: CallContext,
        work: UnitWork,
        config: Config,
        providers: Mapping[Endpoint, str],
        token: str,
    ) -> None:
        self.root_url = self.base_url = ""
        self.port = 0
        self.token = token
        self.failure: AcmError | None = None
        self.context, self.work, self.config = context, work, config
        self.retries = config.retries
        self.routes: Mapping[str, Route] = {}
        self.max_calls: int | None = None
        self.max_bytes: int | None = None
        self.without_usage: set[tuple[str, str]] = set()
        self.is_open = True
        self._providers = providers
        self._stored: dict[str, list[str]] = {}
        self._ended: list[Call] = []
        self._final: dict[str, FinalAnswer] = {}
        self._broken: Counter[str] = Counter()
        self._number: Counter[str] = Counter()
        self._begun = 0
        self._in_flight = 0
        self._changed = threading.Condition()

    def provider(self, endpoint: Endpoint) -> tuple[str, Provider]:
        """Return the provider that answers requests to ``endpoint``, by name."""
        name = self._providers[endpoint]
        return name, self.config.providers[name]

    def load_answers(self) -> None:
        """Load the answered calls of earlier attempts at the unit."""
        with self.context.database.read() as connection:
            self._stored = calls.answers_of_unit(connection, self.work.unit.id, "gateway")

    def take_stored(self, digest: str) -> Completion | None:
        """Return the next stored answer to a request; each serves one request of an attempt."""
        with self._changed:
            ids = self._stored.get(digest)
            call_id = ids.pop(0) if ids else None
        if call_id is None:
            return None
        with self.context.database.autocommit() as connection:
            return calls.answer(connection, call_id)

    def begin(self, size: int) -> None:
        """Count a request of ``size`` bytes that begins.

        Raises:
            CallLimitReached: The unit has reached its limit of requests, or this request is too
                long.
        """
        if self.max_bytes is not None and size > self.max_bytes:
            most = self.max_bytes // 1024
            raise CallLimitReached(f"the generator sent a model more than {most} kB at once")
        with self._changed:
            if self.max_calls is not None and self._begun >= self.max_calls:
                raise CallLimitReached(
                    f"the generator asked its models more than {self.max_calls} times"
                )
            self._begun += 1
            self._in_flight += 1

    def leave(self) -> None:
        """Count a request that has ended."""
        with self._changed:
            self._in_flight -= 1
            self._changed.notify_all()

    def number(self, digest: str) -> int:
        """Return the number of times that a request was made, including this time."""
        with self._changed:
            self._number[digest] += 1
            return self._number[digest]

    def add(self, call: Call) -> None:
        """Keep the record of a call that has ended."""
        with self._changed:
            self._ended.append(call.model_copy(update={"answer": None}))

    def calls(self) -> list[Call]:
        """Return the ended calls in the order of their ends, without their answers."""
        with self._changed:
            return list(self._ended)

    def totals(self) -> GatewayTotals:
        """Return the totals of the ended calls."""
        ended = self.calls()
        sent = [call for call in ended if not call.cached]
        return GatewayTotals(
            sent=len(sent),
            cached=len(ended) - len(sent),
            failed=sum(call.state == "failed" for call in sent),
            uncertain=sum(call.state == "uncertain" for call in sent),
            input_tokens=sum(call.usage.input_tokens or 0 for call in sent),
            output_tokens=sum(call.usage.output_tokens or 0 for call in sent),
            cost_usd=sum(call.cost_usd or 0.0 for call in sent),
            unpriced=sum(call.state == "done" and call.cost_usd is None for call in sent),
        )

    def final(self, digest: str) -> FinalAnswer | None:
        """Return the final answer to a request that has failed permanently."""
        return self._final.get(digest)

    def set_final(self, digest: str, answer: FinalAnswer) -> None:
        """Store the final failure of a request, so that repetitions get the same answer."""
        self._final[digest] = answer

    def count_broken(self, digest: str) -> int:
        """Count an answer that was cut off in transit, and return the number of such answers."""
        with self._changed:
            self._broken[digest] += 1
            return self._broken[digest]

    def stop(self, error: AcmError) -> None:
        """Refuse all further requests; the unit ends with ``error``."""
        with self._changed:
            if self.failure is None:
                self.failure = error

    def close(self, drain_s: float) -> None:
        """Refuse further requests, and wait for a while until requests in flight are recorded.

        This also applies to a process that stops and to a cancelled run, because calls in flight
        are paid for. Calls that take longer continue in the background and are recorded when they
        end.
        """
        self.is_open = False
        with self._changed:
            self._changed.wait_for(lambda: not self._in_flight, drain_s)
