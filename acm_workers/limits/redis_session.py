"""The permits of one process for one provider in Redis, which survive a loss of Redis's data.

No period of 60 s has more starts than the limit: starts are spaced by 99 % of the rate, and permits
are granted at most ``HORIZON_S`` ahead. If Redis loses its state (a restart, FLUSHALL, an old copy
read from disk), the first message opens a new epoch: for ``RECOVERY_S`` no request starts. By then,
permits that were granted before have begun. Every process renews its leases more often than that,
learns that its epoch is over, and reports its slots, its latest start and the tokens of its last
minute. The loss itself counts as a start. Starts before and after the loss are therefore as far
apart as any two starts. Only the tokens and slots of a process that dies at that very time remain
unknown.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from acm_workers.errors import LimitsUnavailable
from acm_workers.limits.interface import Reason
from acm_workers.limits.quota import WINDOW_S
from acm_workers.limits.redis_script import (
    RedisScriptClient,
    decode_state,
    encode_limits,
    without_none,
)
from acm_workers.limits.shared_keys import SharedKey
from schemas.config.provider import Provider

RENEW_S = 2.0
"""Interval at which a process renews its leases, and detects that Redis has lost its state."""

RECOVERY_S = 4.0
"""Time without new requests after a loss, in which every process renews its leases."""

HORIZON_S = 0.5
"""Maximum time between the grant of a permit and its start; later permits are requested again."""

_MAX_EPOCHS = 3


class DeploymentProcess(NamedTuple):
    """One process of a deployment whose processes share limits.

    Attributes:
        prefix: Prefix of all keys of the deployment.
        owner: Name of the process.
        recovery_s: Time without starts after a loss of state that this process notices first.
        lease_s: Time after which the slots of a process expire unless it renews them.
        max_outage_s: Time that a thread waits for a Redis that is out of reach.
    """

    prefix: str
    owner: str
    recovery_s: float = RECOVERY_S
    lease_s: float = 20.0
    max_outage_s: float = 60.0

    @property
    def names_key(self) -> str:
        """Return the key of the names of all providers."""
        return f"{self.prefix}:limits"

    def key(self, provider: str) -> str:
        """Return the prefix of a provider's keys, which all share a hash slot."""
        return f"{self.names_key}:{{{provider}}}"


class PermitRequest(NamedTuple):
    """A permit that a thread waits for.

    Attributes:
        age_s: Time that the thread has waited.
        reason: The limit that delayed the thread last.
    """

    number: int
    model: str
    tokens: int
    age_s: float
    reason: Reason | None = None


class PermitReply(NamedTuple):
    """The answer to one request.

    Attributes:
        at: Time at which the request starts, or the earliest possible time, on the clock of Redis.
        starts: The same time by ``time.monotonic``, never too early.
    """

    number: int
    granted: bool
    reason: Reason | None
    at: float
    starts: float


class Reply(NamedTuple):
    """The answer to a message.

    Attributes:
        permits: Answers to the requests that Redis considered.
        delayed_by: The limit of the provider itself, not of a model, that delays the next request.
        again_s: Time until permits that were not granted are requested again.
        paused: Reason why the provider is paused, if it is.
        state: Limits and usage as in ``Limiter.state``, if they were requested.
    """

    permits: Sequence[PermitReply]
    delayed_by: Reason | None
    again_s: float
    paused: str | None
    state: dict[str, Any] | None


class _PastRequest(NamedTuple):
    model: str
    tokens: int
    at: float


def open_epoch(name: str, script: RedisScriptClient, participant: DeploymentProcess) -> None:
    """Open an epoch of a provider if Redis knows none, so that its recovery begins now.

    Raises:
        LimitsUnavailable: Redis is out of reach.
    """
    message = {"provider": name, "epoch": "", "recovery_s": participant.recovery_s}
    with script.lock:
        script.run(participant.key(name), "", message)


