"""What anybody who can connect to `acm api` is told."""

import asyncio
from pathlib import Path

import fakeredis
import httpx
import pytest
from starlette.applications import Starlette

from acm_api.http import application
from acm_workers import broker
from acm_workers.limits import factory
from acm_workers.monitoring import worker_registry
from acm_workers.settings import Settings
from acm_workers.store import schema
from acm_workers.store.connection.database import Database


def get(app: Starlette, path: str) -> httpx.Response:
    async def answer() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await client.get(path)

    return asyncio.run(answer())


def test_health_names_neither_users_nor_hosts_nor_databases() -> None:
    settings = Settings(
        database_url="postgresql://some-user:some-password@127.0.0.1:1/some-database",
        broker_url="redis://:some-password@127.0.0.1:1/0",
    )
    database = Database(settings.store_url)

    answer = get(application.make(database, settings, None), "/healthz")

    assert answer.status_code == 503
    assert answer.json()["reasons"] == [
        "the store does not answer; the log says why",
        "the broker does not answer; the log says why",
    ]
    database.close()


def test_metrics_count_entries_of_workers_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = fakeredis.FakeRedis()
    monkeypatch.setattr(broker, "client", lambda _settings: redis)
    monkeypatch.setattr(factory, "states", lambda *_args, **_options: {})
    redis.hset("acm:supervisors", "elsewhere:1", b"\xff")
    settings = Settings(broker_url="redis://127.0.0.1:1/0")
    database = Database(f"sqlite:///{tmp_path / 'acm.db'}")
    schema.upgrade(database)

    text = get(application.make(database, settings, None), "/metrics").text

    assert worker_registry.every(settings).unreadable == 1
    assert "\nacm_unreadable_worker_entries 1.0\n" in text
    database.close()
