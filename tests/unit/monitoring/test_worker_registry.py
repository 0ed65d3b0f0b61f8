"""Entries of worker processes in Redis: what cannot be read is skipped and counted."""

import json
from datetime import UTC, datetime
from typing import Any

import fakeredis
import pytest

from acm_workers import broker
from acm_workers.monitoring import worker_registry
from acm_workers.monitoring.worker_registry import RegisteredProcess
from acm_workers.settings import Settings

NOW = datetime(2026, 11, 22, tzinfo=UTC)
OWN = RegisteredProcess("here", 7, "all@here", NOW, False, ("slow",), {"beta": "no key"})
ENTRY = {**OWN._asdict(), "seen_at": NOW.isoformat()}
SETTINGS = Settings(broker_url="redis://127.0.0.1:1/0")


@pytest.fixture
def redis(monkeypatch: pytest.MonkeyPatch) -> Any:
    found = fakeredis.FakeRedis()
    monkeypatch.setattr(broker, "client", lambda _settings: found)
    return found


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"no JSON",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b"[" * 100_000,
        json.dumps({**ENTRY, "seen_at": "yesterday"}).encode(),
        json.dumps({**ENTRY, "seen_at": "0001-01-01T00:00:00+23:00"}).encode(),
        json.dumps({**ENTRY, "seen_at": "2026-11-22T00:00:00"}).encode(),
        json.dumps({**ENTRY, "pid": "x"}).encode(),
        json.dumps({**ENTRY, "reasons": 1}).encode(),
        json.dumps({**ENTRY, "lacking": ["beta"]}).encode(),
        json.dumps({**ENTRY, "host": None}).encode(),
        json.dumps({**ENTRY, "name": "n" * 100_000}).encode(),
    ],
)
def test_entry_that_cannot_be_read_is_skipped_and_counted(redis: Any, entry: bytes) -> None:
    redis.hset("acm:supervisors", "elsewhere:1", entry)
    worker_registry.register(SETTINGS, OWN)

    found = worker_registry.every(SETTINGS)

    assert found == ((OWN,), 1)


def test_fields_of_a_newer_version_are_ignored(redis: Any) -> None:
    redis.hset("acm:supervisors", "here:7", json.dumps({**ENTRY, "colour": "blue"}))

    assert worker_registry.every(SETTINGS) == ((OWN,), 0)
