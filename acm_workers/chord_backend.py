"""Counting the headers of chords: in this process's memory, or in Redis.

Celery's own in-memory backend keeps every result, reads the whole group again for each of its
members, and forgets the oldest after 5,000: half of the CPU of a message went there. Its Redis
backend leaves a key behind for every message.

Headers that have run are counted together, when no other of their chord runs in this process: it
cannot end before that, and each count is a message to Redis.
"""

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

import structlog
from celery import Celery
from celery.backends.base import DisabledBackend
from celery.canvas import maybe_signature
from kombu.exceptions import OperationalError
from redis import RedisError

from acm_workers import broker
from acm_workers.settings import Settings

_lock = threading.Lock()
_left: dict[str, set[str]] = {}
_running: Counter[str] = Counter()
_run: dict[str, list[str]] = {}

_KEPT_S = 7 * 86_400
_RETURNED = """
redis.call('SREM', KEYS[1], unpack(ARGV))
return redis.call('SCARD', KEYS[1])
"""
"""A set that is empty is gone, and so is one that Redis lost: both ask what comes next."""

log = structlog.get_logger()


def begin(group: str | None) -> None:
    """Note that a header of a chord begins to run in this process; None is of no chord."""
    if group is not None:
        with _lock:
            _running[group] += 1


def _end(group: str, member: str) -> Sequence[str]:
    """Note that a header has run; return those to be counted now."""
    with _lock:
        _run.setdefault(group, []).append(member)
        _running[group] -= 1
        if _running[group] > 0:
            return ()
        del _running[group]
        return _run.pop(group)


class Gathering(DisabledBackend):
    """A result backend without results: it knows which headers of which chord are left."""

    supports_native_join = True

    def __init__(self, app: Celery, **kwargs: Any) -> None:
        super().__init__(app, **kwargs)
        self._app = app

    def store_result(self, *args: Any, **kwargs: Any) -> None:
        """Keep nothing: what a task did is in the store."""

    def ensure_chords_allowed(self) -> None:
        """Allow chords."""

    def gather(self, group: str, members: Sequence[str]) -> None:
        """Begin to count the headers of a chord; called before they are sent."""
        with _lock:
            _left[group] = set(members)

    def on_chord_part_return(self, request: Any, *args: Any, **kwargs: Any) -> None:
        """Count headers that have run, once, and send the body after the last one."""
        members = _end(request.group, request.id)
        if not members or not self._are_last(request.group, members):
            return
        body = maybe_signature(request.chord, app=self._app)
        if body is not None:
            body.apply_async()

    def _are_last(self, group: str, members: Sequence[str]) -> bool:
        with _lock:
            left = _left.get(group)
            if left is None:
                return False
            left.difference_update(members)
            if left:
                return False
            del _left[group]
        return True


class SharedGathering(Gathering):
    """The same for workers on several machines: what is left stands in Redis.

    Nothing here may fail: a document whose chord is lost is advanced by the sweep.
    """

    def __init__(self, app: Celery, **kwargs: Any) -> None:
        super().__init__(app, **kwargs)
        self._settings = Settings()
        self._returned = broker.client(self._settings).register_script(_RETURNED)

    def on_chord_part_return(self, request: Any, *args: Any, **kwargs: Any) -> None:
        """Count headers that have run, and send the body after the last one, if Redis is there."""
        try:
            super().on_chord_part_return(request, *args, **kwargs)
        except (RedisError, OperationalError) as error:
            log.warning("chord not counted", group=request.group, error=str(error))

    def gather(self, group: str, members: Sequence[str]) -> None:
        """Begin to count the headers of a chord; called before they are sent."""
        key = self._key(group)
        with broker.client(self._settings).pipeline() as pipeline:
            pipeline.sadd(key, *members)
            pipeline.expire(key, _KEPT_S)
            pipeline.execute()

    def _are_last(self, group: str, members: Sequence[str]) -> bool:
        return int(self._returned(keys=[self._key(group)], args=list(members))) == 0

    def _key(self, group: str) -> str:
        return f"{self._settings.key_prefix}chord.{group}"
