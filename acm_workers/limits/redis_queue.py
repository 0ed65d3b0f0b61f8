"""The threads of one process that wait for permits of a provider with limits in Redis."""

import copy
import itertools
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import structlog

from acm_workers.errors import LimitsUnavailable, ProviderPaused
from acm_workers.limits.interface import Permit, Reason, Stop, raise_if_stopped
from acm_workers.limits.quota import LATE_S
from acm_workers.limits.redis_session import (
    HORIZON_S,
    RENEW_S,
    PermitReply,
    PermitRequest,
    RedisSession,
    Reply,
)
from acm_workers.limits.shared_keys import SharedKey
from schemas.config.provider import Provider

_STOP_CHECK_S = 0.9
_RETRY_S = 0.25
# How many threads per model one message requests permits for.
_BATCH = 16
# A thread that waits for a rate asks again after so long at the latest.
_MAX_WAIT_S = 0.5
# Events that no thread here waits for are sent with the next request, or after so long.
_LINGER_S = 0.05
_UNBOUNDED_S = 1e9
_numbers = itertools.count(1)

log = structlog.get_logger()


class RedisQueue:
    """Waiting threads in order of arrival.

    One thread of the limiter calls ``exchange`` whenever it is due. Its message requests permits
    for the first threads of the queue, and reports events since the previous message.

    Attributes:
        due: Time of the next ``exchange``, by ``time.monotonic``.

    Args:
        changed: Condition held while the state is read or changed; notified when ``due`` gets
            earlier.
    """

    def __init__(
        self, name: str, session: RedisSession, changed: threading.Condition, max_outage_s: float
    ) -> None:
        self.due = time.monotonic() + RENEW_S
        self._name = name
        self._session = session
        self._changed = changed
        self._max_outage_s = max_outage_s
        self._waiters: deque[_Waiter] = deque()
        self._delayed_by: Reason | None = None
        self._paused = False
        self._held_until = -math.inf
        self._renew_at = self.due
        self._failing_since: float | None = None

    @property
    def has_unsent(self) -> bool:
        """Return whether there are unsent events, and Redis accepts events."""
        return self._session.has_events and self._failing_since is None

    def acquire(self, model: str, tokens: int, stop: Stop | None) -> Permit:
        """Wait for a permit; see ``Limiter.acquire``."""
        raise_if_stopped(stop, self._name)
        waiter = _Waiter(model, tokens)
        with self._changed:
            self._waiters.append(waiter)
            if self._delayed_by is None or len(self._waiters) == 1:
                self._schedule()
        try:
            while True:
                permit = waiter.wait(self._name, stop)
                late = waiter.sleep_until_start() > LATE_S
                with self._changed:
                    if not (late or self._paused or time.monotonic() < self._held_until):
                        return replace(permit, waited_s=waiter.waited_s())
                    self._session.undo(permit.id, model)
                    waiter.revoke()
                    self._waiters.appendleft(waiter)
                    self._schedule()
        except BaseException:
            with self._changed:
                if waiter.permit is not None:
                    self._session.undo(waiter.permit.id, model)
                elif waiter in self._waiters:
                    self._waiters.remove(waiter)
                self._schedule()
            raise

    def reserve(self, model: str, tokens: int) -> Permit:
        """See ``Limiter.reserve``."""
        number = next(_numbers)
        reply = self._session.exchange([PermitRequest(number, model, tokens, 0.0)], _UNBOUNDED_S)
        if reply.paused is not None:
            raise ProviderPaused(reply.paused, self._name)
        return self._permit(model, tokens, reply.permits[0])

    def settle(self, permit: Permit, actual_tokens: int) -> None:
        """See ``Limiter.settle``."""
        with self._changed:
            self._session.settle(permit.id, actual_tokens)
            if self._waiters and self._delayed_by in (None, "tokens"):
                self._schedule()

    def release(self, permit: Permit) -> None:
        """See ``Limiter.release``."""
        with self._changed:
            if self._session.release(permit.id):
                wanted = self._waiters and self._delayed_by in (None, "in_flight", "tokens")
                self._schedule(0.0 if wanted else _LINGER_S)

    def penalise(self, wait_s: float) -> None:
        """See ``Limiter.penalise``."""
        with self._changed:
            self._held_until = max(self._held_until, time.monotonic() + wait_s)
            self._session.report("penalty", wait_s=wait_s)
            self._schedule()

    def pause(self, reason: str) -> None:
        """See ``Limiter.pause``."""
        with self._changed:
            self._paused = True
            self._session.report("pause", reason=reason)
            self._fail(list(self._waiters), ProviderPaused(reason, self._name))
            self._schedule()

    def resume(self) -> None:
        """See ``Limiter.resume``."""
        with self._changed:
            self._session.report("resume")
            self._schedule()

    def state(self) -> dict[str, Any]:
        """See ``Limiter.state``."""
        with self._changed:
            tokens = self._waiters[0].tokens if self._waiters else 1
        state = self._session.exchange([], HORIZON_S, describe=True, tokens=tokens).state or {}
        with self._changed:
            if self._waiters:
                state["waiting"] += len(self._waiters)
                state["waiting_for"] = self._waiters[0].reason or state["waiting_for"]
        return state

    def configure(self, provider: Provider, shared: SharedKey | None) -> None:
        """Apply the limits of ``provider`` and of its shared key; see ``Limiter.configure``."""
        with self._changed:
            self._session.configure(provider, shared)
            self._schedule()

    def exchange(self) -> None:
        """Send events and requests, and hand the granted permits to their threads."""
        with self._changed:
            now = time.monotonic()
            self.due, renew = math.inf, now >= self._renew_at
            first = {next(_numbers): waiter for waiter in self._first()}
            waiting = len(self._waiters)
            requests = [
                PermitRequest(number, one.model, one.tokens, now - one.since, one.reason)
                for number, one in first.items()
            ]
        try:
            reply = self._session.exchange(requests, HORIZON_S, renew=renew, waiting=waiting)
        except Exception as error:
            self._retry(error)
            return
        with self._changed:
            self._failing_since = None
            if renew:
                self._renew_at = now + RENEW_S
            self._schedule(self._renew_at - time.monotonic())
            self._apply(reply, first)

    def _first(self) -> Iterator["_Waiter"]:
        """Yield the first waiter of each model, because a delayed model does not delay others."""
        counted: Counter[str] = Counter()
        for waiter in self._waiters:
            counted[waiter.model] += 1
            if counted[waiter.model] <= _BATCH:
                yield waiter

    def _apply(self, reply: Reply, first: dict[int, "_Waiter"]) -> None:
        self._paused, self._delayed_by = reply.paused is not None, reply.delayed_by
        if reply.paused is not None:
            self._fail(list(self._waiters), ProviderPaused(reply.paused, self._name))
        for answer in reply.permits:
            waiter = first[answer.number]
            waiter.note_delay(answer.reason)
            if not answer.granted:
                continue
            if waiter in self._waiters:
                self._waiters.remove(waiter)
                permit = self._permit(waiter.model, waiter.tokens, answer)
                waiter.grant(permit, answer.starts)
            else:  # its thread has left meanwhile
                self._session.undo(answer.number, waiter.model)
        if self._waiters:
            self._schedule(min(max(reply.again_s, 0.002), _MAX_WAIT_S))

    def _permit(self, model: str, tokens: int, reply: PermitReply) -> Permit:
        return Permit(
            reply.number, self._name, model, tokens, reply.at, reply.reason, reply.granted
        )

    def _retry(self, error: Exception) -> None:
        """Send everything again soon; fail threads that have waited for Redis for too long."""
        with self._changed:
            now = time.monotonic()
            if isinstance(error, LimitsUnavailable):
                if self._failing_since is None:
                    log.warning("limits out of reach", provider=self._name, error=str(error))
                since, longest_s = self._failing_since or now, self._max_outage_s
                failed = [one for one in self._waiters if now - max(since, one.since) >= longest_s]
                self._fail(failed, LimitsUnavailable(f"{error} (for {longest_s:.0f} s now)"))
            else:
                log.error("limits failed", provider=self._name, exc_info=error)
                self._fail(list(self._waiters), error)
            for waiter in self._waiters:
                waiter.note_delay(waiter.reason, delayed=True)
            self._failing_since = self._failing_since or now
            self._renew_at = now + _RETRY_S
            self._schedule(_RETRY_S)

    def _fail(self, waiters: Iterable["_Waiter"], error: Exception) -> None:
        for waiter in waiters:
            self._waiters.remove(waiter)
            waiter.fail(error)

    def _schedule(self, within_s: float = 0.0) -> None:
        due = time.monotonic() + within_s
        if due < self.due:
            self.due = due
            self._changed.notify()


