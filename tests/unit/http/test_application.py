"""What anybody who can connect to `acm api` is told."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import fakeredis
import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from acm_api.http import application
from acm_api.http.pages import views
from acm_workers import broker
from acm_workers.limits import factory
from acm_workers.monitoring import worker_registry
from acm_workers.settings import Settings
from acm_workers.store import schema
from acm_workers.store.connection.database import Database


def get(
    app: Starlette,
    path: str,
    method: str = "GET",
    *,
    host: str = "here",
    headers: Mapping[str, str] | None = None,
) -> httpx.Response:
    async def answer() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(answer())


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Yield a store without tables, of which nothing can be read."""
    found = Database(f"sqlite:///{tmp_path / 'empty.db'}")
    yield found
    found.close()


def test_without_users_on_another_address_no_route_of_data_answers(database: Database) -> None:
    served = application.make(database, Settings(), None)
    unserved = application.make(database, Settings(), None, serves_runs=False)
    routers = [views.router, *(noun.router for noun in views.NOUNS)]
    pages = [one for router in routers for one in router.routes if isinstance(one, Route)]
    described = served.openapi()["paths"].items()
    routes = [(path, method.upper()) for path, methods in described for method in methods]
    routes += [(one.path, method) for one in pages for method in one.methods or ()]

    answered = {
        (method, path): get(unserved, re.sub(r"{.*?}", "1", path), method).status_code
        for path, method in [*routes, ("/api/v1/openapi.json", "GET")]
    }

    assert {"/runs", "/api/v1/runs", "/api/v1/runs/{run_id}/calls"} <= {path for path, _ in routes}
    assert set(answered.values()) == {404}


@pytest.mark.parametrize(
    ("single_user", "origins", "key"),
    [
        (False, [], {}),
        (True, [], {}),
        (True, ["https://app.example"], {}),
        (True, ["https://app.example"], {"Authorization": "Bearer any"}),
    ],
)
def test_pages_elsewhere_are_refused_unless_named_and_always_where_no_key_is_needed(
    database: Database, origins: list[str], key: dict[str, str], *, single_user: bool
) -> None:
    app = application.make(database, Settings(), None, single_user=single_user, origins=origins)
    asking = {"Origin": "https://app.example", "Access-Control-Request-Method": "GET"}

    answers = [
        get(app, "/api/v1/runs", method, host="127.0.0.1", headers=asking | key)
        for method in ("OPTIONS", "GET")
    ]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert all("access-control-allow-origin" not in answer.headers for answer in answers)


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
