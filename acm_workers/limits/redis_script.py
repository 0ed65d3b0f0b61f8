"""The script that keeps shared limits in Redis: its client, its limits and its states."""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, OutOfMemoryError, ReadOnlyError, ResponseError
from redis.retry import Retry

from acm_workers.errors import LimitsUnavailable, RequestError
from acm_workers.limits import quota
from acm_workers.limits.shared_keys import SharedKey
from schemas.config.provider import Provider

_ANSWER_TIMEOUT_S = 5.0
_CONNECT_TIMEOUT_S = 2.0
# Errors that are no fault of the script: Redis accepts it again later.
_TRANSIENT = ("LOADING", "MISCONF", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "BUSY")
# A process that waits and has not asked for so long has died.
_QUEUED_S = 2.0
# Between processes that hold as many slots, the one that waits has to wait for so much longer: a
# slot stands idle until the other process asks.
_HANDOVER_S = 0.5
# Other processes may free slots and tokens at any time: one that waits for them asks that often.
_POLL_S = 0.05
_UNLIMITED = 1_000_000_000
_LIMITS = ("requests_per_minute", "tokens_per_minute", "max_in_flight", "launch_delay_seconds")


class RedisScriptClient:
    """Runs the script over the one connection of a process; one thread at a time.

    Attributes:
        lock: Held from writing a message until its answer is applied, so that messages arrive in
            order.
        server: Id of the Redis process that answers; known after the first answer. A restart
            changes it, even if Redis has read its old state from disk.
    """

    def __init__(
        self, url: str, connect: "Callable[..., redis.Redis]" = redis.Redis.from_url
    ) -> None:
        """Prepare for the Redis at ``url``; nothing connects yet.

        Raises:
            RequestError: ``url`` is not the URL of a Redis.
        """
        self.lock = threading.RLock()
        self.server = ""
        try:
            self.client = connect(
                url,
                redis_connect_func=self._connected,
                max_connections=1,
                socket_timeout=_ANSWER_TIMEOUT_S,
                socket_connect_timeout=_CONNECT_TIMEOUT_S,
                socket_keepalive=True,
                retry=Retry(NoBackoff(), 0),  # no command is sent twice
            )
        except ValueError as error:
            raise RequestError(f"limits cannot be shared there: {error}") from error
        given = self.client.connection_pool.connection_kwargs
        host_and_port = f"{given.get('host', 'localhost')}:{given.get('port', 6379)}"
        self._address = given.get("path") or host_and_port

    def run(self, key: str, limits: str, message: dict[str, Any]) -> dict[str, Any]:
        """Return the script's answer to ``message``; the caller must hold ``lock``.

        Raises:
            LimitsUnavailable: Redis is out of reach, or failed to run the script; the script may
                have run.
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
            raise self._unavailable(error) from error
        except ResponseError as error:
            if str(error).startswith(_TRANSIENT):
                raise self._unavailable(error) from error
            raise
        if self.server != server:  # the connection was lost, and another process answered
            raise self._unavailable("it was restarted")
        return answer

    def state(self, key: str) -> dict[str, Any] | None:
        """Return the state of a provider in the format of ``Limiter.state``; None if unknown.

        Raises:
            redis.RedisError: Redis is out of reach.
        """
        message = {"owner": "", "events": [], "requests": [], "horizon_s": 0, "describe": True}
        answer = self._run(key, "", message)
        return decode_state(answer) if "state" in answer else None

    def close(self) -> None:
        """Close the connection."""
        self.client.close()

    def _run(self, key: str, limits: str, message: dict[str, Any]) -> dict[str, Any]:
        source, digest = _script()
        arguments = (1, key, limits, json.dumps(message))
        try:
            answer: Any = self.client.evalsha(digest, *arguments)
        except NoScriptError:
            answer = self.client.eval(source, *arguments)
        found: dict[str, Any] = json.loads(answer)
        return found

    def _connected(self, connection: Any) -> None:
        connection.on_connect()
        connection.send_command("INFO", "server")
        info = connection.read_response()
        text = info.decode() if isinstance(info, bytes) else info
        lines = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        self.server = lines["run_id"]

    def _unavailable(self, error: object) -> LimitsUnavailable:
        self.server = ""
        return LimitsUnavailable(
            f"the limits in Redis at {self._address} are out of reach: {error}"
        )


def encode_limits(provider: Provider, shared: SharedKey | None = None, key: str = "") -> str:
    """Return the limits of a provider and its models in the format of the script.

    Args:
        shared: The provider's API key, if several tenants use it.
        key: Prefix of the keys in Redis for ``shared``.
    """
    own = {name: quota.of_model(provider, limits) for name, limits in provider.models.items()}
    return json.dumps(
        {
            "total": _limits(provider),
            "models": {name: _limits(model) for name, model in own.items()},
            **({} if shared is None else {"shared": _shared(shared, key)}),
            "window_s": quota.WINDOW_S,
            "late_s": quota.LATE_S,
            "queued_s": _QUEUED_S,
            "handover_s": _HANDOVER_S,
            "poll_s": _POLL_S,
        }
    )


def decode_state(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state in an answer of the script, in the format of ``Limiter.state``."""
    state = answer["state"]
    total = state["total"]
    # An empty table of Lua may be encoded as a list or as an object.
    models, owners, queue = state["models"] or {}, total["by_owner"] or {}, total["queue"] or []
    return {
        **_scope(total),
        "held_for_s": round(state["held_s"], 3),
        "recovers_for_s": round(state["recovers_s"], 3),
        "models": {name: _scope(model) for name, model in models.items()},
        "by_owner": {name: int(number) for name, number in owners.items()},
        "waiting": sum(int(process["number"]) for process in queue),
        "waiting_for": queue[0]["reason"] if queue else None,
        "paused": answer.get("paused"),
    }


def without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None, because null is not nil in Lua."""
    return {name: value for name, value in values.items() if value is not None}


def _limits(provider: Provider) -> dict[str, Any]:
    return _with_interval({name: getattr(provider, name) for name in _LIMITS})


def _shared(shared: SharedKey, key: str) -> dict[str, Any]:
    free = {"max_in_flight": _UNLIMITED, "launch_delay_seconds": 0}
    return {
        "key": key,
        "total": _with_interval(shared.total._asdict() | free),
        "models": {
            name: _with_interval(rates._asdict() | free) for name, rates in shared.models.items()
        },
    }


def _with_interval(limits: Mapping[str, Any]) -> dict[str, Any]:
    rpm = limits["requests_per_minute"]
    interval_s = None if rpm is None else quota.interval_s(rpm)
    return without_none({**limits, "interval_s": interval_s})


def _scope(scope: Mapping[str, Any]) -> dict[str, Any]:
    used = scope.get("used")
    return {
        **{name: scope["limits"].get(name) for name in _LIMITS},
        "in_flight": int(scope["in_flight"]),
        "started": int(scope["started"]),
        "tokens_last_minute": None if used is None else round(used),
        "next_start_in_s": round(scope["next_s"], 3),
        "next_start_waits_for": scope.get("reason"),
    }


@lru_cache(maxsize=1)
def _script() -> tuple[str, str]:
    source = (resources.files("acm_workers.limits") / "acquire.lua").read_text(encoding="utf-8")
    return source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()
