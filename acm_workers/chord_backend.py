"""Celery result backends that keep no results and only count the headers of chords.

Celery's in-memory backend keeps every result, reads the whole group again for each member, and
drops the oldest results after 5,000. Its Redis backend leaves a key behind for every message. The
results of tasks are in the store, so no backend needs to keep them (decision 0035).
"""

import threading
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

_EXPIRES_S = 7 * 86_400
_COUNT = """
redis.call('SREM', KEYS[1], ARGV[1])
return redis.call('SCARD', KEYS[1])
"""

log = structlog.get_logger()


class MemoryChordBackend(DisabledBackend):
    """Counts the headers of chords in the memory of this process."""

    supports_native_join = True

    def __init__(self, app: Celery, **kwargs: Any) -> None:
        super().__init__(app, **kwargs)
        self._app = app

    def store_result(self, *args: Any, **kwargs: Any) -> None:
        """Discard the result."""

    def ensure_chords_allowed(self) -> None:
        """Allow chords, which Celery refuses where results are disabled."""

    def begin_chord(self, group: str, members: Sequence[str]) -> None:
        """Begin to count the headers of a chord; called before they are sent."""
        with _lock:
            _remaining[group] = set(members)

    def on_chord_part_return(self, request: Any, *args: Any, **kwargs: Any) -> None:
        """Count a header that has run; send the chord's body after the last one."""
        if self._is_last(request.group, request.id):
            body = maybe_signature(request.chord, app=self._app)
            if body is not None:
                body.apply_async()

    def _is_last(self, group: str, member: str) -> bool:
        with _lock:
            remaining = _remaining.get(group)
            if remaining is None:
                return False
            remaining.discard(member)
            if remaining:
                return False
            del _remaining[group]
        return True


# Every app of this process has a backend of its own, and a chord's headers run in several.
_lock = threading.Lock()
_remaining: dict[str, set[str]] = {}


class RedisChordBackend(MemoryChordBackend):
    """Counts the headers of chords in Redis, for workers on several machines.

    A lost count never stops a document, because the sweep advances the document.
    """

    def __init__(self, app: Celery, **kwargs: Any) -> None:
        super().__init__(app, **kwargs)
        self._settings = Settings()
        self._count = broker.client(self._settings).register_script(_COUNT)

    def begin_chord(self, group: str, members: Sequence[str]) -> None:
        """Begin to count the headers of a chord; called before they are sent."""
        key = self._key(group)
        with broker.client(self._settings).pipeline() as pipeline:
            pipeline.sadd(key, *members)
            pipeline.expire(key, _EXPIRES_S)
            pipeline.execute()

    def on_chord_part_return(self, request: Any, *args: Any, **kwargs: Any) -> None:
        """Count a header that has run; send the chord's body after the last one."""
        try:
            super().on_chord_part_return(request, *args, **kwargs)
        except (RedisError, OperationalError) as error:
            log.warning("chord not counted", group=request.group, error=str(error))

    def _is_last(self, group: str, member: str) -> bool:
        # A set that is empty no longer exists, nor does one that Redis lost: in both cases the
        # body is sent, and asks what comes next once too often at worst.
        return int(self._count(keys=[self._key(group)], args=[member])) == 0

    def _key(self, group: str) -> str:
        return f"{self._settings.key_prefix}chord.{group}"