class _Waiter:
    """A thread in the queue."""

    def __init__(self, model: str, tokens: int) -> None:
        self.model = model
        self.tokens = tokens
        self.since = time.monotonic()
        self.reason: Reason | None = None
        self.permit: Permit | None = None
        self._was_delayed = False
        self._starts = 0.0
        self._error: Exception | None = None
        self._woken = threading.Event()

    def wait(self, provider: str, stop: Stop | None) -> Permit:
        """Return the permit that is granted."""
        while True:
            self._woken.wait(_STOP_CHECK_S)
            raise_if_stopped(stop, provider)
            if self._error is not None:
                raise copy.copy(self._error)  # other threads raise it, too
            if self.permit is not None:
                return self.permit

    def sleep_until_start(self) -> float:
        """Sleep until the permit starts; return how many seconds ago that was."""
        time.sleep(max(self._starts - time.monotonic(), 0.0))
        return time.monotonic() - self._starts

    def waited_s(self) -> float:
        """Return the seconds by which a limit or an outage delayed the thread."""
        return time.monotonic() - self.since if self._was_delayed else 0.0

    def note_delay(self, reason: Reason | None, *, delayed: bool = False) -> None:
        self.reason = reason
        self._was_delayed |= delayed or reason is not None

    def grant(self, permit: Permit, starts: float) -> None:
        self.permit, self._starts = permit, starts
        self._woken.set()

    def revoke(self) -> None:
        self.permit = None
        self._woken.clear()

    def fail(self, error: Exception) -> None:
        self._error = error
        self._woken.set()
