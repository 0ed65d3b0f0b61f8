"""Being called by other processes when something came free that one of us waits for."""

import threading
from collections.abc import Callable
from typing import Any

import redis
import structlog
from redis.client import PubSub

from acm_workers.limits.redis_session import Place
from acm_workers.limits.script_client import client

_LOOK_S = 0.5

log = structlog.get_logger()


class WakeupListener:
    """Listens for the names of providers.

    A call that gets lost costs time only: who waits also asks by itself, twice a second.

    Args:
        call: Called with the name of a provider.
        back: Called whenever Redis listens to us anew: it may have lost what it knew.
    """

    def __init__(
        self, url: str, place: Place, call: Callable[[str], None], back: Callable[[], None]
    ) -> None:
        self._client = client(url, socket_timeout=None)
        self._channel = f"{place.waking}{place.owner}"
        self._call = call
        self._back = back
        self._closed = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to listen, if that has not been done."""
        if self._thread is not None:
            return
        with self._starting:
            if self._thread is None:
                thread = threading.Thread(target=self._work, name="limits-waking", daemon=True)
                thread.start()
                self._thread = thread

    def close(self) -> None:
        """Listen no longer."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()
        self._client.close()

    def _work(self) -> None:
        while not self._closed.is_set():
            try:
                self._listen()
            except redis.RedisError as error:
                log.debug("not listening for turns", error=str(error))
                self._closed.wait(_LOOK_S)

    def _listen(self) -> None:
        with PubSub(self._client.connection_pool, ignore_subscribe_messages=True) as pubsub:
            pubsub.subscribe(self._channel)
            self._back()
            while not self._closed.is_set():
                message: dict[str, Any] | None = pubsub.get_message(timeout=_LOOK_S)
                if message is not None:
                    self._call(message["data"].decode())
