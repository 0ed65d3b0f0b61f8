"""The way to limits: those of one process, or those that all processes share."""

from collections.abc import Iterable, Mapping
from typing import Any

import redis
from ulid import ULID

from acm_workers.errors import LimitsUnavailable, RequestError
from acm_workers.limits import message
from acm_workers.limits.interface import Limiter
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.limits.redis_session import Place, open_epoch
from acm_workers.limits.script_client import ScriptClient
from acm_workers.limits.shared import RedisLimiter
from schemas.config.provider import Provider

_SCHEMES = ("redis://", "rediss://", "unix://")


def limiter(
    providers: Mapping[str, Provider],
    redis_url: str | None = None,
    *,
    prefix: str = "acm",
    owner: str = "",
) -> Limiter:
    """Return what keeps the limits of ``providers``; nothing connects yet.

    Args:
        redis_url: The Redis that all processes of a deployment share; absent where there is but
            one process.
        prefix: How all keys of the deployment begin.
        owner: Names this process in states and leases; no two processes share one.

    Raises:
        RequestError: It is not the URL of a Redis.
    """
    if redis_url is None:
        return MemoryLimiter(providers)
    _check(redis_url)
    return RedisLimiter(providers, redis_url, Place(prefix, owner or str(ULID())))


def prepare(redis_url: str, names: Iterable[str], *, prefix: str = "acm") -> None:
    """Have providers of a Redis that knows nothing of them recover before anybody wants a turn.

    Nobody starts until all have told what they do; the first to ask would have to wait for it.

    Raises:
        LimitsUnavailable: Redis is out of reach.
        RequestError: It is not the URL of a Redis.
    """
    _check(redis_url)
    wire = ScriptClient(redis_url)
    try:
        for name in names:
            open_epoch(name, wire, Place(prefix, ""))
    finally:
        wire.close()


def states(redis_url: str, *, prefix: str = "acm") -> dict[str, dict[str, Any]]:
    """Return the state of every provider that processes of a deployment share, by its name.

    See ``Limiter.state``; the limits are those of the process that introduced itself last.

    Raises:
        LimitsUnavailable: Redis is out of reach.
        RequestError: It is not the URL of a Redis.
    """
    _check(redis_url)
    place = Place(prefix, "")
    wire = ScriptClient(redis_url)
    try:
        found: Any = wire.client.smembers(place.names)
        names = sorted(name.decode() for name in found)
        states = {name: _state(wire, place, name) for name in names}
    except redis.RedisError as error:
        raise LimitsUnavailable(f"the limits in Redis are out of reach: {error}") from error
    finally:
        wire.close()
    return {name: state for name, state in states.items() if state is not None}


def _state(wire: ScriptClient, place: Place, name: str) -> dict[str, Any] | None:
    found = wire.look(place.key(name))
    about = found.get("about")
    return None if about is None else message.state(about, found.get("paused"))


def _check(url: str) -> None:
    if not url.startswith(_SCHEMES):
        scheme = url.partition("://")[0]
        raise RequestError(
            f"limits of several processes lie in Redis, not in {scheme}; give a URL like"
            " redis://HOST:6379/0"
        )
