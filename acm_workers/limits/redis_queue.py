"""Who asks Redis for turns with one provider, for all threads of this process.

Threads stand in one line, first come, first served, and one thread of ours asks for them and
tells what has ended in the same message: a turn costs one or two round trips however many wait.
Where nothing but places is limited, one that comes free goes to the next thread of ours without a
word, as long as no other process has a claim to it.
While Redis is away they all wait, and nothing that is to be told gets lost.
"""

import itertools
import math
import threading
import time
from dataclasses import replace
from typing import Any

import structlog

from acm_workers.errors import LimitsUnavailable, ProviderPaused
from acm_workers.limits import message
from acm_workers.limits.interface import Permit, Reason, Stop
from acm_workers.limits.keeping import Keeping
from acm_workers.limits.message import HORIZON_S, POLL_S, RENEW_S, Asked, Told
from acm_workers.limits.outage import Outage
from acm_workers.limits.periodic_thread import PeriodicThread
from acm_workers.limits.redis_session import Answer, Answered, Place, RedisSession
from acm_workers.limits.script_client import ScriptClient
from acm_workers.limits.waiter import Waiter, Waiters
from schemas.config.provider import Provider

_AWAY_PAUSE_S = 0.25
_AT_ONCE, _REFUSED = 16, 2
# While a rate binds, what has ended may be told together with the next question.
_LINGER_S = 0.2
_ANY_TIME_S = 1e9
_ids = itertools.count(1)

log = structlog.get_logger()


