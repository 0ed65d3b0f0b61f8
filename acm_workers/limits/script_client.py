"""The one connection of a process to the Redis that holds the limits."""

import hashlib
import json
import threading
from functools import lru_cache
from importlib import resources
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, OutOfMemoryError, ReadOnlyError, ResponseError
from redis.retry import Retry

from acm_workers.errors import LimitsUnavailable, RequestError

_ANSWER_S = 5.0
_CONNECT_S = 2.0
_PARTS = ("scope.lua", "line.lua", "exchange.lua")
# Answers that are no fault of the script: Redis takes it again later.
_PASSING = ("LOADING", "MISCONF", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "BUSY")


class ScriptClient:
    """Runs the script; one thread at a time.

    Attributes:
        lock: Held around whatever is told and asked, so that it arrives in its order.
        server: The Redis process that answers: another one after each restart, also if it has
            read its old state from disk. Known after the first answer.
    """

    def __init__(self, url: str) -> None:
        """Prepare for the Redis at ``url``; nothing connects yet.

        Raises:
            RequestError: It is not the URL of a Redis.
        """
        self.lock = threading.RLock()
        self.server = ""
        self.client = client(url, redis_connect_func=self._connected, max_connections=1)
        self._name = _name(self.client)

    def run(self, key: str, limits: str, message: dict[str, Any]) -> dict[str, Any]:
        """Return the script's answer to ``message``; ``lock`` is held.

        Raises:
            LimitsUnavailable: Redis is out of reach, or cannot take it; perhaps it did.
        """
        try:
            if not self.server:
                self.client.ping()
            server = self.server
            answer = self._run(key, limits, message | {"server": server})
        except (
            redis.ConnectionError,
            redis.TimeoutError,
            OutOfMemoryError,
            ReadOnlyError,
        ) as error:
            raise self._away(error) from error
        except ResponseError as error:
            if str(error).startswith(_PASSING):
                raise self._away(error) from error
            raise
        if self.server != server:  # it was another one that answered
            raise self._away("it was restarted")
        return answer

    def look(self, key: str) -> dict[str, Any]:
        """Return what Redis says about a provider to somebody who takes no turns there.

        Raises:
            redis.RedisError: Redis is out of reach.
        """
        message = {"owner": "", "told": [], "asked": [], "horizon_s": 0}
        return self._run(key, "", message | {"about": True})

    def _run(self, key: str, limits: str, message: dict[str, Any]) -> dict[str, Any]:
        source, digest = script()
        arguments = (1, key, limits, json.dumps(message))
        try:
            answer: Any = self.client.evalsha(digest, *arguments)
        except NoScriptError:
            answer = self.client.eval(source, *arguments)
        found: dict[str, Any] = json.loads(answer)
        return found

    def close(self) -> None:
        """Close the connection."""
        self.client.close()

    def _connected(self, connection: Any) -> None:
        connection.on_connect()
        connection.send_command("INFO", "server")
        info = connection.read_response()
        text = info.decode() if isinstance(info, bytes) else info
        lines = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        self.server = lines["run_id"]

    def _away(self, error: object) -> LimitsUnavailable:
        self.server = ""
        return LimitsUnavailable(f"the limits in Redis at {self._name} are out of reach: {error}")


def client(url: str, **options: Any) -> "redis.Redis":
    """Return a client of the Redis at ``url`` that never sends a command twice.

    Raises:
        RequestError: It is not the URL of a Redis.
    """
    options.setdefault("socket_timeout", _ANSWER_S)
    try:
        return redis.Redis.from_url(
            url,
            socket_connect_timeout=_CONNECT_S,
            socket_keepalive=True,
            retry=Retry(NoBackoff(), 0),
            **options,
        )
    except ValueError as error:
        raise RequestError(f"limits cannot be shared there: {error}") from error


@lru_cache(maxsize=1)
def script() -> tuple[str, str]:
    """Return the script, and the name that Redis has for it."""
    folder = resources.files("acm_workers.limits") / "lua"
    source = "\n".join((folder / part).read_text(encoding="utf-8") for part in _PARTS)
    return source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()


def _name(of: "redis.Redis") -> str:
    given = of.connection_pool.connection_kwargs
    return given.get("path") or f"{given.get('host', 'localhost')}:{given.get('port', 6379)}"
