"""Supervisors tell in Redis that they are there, and what they cannot do.

Nothing rests on it: it is for people, and whoever is gone for an hour is forgotten.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from redis import RedisError

from acm_workers import broker
from acm_workers.errors import BrokerFailed
from acm_workers.settings import Settings

ALIVE = timedelta(seconds=20)
"""Who told nothing for this long is taken for dead; living ones tell every few seconds."""

_KEPT = timedelta(hours=1)


class Supervisor(NamedTuple):
    """One `acm worker`.

    Attributes:
        name: Of its machine, as in the names of its processes.
        ok: Whether all is as it should be.
        reasons: Why it is not.
        lacking: Why a provider is not served there, by its name.
    """

    host: str
    pid: int
    name: str
    seen_at: datetime
    ok: bool
    reasons: tuple[str, ...]
    lacking: Mapping[str, str]


def tell(settings: Settings, who: Supervisor) -> None:
    """Tell that a supervisor is there; forget those that have long been gone.

    Raises:
        BrokerFailed: Redis does not answer.
    """
    try:
        client, key = broker.client(settings), _key(settings)
        for field, other in _all(settings).items():
            if other.seen_at < who.seen_at - _KEPT:
                client.hdel(key, field)
        about = {**who._asdict(), "seen_at": who.seen_at.isoformat()}
        client.hset(key, _field(who.host, who.pid), json.dumps(about))
    except RedisError as error:
        raise BrokerFailed(f"the broker does not answer: {error}") from error


def leave(settings: Settings, host: str, pid: int) -> None:
    """Tell that a supervisor has ended.

    Raises:
        BrokerFailed: Redis does not answer.
    """
    try:
        broker.client(settings).hdel(_key(settings), _field(host, pid))
    except RedisError as error:
        raise BrokerFailed(f"the broker does not answer: {error}") from error


def every(settings: Settings) -> list[Supervisor]:
    """Return all supervisors that told of themselves lately, by machine.

    Raises:
        BrokerFailed: Redis does not answer.
    """
    try:
        return sorted(_all(settings).values(), key=lambda one: (one.host, one.pid))
    except RedisError as error:
        raise BrokerFailed(f"the broker does not answer: {error}") from error


def _all(settings: Settings) -> dict[bytes, Supervisor]:
    found: Any = broker.client(settings).hgetall(_key(settings))
    return {field: _read(value) for field, value in found.items()}


def _read(value: bytes) -> Supervisor:
    about = json.loads(value)
    about["seen_at"] = datetime.fromisoformat(about["seen_at"]).astimezone(UTC)
    return Supervisor(**{**about, "reasons": tuple(about["reasons"])})


def _key(settings: Settings) -> str:
    return f"{settings.key_prefix}supervisors"


def _field(host: str, pid: int) -> str:
    return f"{host}:{pid}"