class RedisQueue:
    """The line of this process in front of one provider."""

    def __init__(self, name: str, provider: Provider, wire: ScriptClient, place: Place) -> None:
        self._name = name
        self._dialogue = RedisSession(name, provider, wire, place)
        self._changed = threading.Condition()
        self._waiters = Waiters()
        self._asked: list[Waiter] = []
        self._rounds = PeriodicThread(
            f"limits-{name}", self._changed, self._round, self._due, self._left
        )
        self._paused = False
        self._shut = False
        self._binds: Reason | None = None
        self._most = _AT_ONCE
        self._held_until = -math.inf
        self._keeping = Keeping(self._dialogue)
        self._absence = Outage(name, place.patience_s)
        self._renew_at = 0.0

    def configure(self, provider: Provider) -> None:
        """See ``Limiter.configure``."""
        with self._changed:
            self._keeping.allow(0.0, 0.0)
            self._dialogue.configure(provider)
        self.call()

    def enter(self, model: str, tokens: int, stop: Stop | None) -> Permit:
        """Wait for a turn; see ``Limiter.acquire``."""
        waiter = Waiter(self._name, model, tokens, stop)
        waiter.look()
        with self._changed:
            if not self._waiters and self._keeping.may and not self._is_barred():
                kept = self._keeping.take(model)
                if kept is not None:
                    return self._keeping.follow(kept, waiter, next(_ids))
            self._waiters.append(waiter)
            if not self._shut or len(self._waiters) == 1:
                self._rounds.within(0.0)
        try:
            while True:
                turn = waiter.wait()
                if self._in_time(waiter):
                    return replace(turn, waited_s=waiter.waited_s())
                self._stand_again(waiter, turn)
        except BaseException:
            self._leave(waiter)
            raise

    def reserve(self, model: str, tokens: int) -> Permit:
        """See ``Limiter.reserve``."""
        with self._changed:
            self._keeping.give_back()
        number = next(_ids)
        asked = [Asked(self._dialogue.id(number), model, tokens, 0.0)]
        answer = self._dialogue.ask(asked, _ANY_TIME_S)
        self.call(RENEW_S)
        if answer.paused is not None:
            raise ProviderPaused(answer.paused, self._name)
        return self._turn(number, model, tokens, answer.turns[0])

    def settle(self, turn: Permit, actual_tokens: int) -> None:
        """See ``Limiter.settle``."""
        self._dialogue.settle(self._dialogue.id(turn.id), actual_tokens)
        if self._waiters:
            self.call()

    def release(self, turn: Permit) -> None:
        """See ``Limiter.release``."""
        if self._keeps(turn):
            return
        if self._dialogue.release(self._dialogue.id(turn.id)):
            rates = self._waiters and self._binds not in (None, "in_flight", "tokens")
            self.call(_LINGER_S if rates else 0.0)

    def penalise(self, wait_s: float) -> None:
        """See ``Limiter.penalise``."""
        self._held_until = max(self._held_until, time.monotonic() + wait_s)
        self._tell(Told("hold", wait_s=wait_s))

    def pause(self, reason: str) -> None:
        """See ``Limiter.pause``."""
        self._tell(Told("pause", reason=reason))
        with self._changed:
            self._send_away(reason)

    def resume(self) -> None:
        """See ``Limiter.resume``."""
        self._tell(Told("resume"))

    def state(self) -> dict[str, Any]:
        """See ``Limiter.state``."""
        with self._changed:
            self._keeping.give_back()
            tokens = self._waiters[0].tokens if self._waiters else 1
        answer = self._dialogue.ask([], HORIZON_S, about=True, tokens=tokens)
        state = message.state(answer.about, answer.paused)
        with self._changed:
            if self._waiters:
                state["waiting"] += len(self._waiters)
                state["waiting_for"] = self._waiters[0].reason or state["waiting_for"]
        return state

    def call(self, within_s: float = 0.0) -> None:
        """Ask Redis again, for something may have changed."""
        with self._changed:
            self._rounds.within(within_s)

    def close(self) -> None:
        """Tell what is left to be told, and end."""
        with self._changed:
            self._keeping.give_back()
        self._rounds.close()

    def _tell(self, told: Told) -> None:
        self._dialogue.tell(told)
        self.call()

    def _keeps(self, turn: Permit) -> bool:
        """Let a place that comes free stay here, if that is allowed."""
        with self._changed:
            if self._keeping.has(turn):
                return True
            barred = self._rounds.closed or self._is_barred()
            if barred or not self._dialogue.holds(self._dialogue.id(turn.id)):
                return False
            kept = self._pass_on(turn, self._waiters[0]) if self._waiters else self._keep(turn)
            self._rounds.look()
            return kept

    def _pass_on(self, turn: Permit, first: Waiter) -> bool:
        if not self._keeping.may or first in self._asked or first.model != turn.model:
            return False
        self._waiters.popleft()
        first.held, first.reason = True, "in_flight"
        first.begin(self._keeping.follow(turn, first, next(_ids)), time.monotonic())
        return True

    def _keep(self, turn: Permit) -> bool:
        if not self._keeping.may_hope:
            return False
        self._keeping.keep(turn)
        if not self._keeping.may:
            self._rounds.within(0.0)
        return True

    def _is_barred(self) -> bool:
        return self._paused or self._held_until > time.monotonic()

    def _in_time(self, waiter: Waiter) -> bool:
        """Sleep until the turn begins; return whether it may be made use of."""
        late = waiter.sleep()
        return not (late or self._is_barred())

    def _stand_again(self, waiter: Waiter, turn: Permit) -> None:
        with self._changed:
            self._dialogue.undo(self._dialogue.id(turn.id), turn.model)
            waiter.stand_again()
            self._waiters.appendleft(waiter)
            self._rounds.within(0.0)

    def _leave(self, waiter: Waiter) -> None:
        with self._changed:
            if waiter.turn is not None:
                self._dialogue.undo(self._dialogue.id(waiter.turn.id), waiter.model)
            elif waiter in self._waiters:
                self._waiters.remove(waiter)
            self._rounds.within(0.0)

    def _round(self) -> None:
        try:
            self._serve()
        except LimitsUnavailable as error:
            self._be_patient(error)
        except Exception as error:
            log.exception("limits failed", provider=self._name)
            with self._changed:
                self._asked = []
                self._renew_at = time.monotonic() + _AWAY_PAUSE_S
                self._waiters.fail(list(self._waiters), error)

    def _due(self) -> float:
        """Return when there is something to renew or to give back."""
        renew_at = math.inf if self._dialogue.idle else self._renew_at
        return min(renew_at, self._keeping.ask_at)

    def _left(self) -> bool:
        return self._dialogue.has_news and not self._absence.lasts

    def _serve(self) -> None:
        """Ask for those who stand first in the line."""
        with self._changed:
            self._rounds.begun()
            now = time.monotonic()
            self._keeping.give_back(math.inf if self._waiters else now)
            first = {next(_ids): one for one in self._waiters.foremost(self._most)}
            self._asked = list(first.values())
            number = len(self._waiters)
        asked = [
            Asked(self._dialogue.id(key), one.model, one.tokens, now - one.since, one.reason)
            for key, one in first.items()
        ]
        renew = now >= self._renew_at
        answer = self._dialogue.ask(asked, HORIZON_S, renew=renew, waiting=number)
        with self._changed:
            self._asked = []
            if renew:
                self._renew_at = now + RENEW_S
            self._absence.end()
            self._keeping.allow(now, answer.keep_s)
            self._hand_out(answer, first)
            if not self._keeping.may_hope and self._keeping.give_back():
                self._rounds.within(0.0)

    def _hand_out(self, answer: Answer, first: dict[int, Waiter]) -> None:
        self._paused = answer.paused is not None
        self._shut, self._binds = answer.shut, None
        if answer.paused is not None:
            self._send_away(answer.paused)
            return
        by_id = {self._dialogue.id(key): (key, waiter) for key, waiter in first.items()}
        for turn in answer.turns:
            key, waiter = by_id[turn.id]
            waiter.held |= turn.why is not None
            waiter.reason = turn.why
            if turn.granted:
                self._grant(key, waiter, turn)
            else:
                self._binds = turn.why
        # Where few come free at a time, to ask for many each time is most of the work.
        granted = sum(turn.granted for turn in answer.turns)
        self._most = _AT_ONCE if granted == len(first) else granted + _REFUSED
        if self._waiters:
            waits = self._binds is not None
            again_s = min(max(answer.again_s, 0.002), POLL_S) if waits else 0.0
            self._rounds.within(again_s)

    def _grant(self, key: int, waiter: Waiter, turn: Answered) -> None:
        if waiter not in self._waiters:  # it has left, or was sent away
            self._dialogue.undo(turn.id, waiter.model)
            return
        self._waiters.remove(waiter)
        waiter.begin(self._turn(key, waiter.model, waiter.tokens, turn), turn.local)

    def _turn(self, key: int, model: str, tokens: int, got: Answered) -> Permit:
        return Permit(key, self._name, model, tokens, got.at, got.why, got.granted)

    def _be_patient(self, error: LimitsUnavailable) -> None:
        with self._changed:
            self._asked = []
            self._rounds.within(_AWAY_PAUSE_S)
            self._renew_at = time.monotonic() + _AWAY_PAUSE_S
            self._absence.met(error, self._waiters)

    def _send_away(self, reason: str) -> None:
        self._paused = True
        self._waiters.fail(list(self._waiters), ProviderPaused(reason, self._name))