class RedisSession:
    """Reports events of this process and requests permits; safe for several threads.

    Redis may lose its state, or apply a message whose answer gets lost. Everything that counts in
    Redis is therefore kept here as well, and events are sent until an answer confirms them; sending
    an event twice is harmless.

    Args:
        lock: Lock held while the state is read or changed.
    """

    def __init__(
        self,
        name: str,
        provider: Provider,
        script: RedisScriptClient,
        participant: DeploymentProcess,
        lock: threading.Condition,
        shared: SharedKey | None = None,
    ) -> None:
        self._name = name
        self._script = script
        self._participant = participant
        self._lock = lock
        self._events: list[dict[str, Any]] = []
        self._held: dict[str, str] = {}  # id, model
        self._recent: dict[str, _PastRequest] = {}
        self._last_start: dict[str, float] = {}  # of a model, and of all as ""
        self.configure(provider, shared)

    @property
    def has_events(self) -> bool:
        """Return whether there are events that Redis has not confirmed."""
        return bool(self._events)

    def configure(self, provider: Provider, shared: SharedKey | None = None) -> None:
        """Apply the limits of ``provider`` and of its shared key from the next message on."""
        key = "" if shared is None else self._participant.key(f"key:{shared.digest}")
        with self._lock:
            self._limits = encode_limits(provider, shared, key)
            self._epoch = ""  # the next message stores the limits for readers of states

    def report(self, kind: str, **details: Any) -> None:
        """Add an event to the next message."""
        with self._lock:
            self._events.append({"kind": kind, **details})

    def settle(self, number: int, tokens: int) -> None:
        """Report the tokens that a permit actually used."""
        with self._lock:
            permit = self._id(number)
            past = self._recent.get(permit)
            if past is not None:
                self._recent[permit] = past._replace(tokens=tokens)
                self.report("settle", id=permit, model=past.model, tokens=tokens)

    def release(self, number: int) -> bool:
        """Report that a slot is free; return whether it was taken."""
        with self._lock:
            permit = self._id(number)
            model = self._held.pop(permit, None)
            if model is not None:
                self.report("release", id=permit, model=model)
            return model is not None

    def undo(self, number: int, model: str) -> None:
        """Report that a permit which was or may have been granted is not used."""
        with self._lock:
            permit = self._id(number)
            self._held.pop(permit, None)
            self._recent.pop(permit, None)
            self.report("settle", id=permit, model=model, tokens=0)
            self.report("release", id=permit, model=model)

    def exchange(
        self,
        requests: Sequence[PermitRequest],
        horizon_s: float,
        *,
        renew: bool = False,
        **more: Any,
    ) -> Reply:
        """Report all events, and request permits within ``horizon_s``.

        Args:
            renew: Renews all leases.
            more: Further parts of the message: ``waiting``, the number of waiting threads, if
                ``requests`` includes all of them; ``describe``, to get the state for a request of
                ``tokens``.

        Raises:
            LimitsUnavailable: Redis is out of reach; events are kept.
        """
        with self._script.lock:
            with self._lock:
                events = list(self._events)
                renewals = self._renewals() if renew else []
            message = {
                "provider": self._name,
                "owner": self._participant.owner,
                "names": self._participant.names_key,
                "recovery_s": self._participant.recovery_s,
                "lease_s": self._participant.lease_s,
                "events": [*renewals, *events],
                "requests": [self._encoded(request) for request in requests],
                "horizon_s": horizon_s,
                **more,
            }
            try:
                answer = self._run(message)
            except BaseException:
                for request in requests:
                    self.undo(request.number, request.model)  # Redis may have granted it
                raise
            with self._lock:
                del self._events[: len(events)]
                self._forget(float(answer["now"]))
                return self._decoded(answer, requests)

    def _run(self, message: dict[str, Any]) -> dict[str, Any]:
        key = self._participant.key(self._name)
        for _ in range(_MAX_EPOCHS):
            with self._lock:
                limits, epoch = self._limits, self._epoch
            answer = self._script.run(key, limits, message | {"epoch": epoch})
            if not answer.get("is_stale"):
                return answer
            with self._lock:
                if limits is self._limits:
                    self._epoch = answer["epoch"]
                events = [*self._renewals(), *message["events"]]
                message = message | {"history": self._history(), "events": events}
        raise LimitsUnavailable(f"Redis forgets the limits of {self._name} again and again")

    def _renewals(self) -> list[dict[str, Any]]:
        return [{"kind": "renew", "id": id_, "model": model} for id_, model in self._held.items()]

    def _history(self) -> dict[str, Any]:
        window = [
            {"id": id_, **past._asdict()} for id_, past in self._recent.items() if past.tokens
        ]
        return {"last": dict(self._last_start), "window": window}

    def _forget(self, now: float) -> None:
        while self._recent:
            oldest = next(iter(self._recent))
            if self._recent[oldest].at + WINDOW_S > now:
                break
            del self._recent[oldest]

    def _encoded(self, request: PermitRequest) -> dict[str, Any]:
        content = request._asdict() | {"id": self._id(request.number)}
        return without_none(content)

    def _decoded(self, answer: Mapping[str, Any], requests: Sequence[PermitRequest]) -> Reply:
        by_id = {self._id(request.number): request for request in requests}
        monotonic, permits = time.monotonic(), []
        for found in answer["permits"] or []:
            request, at = by_id[found["id"]], float(found["at"])
            if found["granted"]:
                self._held[found["id"]] = request.model
                self._recent[found["id"]] = _PastRequest(request.model, request.tokens, at)
                for name in ("", request.model):
                    self._last_start[name] = max(self._last_start.get(name, 0.0), at)
            starts = monotonic + max(found["in_s"], 0.0)
            permits.append(
                PermitReply(request.number, found["granted"], found.get("reason"), at, starts)
            )
        return Reply(
            permits,
            answer.get("delayed_by"),
            answer.get("again_s", 0.0),
            answer.get("paused"),
            decode_state(answer) if "state" in answer else None,
        )

    def _id(self, number: int) -> str:
        return f"{self._participant.owner}:{number}"
