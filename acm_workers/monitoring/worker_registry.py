"""The processes of `acm worker`, as they register in Redis.

The registry is only for display, and an entry expires after an hour. The queues and units of a
process are in the store (``acm_workers.store.workers``); the registry has its problems.
"""

import json
from collections.abc import Mapping
from datetime import UTC, timedelta
from typing import Any, NamedTuple

from pydantic import AwareDatetime, TypeAdapter
from redis import RedisError

from acm_workers import broker
from acm_workers.errors import BrokerFailed
from acm_workers.settings import Settings

ALIVE = timedelta(seconds=20)
"""A process whose entry is older is taken for dead; living ones write theirs every few seconds."""

_KEPT = timedelta(hours=1)
_LONGEST_ENTRY = 64 * 1024
"""Bytes; a longer entry was not written by ACM."""


class RegisteredProcess(NamedTuple):
    """One process of `acm worker`.

    Attributes:
        ok: Whether it works.
        reasons: Its problems.
        lacking: Why a provider is not served there, by its name.
    """

    host: str
    pid: int
    name: str
    seen_at: AwareDatetime
    ok: bool
    reasons: tuple[str, ...]
    lacking: Mapping[str, str]


class Registry(NamedTuple):
    """The entries of all processes.

    Attributes:
        processes: By host and pid.
        unreadable: How many entries cannot be read, such as those of another version.
    """

    processes: tuple[RegisteredProcess, ...]
    unreadable: int


_PROCESS = TypeAdapter(RegisteredProcess)


def register(settings: Settings, process: RegisteredProcess) -> None:
    """Write the entry of a process; forget those that have long been gone.

    Raises:
        BrokerFailed: Redis does not answer.
    """
    try:
        client, key = broker.client(settings), _key(settings)
        for field, other in _all(settings).items():
            if other is not None and other.seen_at < process.seen_at - _KEPT:
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


def every(settings: Settings) -> Registry:
    """Return the entries of the last hour.

    Raises:
        BrokerFailed: Redis does not answer.
    """
    try:
        entries = list(_all(settings).values())
    except RedisError as error:
        raise BrokerFailed(f"the broker does not answer: {error}") from error
    found = sorted(filter(None, entries), key=lambda one: (one.host, one.pid))
    return Registry(tuple(found), entries.count(None))


def _all(settings: Settings) -> dict[bytes, RegisteredProcess | None]:
    found: Any = broker.client(settings).hgetall(_key(settings))
    return {field: _read(value) for field, value in found.items()}


def _read(value: bytes) -> RegisteredProcess | None:
    """Return an entry; None if it cannot be read. Fields that we do not know are ignored."""
    if len(value) > _LONGEST_ENTRY:
        return None
    try:
        entry = json.loads(value)
        known = {name: entry[name] for name in RegisteredProcess._fields}
        process = _PROCESS.validate_python(known)
        return process._replace(seen_at=process.seen_at.astimezone(UTC))
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def _key(settings: Settings) -> str:
    return f"{settings.key_prefix}supervisors"  # as it has been since the first version


def _field(host: str, pid: int) -> str:
    return f"{host}:{pid}"
