"""Functions that create limiters, and read the states of limiters in Redis."""

from collections.abc import Iterable, Mapping
from typing import Any

import redis
from ulid import ULID

from acm_workers.errors import LimitsUnavailable, RequestError
from acm_workers.limits.interface import Limiter
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.limits.redis import RedisLimiter
from acm_workers.limits.redis_script import RedisScriptClient
from acm_workers.limits.redis_session import DeploymentProcess, open_epoch
from schemas.config.provider import Provider

_SCHEMES = ("redis://", "rediss://", "unix://")


def limiter(
    providers: Mapping[str, Provider],
    redis_url: str | None = None,
    *,
    prefix: str = "acm",
    owner: str = "",
) -> Limiter:
    """Return a limiter for ``providers``; nothing connects yet.

    Args:
        redis_url: The Redis that all processes of a deployment share; None if there is only one
            process.
        prefix: Prefix of all keys of the deployment.
        owner: Unique name of this process in states and leases.

    Raises:
        RequestError: ``redis_url`` is not the URL of a Redis.
    """
    if redis_url is None:
        return MemoryLimiter(providers)
    participant = DeploymentProcess(prefix, owner or str(ULID()))
    return RedisLimiter(providers, _script(redis_url), participant)


def prepare(redis_url: str, names: Iterable[str], *, prefix: str = "acm") -> None:
    """Start the recovery of providers that Redis does not know, before a permit is needed.

    During recovery no request starts, so that all processes have time to report their permits.
    Without this call, the first request would wait for the recovery.

    Raises:
        LimitsUnavailable: Redis is out of reach.
        RequestError: ``redis_url`` is not the URL of a Redis.
    """
    script = _script(redis_url)
    try:
        for name in names:
            open_epoch(name, script, DeploymentProcess(prefix, ""))
    finally:
        script.close()


def states(redis_url: str, *, prefix: str = "acm") -> dict[str, dict[str, Any]]:
    """Return the state of every provider that processes of a deployment share, by its name.

    See ``Limiter.state``; the limits are the limits that a process stored last.

    Raises:
        LimitsUnavailable: Redis is out of reach.
        RequestError: ``redis_url`` is not the URL of a Redis.
    """
    participant, script = DeploymentProcess(prefix, ""), _script(redis_url)
    try:
        found: Any = script.client.smembers(participant.names_key)
        names = sorted(name.decode() for name in found)
        states = {name: script.state(participant.key(name)) for name in names}
    except redis.RedisError as error:
        raise LimitsUnavailable(f"the limits in Redis are out of reach: {error}") from error
    finally:
        script.close()
    return {name: state for name, state in states.items() if state is not None}


def _script(url: str) -> RedisScriptClient:
    if not url.startswith(_SCHEMES):
        scheme = url.partition("://")[0]
        raise RequestError(
            f"limits of several processes lie in Redis, not in {scheme}; give a URL like"
            " redis://HOST:6379/0"
        )
    return RedisScriptClient(url)
