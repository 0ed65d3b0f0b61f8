"""The registry of `acm worker` processes in Redis.

The registry is used only for display, and entries expire after an hour. It stores the problems of
processes; their queues and units are in the store (``acm_workers.store.workers``).
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
"""Maximum age of a live process's entry; processes write theirs every few seconds."""

_KEPT = timedelta(hours=1)
_LONGEST_ENTRY = 64 * 1024
"""Maximum size of an entry, in bytes; ACM does not write longer ones."""


class RegisteredProcess(NamedTuple):
    """A registered process of `acm worker`.

    Attributes:
        ok: Whether the process works without problems.
        reasons: The current problems of the process.
        lacking: Reasons why providers are not served by the process, by name.
    """

    host: str
    pid: int
    name: str
    seen_at: AwareDatetime
    ok: bool
    reasons: tuple[str, ...]
    lacking: Mapping[str, str]


class RegistryEntries(NamedTuple):
    """The entries of all registered processes.

    Attributes:
        processes: Registered processes by host and pid.
        unreadable: Number of unreadable entries, such as entries of another version.
    """

    processes: tuple[RegisteredProcess, ...]
    unreadable: int


_PROCESS = TypeAdapter(RegisteredProcess)


def register(settings: Settings, process: RegisteredProcess) -> None:
    """Write the entry of a process, and remove expired entries.

    Raises:
        BrokerFailed: Redis does not respond.
    """
    try:
        client, key = broker.client(settings), _key(settings)
        for field, other in _entries(settings).items():
            if other is not None and other.seen_at < process.seen_at - _KEPT:
                client.hdel(key, field)
        entry = {**process._asdict(), "seen_at": process.seen_at.isoformat()}
        client.hset(key, _field(process.host, process.pid), json.dumps(entry))
    except RedisError as error:
        raise BrokerFailed(f"the broker does not answer: {error}") from error


def remove(settings: Settings, host: str, pid: int) -> None:
    """Remove the entry of a process that ends.

    Raises:
        BrokerFailed: Redis does not respond.
    """
    try:
        broker.client(settings).hdel(_key(settings), _field(host, pid))
    except RedisError as error:
        raise BrokerFailed(f"the broker does not answer: {error}") from error


def every(settings: Settings) -> RegistryEntries:
    """Return the entries of the last hour.

    Raises:
        BrokerFailed: Redis does not respond.
    """
    try:
        entries = list(_entries(settings).values())
    except RedisError as error:
        raise BrokerFailed(f"the broker does not answer: {error}") from error
    found = sorted(filter(None, entries), key=lambda one: (one.host, one.pid))
    return RegistryEntries(tuple(found), entries.count(None))


def _entries(settings: Settings) -> dict[bytes, RegisteredProcess | None]:
    found: Any = broker.client(settings).hgetall(_key(settings))
    return {field: _read(value) for field, value in found.items()}


def _read(value: bytes) -> RegisteredProcess | None:
    """Return an entry, ignoring unknown fields; None if the entry cannot be read."""
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
