"""Paid calls: written down before they are sent, and never sent again once answered."""

import time
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection

from acm_workers.calls import call_log, polling
from acm_workers.calls.accounts import BudgetReservation
from acm_workers.calls.background_calls import BackgroundCalls
from acm_workers.calls.context import CallContext, Unit
from acm_workers.calls.hold import Hold
from acm_workers.calls.records import Asked, answered, begun, failed, from_cache
from acm_workers.calls.retry_policy import RetryPolicy
from acm_workers.errors import AnswerPending, ParameterRefused, StoreFailed, TransientError
from acm_workers.limits.interface import Permit
from acm_workers.providers import completion
from acm_workers.store import calls
from schemas.calls import Call, CallStage, Completion, Request
from schemas.config.config import Config
from schemas.config.provider import Provider

_NAP_S = 0.5


class Spent(NamedTuple):
    """What the calls of a unit took."""

    input_tokens: int | None
    output_tokens: int | None
    duration_ms: int


class _Outdated(Exception):
    """While a request waited for its turn, its model was found to refuse some of it."""


class Ledger:
    """Answers the requests of one unit; a ``Caller``.

    Args:
        hold: That on the unit, taken in the transaction that writes down a call, so that nothing
            is sent for a unit that somebody else has.

    Attributes:
        answered: Calls that ended well and are not saved yet: whoever saves the unit saves them
            in the same transaction.
    """

    def __init__(self, desk: CallContext, unit: Unit, config: Config, hold: Hold) -> None:
        self.answered: list[Call] = []
        self._desk = desk
        self._unit = unit
        self._config = config
        self._hold = hold
        self._began = time.monotonic()
        self._patience = RetryPolicy(config.retries)
        self._research = BackgroundCalls(desk, unit, config, hold, self.answered)
        self._completions: list[Completion] = []

    def look(self, provider: str, model: str) -> None:
        """Look for what the unit waits for, if its model answers in the background.

        Raises:
            AnswerPending: It is not there yet.
            AcmError: See ``Research.look``.
        """
        if polling.is_background(self._config.providers[provider], model):
            self._research.look()

    def complete(self, request: Request, stage: CallStage = "main") -> Completion:
        """Answer ``request``; see ``Caller``."""
        answer = self._complete(request, stage)
        self._completions.append(answer)
        return answer

    def spent(self) -> Spent:
        """Return what the calls of this unit took so far."""
        usages = [answer.usage for answer in self._completions]
        return Spent(
            _sum(usage.input_tokens for usage in usages),
            _sum(usage.output_tokens for usage in usages),
            round((time.monotonic() - self._began) * 1000),
        )

    def _complete(self, request: Request, stage: CallStage) -> Completion:
        request = self._desk.left_out.of(request)
        try:
            return self._answer(request, stage)
        except _Outdated:
            pass
        except ParameterRefused as error:
            if not self._desk.left_out.learn(request, error):
                raise
        return self._complete(request, stage)

    def _answer(self, request: Request, stage: CallStage) -> Completion:
        provider = self._config.providers[request.provider]
        digest = completion.digest(provider, request)
        if polling.is_background(provider, request.model):
            own = self._research.known(digest)
            if own is not None:
                return own
        asked = Asked(request, stage, digest)
        stored = self._stored(digest)
        if stored is not None:
            call = begun(self._unit, asked, self._desk)
            self._save(from_cache(call, stored, self._desk.now()))
            return stored
        self._research.send_nothing_after_a_look()
        self._patience.begin()
        while True:
            self._desk.check(self._unit.run_id)
            try:
                return self._send(asked)
            except TransientError as error:
                self._sleep(self._patience.after(error))

    def _send(self, asked: Asked) -> Completion:
        desk, request = self._desk, asked.request
        provider = self._config.providers[request.provider]
        desk.need_access(request.provider, provider)
        with desk.purse(self._unit, request, self._config) as purse:
            while True:
                purse.wait()
                with desk.turn(self._unit, purse.request, provider) as turn:
                    if desk.left_out.of(request) is not request:
                        raise _Outdated
                    call = self._begin(asked, purse, turn)
                    if call is not None:
                        return self._receive(request, purse.request, call, turn)

    def _begin(self, asked: Asked, purse: BudgetReservation, turn: Permit) -> Call | None:
        """Write down a call that is sent now; return None if the budget does not allow it."""
        if purse.most_usd is None and not self._hold.taken:
            call = self._begun(asked, purse, turn)
            self._hold.begin(call)
            return call
        with self._desk.database.write() as connection:
            self._secure(connection)
            fits = purse.reserve(connection)
            if fits:
                call = self._begun(asked, purse, turn)
                calls.start(connection, call)
        self.answered.clear()
        if not fits:
            return None
        purse.begun()
        return call

    def _begun(self, asked: Asked, purse: BudgetReservation, turn: Permit) -> Call:
        attempt = self._patience.sends() + self._research.failures
        return begun(self._unit, asked, self._desk, attempt, turn.waited_s, purse.most_usd)

    def _receive(self, request: Request, sent: Request, call: Call, turn: Permit) -> Completion:
        """Send a call that is written down, and note how it ends."""
        desk, provider = self._desk, self._config.providers[request.provider]
        try:
            answer = self._ask(provider, sent, call)
        except (AnswerPending, StoreFailed):
            raise
        except Exception as error:
            self._end(call_log.ended(failed(call, error, provider, desk.now())))
            desk.heed(request.provider, error, self._config.retries)
            raise
        desk.settle(turn, answer.usage)
        ended = answered(call, answer, request, provider, desk.now())
        self.answered.append(call_log.ended(ended))
        return answer

    def _ask(self, provider: Provider, request: Request, call: Call) -> Completion:
        name = f"{call.digest[:32]}-{call.iteration}"
        if polling.is_background(provider, request.model):
            self._research.submit(provider, request, call, name)
        return completion.complete(provider, request.provider, request, name)

    def _stored(self, digest: str) -> Completion | None:
        # An answer that this very unit was given before a crash is its own in any mode.
        only_unit = None if self._config.cache == "reuse" else self._unit.id
        return self._desk.database.ask(
            lambda connection: calls.answered(connection, digest, self._unit.sample, only_unit)
        )

    def _save(self, call: Call) -> None:
        with self._desk.database.write() as connection:
            self._secure(connection)
            calls.start(connection, call)
        self.answered.clear()

    def _secure(self, connection: Connection) -> None:
        self._hold.take(connection)
        calls.end(connection, self.answered)

    def _end(self, call: Call) -> None:
        self._desk.database.insist(lambda connection: calls.end(connection, [call]))

    def _sleep(self, delay_s: float) -> None:
        until = time.monotonic() + delay_s
        while (left_s := until - time.monotonic()) > 0:
            self._desk.check(self._unit.run_id)
            time.sleep(min(left_s, _NAP_S))


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
