"""Who asks Redis for turns with one provider, for all threads of this process.

Threads stand in one line, first come, first served, and one thread of ours asks for them and
tells what has ended in the same message: a turn costs one or two round trips however many wait.
While Redis is away they all wait, and nothing that is to be told gets lost.
"""

import itertools
import math
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import structlog

from acm_workers.errors import LimitsAway, ProviderPaused
from acm_workers.limits import message
from acm_workers.limits.dialogue import Answer, Answered, Dialogue, Place
from acm_workers.limits.interface import Reason, Stop, Turn
from acm_workers.limits.message import HORIZON_S, POLL_S, RENEW_S, Asked, Told
from acm_workers.limits.waiter import Waiter, foremost
from acm_workers.limits.wire import Wire
from schemas.config.provider import Provider

_AWAY_PAUSE_S = 0.25
_AT_ONCE, _REFUSED = 16, 2
# While a rate binds, what has ended may be told together with the next question.
_LINGER_S = 0.2
_ANY_TIME_S = 1e9
_ids = itertools.count(1)

log = structlog.get_logger()


class Agent:
    """The line of this process in front of one provider."""

    def __init__(self, name: str, provider: Provider, wire: Wire, place: Place) -> None:
        self._name = name
        self._place = place
        self._dialogue = Dialogue(name, provider, wire, place)
        self._changed = threading.Condition()
        self._waiters: deque[Waiter] = deque()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._paused = False
        self._shut = False
        self._binds: Reason | None = None
        self._most = _AT_ONCE
        self._held_until = -math.inf
        self._away_since: float | None = None
        self._ask_at = math.inf
        self._renew_at = 0.0

    def configure(self, provider: Provider) -> None:
        """See ``Limiter.configure``."""
        self._dialogue.configure(provider)
        self.call()

    def enter(self, model: str, tokens: int, stop: Stop | None) -> Turn:
        """Wait for a turn; see ``Limiter.turn``."""
        waiter = Waiter(self._name, model, tokens, stop)
        waiter.look()
        with self._changed:
            self._waiters.append(waiter)
            if not self._shut or len(self._waiters) == 1:
                self._ask_within(0.0)
        try:
            while True:
                turn = waiter.wait()
                if self._in_time(waiter):
                    return replace(turn, waited_s=waiter.waited_s())
                self._stand_again(waiter, turn)
        except BaseException:
            self._leave(waiter)
            raise

    def reserve(self, model: str, tokens: int) -> Turn:
        """See ``Limiter.reserve``."""
        number = next(_ids)
        asked = [Asked(self._id(number), model, tokens, 0.0)]
        answer = self._dialogue.ask(asked, _ANY_TIME_S)
        self.call(RENEW_S)
        if answer.paused is not None:
            raise ProviderPaused(answer.paused, self._name)
        return self._turn(number, model, tokens, answer.turns[0])

    def settle(self, turn: Turn, actual_tokens: int) -> None:
        """See ``Limiter.settle``."""
        self._dialogue.settle(self._id(turn.id), actual_tokens)
        if self._waiters:
            self.call()

    def release(self, turn: Turn) -> None:
        """See ``Limiter.release``."""
        if self._dialogue.release(self._id(turn.id)):
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
            self._ask_within(within_s)

    def close(self) -> None:
        """Tell what is left to be told, and end."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _tell(self, told: Told) -> None:
        self._dialogue.tell(told)
        self.call()

    def _ask_within(self, seconds: float) -> None:
        if self._thread is None and not self._closed:
            name = f"limits-{self._name}"
            self._thread = threading.Thread(target=self._work, name=name, daemon=True)
            self._thread.start()
        at = time.monotonic() + seconds
        if at < self._ask_at:
            self._ask_at = at
            self._changed.notify()

    def _in_time(self, waiter: Waiter) -> bool:
        """Sleep until the turn begins; return whether it may be made use of."""
        late = waiter.sleep()
        return not (late or self._paused or self._held_until > time.monotonic())

    def _stand_again(self, waiter: Waiter, turn: Turn) -> None:
        with self._changed:
            self._dialogue.undo(self._id(turn.id), turn.model)
            waiter.stand_again()
            self._waiters.appendleft(waiter)
            self._ask_within(0.0)

    def _leave(self, waiter: Waiter) -> None:
        with self._changed:
            waiter.left = True
            if waiter.turn is not None:
                self._dialogue.undo(self._id(waiter.turn.id), waiter.model)
            elif waiter in self._waiters:
                self._waiters.remove(waiter)
            self._ask_within(0.0)

    def _work(self) -> None:
        while self._wait():
            try:
                self._serve()
            except LimitsAway as error:
                self._be_patient(error)
            except Exception as error:
                log.exception("limits failed", provider=self._name)
                self._fail(list(self._waiters), error)

    def _wait(self) -> bool:
        """Wait until there is something to ask or to renew; return False at the end."""
        with self._changed:
            while True:
                now = time.monotonic()
                at = self._ask_at if self._dialogue.idle else min(self._ask_at, self._renew_at)
                if self._closed:
                    return self._dialogue.has_news and self._away_since is None
                if at <= now:
                    return True
                self._changed.wait(min(at - now, threading.TIMEOUT_MAX))

    def _serve(self) -> None:
        """Ask for those who stand first in the line."""
        with self._changed:
            self._ask_at = math.inf
            now = time.monotonic()
            first = {next(_ids): one for one in foremost(self._waiters, self._most)}
            number = len(self._waiters)
        asked = [
            Asked(self._id(key), one.model, one.tokens, now - one.since, one.reason)
            for key, one in first.items()
        ]
        renew = now >= self._renew_at
        answer = self._dialogue.ask(asked, HORIZON_S, renew=renew, waiting=number)
        with self._changed:
            if renew:
                self._renew_at = now + RENEW_S
            self._away_since = None
            self._hand_out(answer, first)

    def _hand_out(self, answer: Answer, first: dict[int, Waiter]) -> None:
        self._paused = answer.paused is not None
        self._shut, self._binds = answer.shut, None
        if answer.paused is not None:
            self._send_away(answer.paused)
            return
        by_id = {self._id(key): (key, waiter) for key, waiter in first.items()}
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
            self._ask_within(again_s)

    def _grant(self, key: int, waiter: Waiter, turn: Answered) -> None:
        if waiter.left:
            self._dialogue.undo(turn.id, waiter.model)
            return
        self._waiters.remove(waiter)
        waiter.begin(self._turn(key, waiter.model, waiter.tokens, turn), turn.local)

    def _turn(self, key: int, model: str, tokens: int, got: Answered) -> Turn:
        return Turn(key, self._name, model, tokens, got.at, got.why, got.granted)

    def _be_patient(self, error: LimitsAway) -> None:
        """Let everybody wait while Redis is away, but not without end."""
        with self._changed:
            now = time.monotonic()
            if self._away_since is None:
                self._away_since = now
                log.warning("limits out of reach", provider=self._name, error=str(error))
            self._ask_within(_AWAY_PAUSE_S)
            self._renew_at = now + _AWAY_PAUSE_S
            longest_s = self._place.patience_s
            tired = []
            for waiter in self._waiters:
                waiter.held = True
                if now - max(self._away_since, waiter.since) >= longest_s:
                    tired.append(waiter)
        why = f"{error} (for {longest_s:.0f} s now)"
        self._fail(tired, LimitsAway(why))

    def _send_away(self, reason: str) -> None:
        self._paused = True
        self._fail(list(self._waiters), ProviderPaused(reason, self._name))

    def _fail(self, waiters: Sequence[Waiter], error: Exception) -> None:
        with self._changed:
            for waiter in waiters:
                if waiter in self._waiters:
                    self._waiters.remove(waiter)
                    waiter.fail(error)

    def _id(self, number: int) -> str:
        return f"{self._place.owner}:{number}"
