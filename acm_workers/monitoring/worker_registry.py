"""The processes of `acm worker`, as they tell of themselves in Redis.

For people only: nothing rests on it, and an entry is forgotten after an hour. What a process serves
and has in hand is in the store (``acm_workers.store.workers``); here is what is wrong with it.
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
"""A process whose entry is older is taken for dead; living ones write theirs every few seconds."""

_KEPT = timedelta(hours=1)


class RegisteredProcess(NamedTuple):
    """One process of `acm worker`.

    Attributes:
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


def register(settings: Settings, process: RegisteredProcess) -> None:
    """Write the entry of a process; forget those that have long been gone.

    Raises:
        BrokerFailed: Redis does not answer.
    """
    try:
        client, key = broker.client(settings), _key(settings)
        for field, other in _all(settings).items():
            if other.seen_at < process.seen_at - _KEPT:
                client.hdel(key, field)
        entry = {**process._asdict(), "seen_at": process.seen_at.isoformat()}
        client.hset(key, _field(process.host, process.pid), json.dumps(entry))
    except RedisError as error:
        raise BrokerFailed(f"the broker does not answer: {error}") from error


def remove(settings: Settings, host: str, pid: int) -> None:
    """Remove the entry of a process that ends.

    Raises:
        BrokerFailed: Redis does not answer.
    """
    try:
        broker.client(settings).hdel(_key(settings), _field(host, pid))
    except RedisError as error:
        raise BrokerFailed(f"the broker does not answer: {error}") from error


def every(settings: Settings) -> list[RegisteredProcess]:
    """Return the entries of the last hour, by host and pid.

    Raises:
        BrokerFailed: Redis does not answer.
    """
    try:
        return sorted(_all(settings).values(), key=lambda one: (one.host, one.pid))
    except RedisError as error:
        raise BrokerFailed(f"the broker does not answer: {error}") from error


def _all(settings: Settings) -> dict[bytes, RegisteredProcess]:
    found: Any = broker.client(settings).hgetall(_key(settings))
    return {field: _read(value) for field, value in found.items()}


def _read(value: bytes) -> RegisteredProcess:
    entry = json.loads(value)
    entry["seen_at"] = datetime.fromisoformat(entry["seen_at"]).astimezone(UTC)
    return RegisteredProcess(**{**entry, "reasons": tuple(entry["reasons"])})


def _key(settings: Settings) -> str:
    return f"{settings.key_prefix}supervisors"  # as it has been since the first version


def _field(host: str, pid: int) -> str:
    return f"{host}:{pid}"
