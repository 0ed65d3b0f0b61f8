"""Answers in the background: asked for once, then looked for by short tasks until they end.

A unit has one open call at most. Every task begins by looking for its answer; one that did look
sends nothing any more, so that looks never wait behind requests.
"""

import time
from datetime import datetime, timedelta
from typing import NoReturn

import structlog

from acm_workers.calls import call_log, polling
from acm_workers.calls.context import CallContext, Unit
from acm_workers.calls.hold import Hold
from acm_workers.calls.records import answered, failed
from acm_workers.errors import (
    AcmError,
    AnswerLost,
    AnswerOverdue,
    AnswerPending,
    OutOfAttempts,
    ProviderPaused,
    StoreFailed,
    TransientError,
)
from acm_workers.providers import background
from acm_workers.store import calls, open_calls, units
from acm_workers.store.open_calls import Open
from schemas.calls import Call, Completion, Request
from schemas.config.config import Config
from schemas.config.provider import Provider

_NOT_FOUND = 404
_MOST_MISSES = 3
_SAVE_PAUSES_S = (0.2, 1.0, 3.0)

log = structlog.get_logger()


class BackgroundCalls:
    """The answers in the background of one unit.

    Args:
        hold: That on the unit.
        answered: Gets the calls that ended well; whoever saves the unit saves them.

    Attributes:
        failures: How many answers have failed since the unit was planned.
    """

    def __init__(
        self,
        desk: CallContext,
        unit: Unit,
        config: Config,
        hold: Hold,
        answered: list[Call],
    ) -> None:
        self.failures = 0
        self._answered = answered
        self._desk = desk
        self._unit = unit
        self._config = config
        self._hold = hold
        self._found: tuple[str, Completion] | None = None

    def look(self) -> None:
        """Look for the answer that the unit waits for, if it waits for any.

        Raises:
            AnswerPending: It is not there yet, or failed in a way that may pass.
            PermanentError: There is and will be none.
            ProviderPaused: The key is missing or refused, or the provider's money is used up.
            AlreadyClaimed: Somebody else looks.
        """
        self._desk.check(self._unit.run_id)
        with self._desk.database.write() as connection:
            self._hold.take(connection)
            self.failures = units.failures(connection, self._unit.kind, self._unit.id)
            found = open_calls.of_unit(connection, self._unit.id)
        if found is not None:
            self._found = found.call.digest, self._look(found)

    def known(self, digest: str) -> Completion | None:
        """Return the answer to a request of this unit that is there already."""
        if self._found is not None and self._found[0] == digest:
            return self._found[1]
        with self._desk.database.read() as connection:
            return calls.answered(connection, digest, self._unit.sample, self._unit.id)

    def send_nothing_after_a_look(self) -> None:
        """Let another task send what is to be sent.

        Raises:
            AnswerPending: This one has looked for an answer.
        """
        if self._found is not None:
            raise AnswerPending("its next request is sent by a task of its own", self._desk.now())

    def submit(self, provider: Provider, request: Request, call: Call, name: str) -> NoReturn:
        """Ask ``request``, and keep the provider's name for the answer.

        Args:
            call: Has been written down.
            name: Our name for the request.

        Raises:
            AnswerPending: It is being worked on.
            AcmError: It is not; see ``background.submit``.
        """
        there = polling.hasty(provider)
        response_id, _ = background.submit(there, call.provider, request, name)
        self._keep(call, response_id)
        raise _pending(call, polling.next_look(call, provider, self._desk.now()))

    def _keep(self, call: Call, response_id: str) -> None:
        """Keep the name by which an answer is found again, for it is paid for.

        Raises:
            StoreFailed: The store does not take it, nor a few seconds later.
        """
        for pause_s in _SAVE_PAUSES_S:
            try:
                self._name(call, response_id)
            except StoreFailed:
                log.warning("not saved yet", call=call.id, response=response_id)
                time.sleep(pause_s)
            else:
                return
        self._name(call, response_id)

    def _name(self, call: Call, response_id: str) -> None:
        with self._desk.database.write() as connection:
            open_calls.submitted(connection, call.id, response_id)

    def _look(self, found: Open) -> Completion:
        call, now = found.call, self._desk.now()
        provider = self._config.providers[call.provider]
        self._desk.need_access(call.provider, provider)
        overdue = polling.is_overdue(call, provider, now)
        try:
            completion = polling.look(provider, call, last=overdue)
        except AcmError as error:
            if error.final:
                self._failed(call, error, provider, overdue=overdue)
            self._unseen(found, error, provider)
        self._missed(found, 0)
        if completion is None:
            self._wait(call, provider)
        # The request is not at hand; that it may have searched is the safe side.
        request = Request(provider=call.provider, model=call.model, messages=(), search=True)
        ended = call_log.ended(answered(call, completion, request, provider, self._desk.now()))
        self._answered.append(ended)
        return completion

    def _failed(
        self, call: Call, error: AcmError, provider: Provider, *, overdue: bool
    ) -> NoReturn:
        """Book an answer that ended without a result, and say what comes next."""
        passing = isinstance(error, TransientError) and not overdue
        self._end(call_log.ended(failed(call, error, provider, self._desk.now())), again=passing)
        if overdue:
            raise AnswerOverdue(_overdue(call, provider)) from error
        retries = self._config.retries
        self._desk.heed(call.provider, error, retries)
        if not isinstance(error, TransientError):
            raise error
        if self.failures >= retries.attempts:
            tried = f"{error} (after {self.failures} failures in the background)"
            raise OutOfAttempts(tried, error.status) from error
        ceiling_s = min(retries.max_delay_seconds, retries.base_delay_seconds * 2.0**self.failures)
        pause = timedelta(seconds=max(ceiling_s, error.retry_after_s or 0.0))
        raise AnswerPending(str(error), self._desk.now() + pause) from error

    def _unseen(self, found: Open, error: AcmError, provider: Provider) -> NoReturn:
        """Say what comes next after a look that did not reach the answer."""
        call = found.call
        self._desk.heed(call.provider, error, self._config.retries)
        if isinstance(error, ProviderPaused):
            raise error
        missed = isinstance(error, TransientError) and error.status == _NOT_FOUND
        misses = found.misses + 1 if missed else 0
        if misses >= _MOST_MISSES:
            lost = AnswerLost(f"{error}, {misses} times in a row; it may have been paid")
            self._give_up(call, lost, provider)
        self._missed(found, misses)
        told_s = error.retry_after_s if isinstance(error, TransientError) else None
        self._wait(call, provider, told_s or 0.0)

    def _missed(self, found: Open, misses: int) -> None:
        if misses != found.misses:
            with self._desk.database.write() as connection:
                open_calls.missed(connection, found.call.id, misses)

    def _wait(self, call: Call, provider: Provider, told_s: float = 0.0) -> NoReturn:
        now = self._desk.now()
        if polling.is_given_up(call, provider, now):
            self._give_up(call, AnswerOverdue(_overdue(call, provider)), provider)
        raise _pending(call, polling.next_look(call, provider, now, told_s))

    def _give_up(self, call: Call, error: AcmError, provider: Provider) -> NoReturn:
        """End a call of which nobody knows what it cost."""
        error.maybe_billed = True
        self._end(call_log.ended(failed(call, error, provider, self._desk.now())))
        raise error

    def _end(self, call: Call, *, again: bool = False) -> None:
        with self._desk.database.write() as connection:
            calls.end(connection, [call])
            if again:
                units.failed_once_more(connection, self._unit.kind, self._unit.id)
        self.failures += again


def _pending(call: Call, look_at: datetime) -> AnswerPending:
    return AnswerPending(f"{call.provider}: {call.model} is at work in the background", look_at)


def _overdue(call: Call, provider: Provider) -> str:
    limit_s = provider.timeout_seconds
    return f"{call.provider}: no answer within {limit_s:g} s; it was called off"
