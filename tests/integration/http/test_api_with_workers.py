"""A server on Postgres and Redis hands runs to workers, which mix nothing of two tenants."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import uvicorn

from acm_api.http import application, server
from acm_workers.settings import Settings
from acm_workers.store.connection.database import Database
from tests.support import (
    api_member,
    api_server,
    intercepting_proxy,
    redis_server,
    simulator,
)
from tests.support.api_member import Member
from tests.support.intercepting_proxy import HoldAfter
from tests.support.project import PATIENCE_S, wait_until
from tests.support.texts import first

_TOKEN = "a-token-of-sixteen-or-more"  # noqa: S105
_TABLES = (
    "documents", "artifacts", "eval_results", "pairwise_comparisons", "calls", "events",
)  # fmt: skip


class Site(NamedTuple):
    """A server for many, and a worker that serves its one provider.

    Attributes:
        held: Holds all requests to the provider until it is opened.
    """

    url: str
    database: Database
    provider: simulator.Simulator
    provider_url: str
    held: HoldAfter

    def send(self, who: Member, method: str, path: str, **more: Any) -> httpx.Response:
        """Send a request as a user."""
        headers = who.headers | more.pop("headers", {})
        url = f"{self.url}/api/v1{path}"
        return httpx.request(
            method, url, headers=headers, timeout=PATIENCE_S, trust_env=False, **more
        )

    def scalar(self, query: str) -> int:
        """Return the one number of a query."""
        with self.database.read() as connection:
            return int(connection.exec_driver_sql(query).scalar_one())


@contextmanager
def worker(environment: dict[str, str]) -> Iterator[None]:
    command = [
        sys.executable, "-m", "acm_api.cli.main", "worker", "--provider", "alpha", "--control",
    ]  # fmt: skip
    env = os.environ | environment
    with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


@pytest.fixture
def site(postgres_database: Database, tmp_path: Path) -> Iterator[Site]:
    url = postgres_database.url.render_as_string(hide_password=False)
    held = HoldAfter(0)
    with (
        redis_server.running() as redis,
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.intercepting(provider.url, held) as provider_url,
        server.listening("127.0.0.1", 0) as listener,
    ):
        places: dict[str, Any] = {"database_url": url, "broker_url": redis, "key_prefix": "api:"}
        hosts = httpx.URL(provider_url).netloc.decode()
        settings = Settings(home=tmp_path, provider_hosts=hosts, **places)
        app = application.make(postgres_database, settings, _TOKEN, single_user=False)
        running = uvicorn.Server(server.configuration(app))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        app.state.service.dispatcher.start()
        environment = {f"ACM_{name.upper()}": value for name, value in places.items()}
        try:
            with worker(environment | {"ACM_HOME": str(tmp_path)}):
                wait_until(lambda: running.started)
                address = server.address(listener)
                yield Site(address, postgres_database, provider, provider_url, held)
        finally:
            held.open()
            running.should_exit = True
            thread.join()
            app.state.service.dispatcher.stop()


def followed(text: str) -> tuple[list[int], list[dict[str, Any]]]:
    """Return ids and data of the events of a stream."""
    lines = text.splitlines()
    ids = [int(line.removeprefix("id: ")) for line in lines if line.startswith("id: ")]
    data = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    return ids, data


def test_workers_execute_runs_of_two_tenants_at_once_and_show_neither_what_is_the_others(
    site: Site,
) -> None:
    members = [api_member.add(site.database, name) for name in ("anneke", "bogdan")]
    body = api_server.body(site.provider_url, first(1))
    key = {"Idempotency-Key": "one"}

    ids = [
        str(site.send(who, "POST", "/runs", json=body, headers=key).json()["run_id"])
        for who in members
    ]
    again = [site.send(who, "POST", "/runs", json=body, headers=key).json() for who in members]
    # Both wait for the provider now: equal requests of one tenant would share one answer.
    in_flight = "select count(distinct tenant_id) from calls where state = 'started'"
    wait_until(lambda: site.scalar(in_flight) == len(members))
    lists = [site.send(who, "GET", "/runs").json()["items"] for who in members]
    streams: dict[str, str] = {}

    def follow(who: Member, run_id: str) -> None:
        streams[run_id] = site.send(who, "GET", f"/runs/{run_id}/events").text

    followers = [
        threading.Thread(target=follow, args=pair) for pair in zip(members, ids, strict=True)
    ]
    for one in followers:
        one.start()
    site.held.open()
    for one in followers:
        one.join(PATIENCE_S)
    shown = [
        site.send(who, "GET", f"/runs/{one}").json() for who, one in zip(members, ids, strict=True)
    ]

    assert ids[0] != ids[1] == again[1]["run_id"]
    assert again[0]["run_id"] == ids[0]
    assert [[one["id"] for one in found] for found in lists] == [[ids[0]], [ids[1]]]
    for result in shown:
        assert (result["state"], result["calls"]["total"], result["calls"]["cached"]) == (
            "done", 13, 0,
        )  # fmt: skip
    assert site.provider.stats()["requests"] == 26
    check_events(streams, ids)
    check_rows(site, dict(zip(ids, members, strict=True)))
    check_metrics(site, members, ids)


def test_no_run_is_delayed_by_a_limit_or_a_missing_key_of_another_tenant(site: Site) -> None:
    slow, lacking, free = (api_member.add(site.database, name) for name in ("a", "b", "c"))
    site.held.open()

    def begin(who: Member, **limits: Any) -> str:
        body = api_server.body(site.provider_url, first(1))
        body["config"]["providers"]["alpha"] |= limits
        return str(site.send(who, "POST", "/runs", json=body).json()["run_id"])

    def limits_of(who: Member) -> dict[str, Any]:
        shown = site.send(who, "GET", "/providers").json()
        return next(one["limits"] for one in shown if one["name"] == "alpha") or {}

    delayed = begin(slow, requests_per_minute=0.1)
    paused = begin(lacking, key_env="NOWHERE_SET_KEY")
    wait_until(lambda: limits_of(slow).get("waiting", 0) > 0)
    done = begin(free)
    wait_until(lambda: limits_of(free).get("started", 0) > 1)
    shown = limits_of(free)
    wait_until(lambda: site.send(free, "GET", f"/runs/{done}").json()["state"] == "done")

    assert (shown["requests_per_minute"], shown["paused"]) == (None, None)
    assert limits_of(slow)["requests_per_minute"] == 0.1
    assert limits_of(slow)["started"] <= 1
    assert limits_of(lacking).get("started", 0) == 0
    for who, run_id in ((slow, delayed), (lacking, paused)):
        assert site.send(who, "POST", f"/runs/{run_id}/cancel").status_code == 202


def check_events(streams: dict[str, str], ids: list[str]) -> None:
    """Each stream has the events of its own run, all of them, and no others."""
    numbers: list[int] = []
    for run_id, other in zip(ids, reversed(ids), strict=True):
        found, data = followed(streams[run_id])
        kinds = [one["kind"] for one in data if one.get("id") is not None]
        assert (kinds[0], kinds[-1]) == ("run_started", "run_finished")
        assert found == sorted(set(found))
        assert {one["run_id"] for one in data if one} == {run_id}
        assert other not in streams[run_id]
        numbers += found
    assert len(numbers) == len(set(numbers))


def check_rows(site: Site, owners: dict[str, Member]) -> None:
    """Each row is of the tenant of its run."""
    tenants = {(run_id, who.tenant_id) for run_id, who in owners.items()}
    with site.database.read() as connection:
        for table in _TABLES:
            query = f"select distinct run_id, tenant_id from {table}"  # noqa: S608  names above
            assert {tuple(row) for row in connection.exec_driver_sql(query)} == tenants, table


def check_metrics(site: Site, members: list[Member], ids: list[str]) -> None:
    """Metrics are the operator's: sums over both tenants, which name neither."""
    url = f"{site.url}/metrics"
    for who in members:
        assert httpx.get(url, headers=who.headers, trust_env=False).status_code == 401
    operator = {"Authorization": f"Bearer {_TOKEN}"}

    def ended() -> str:
        text = httpx.get(url, headers=operator, trust_env=False).text
        return text if 'acm_runs{state="done"} 2.0' in text else ""

    text = wait_until(ended)
    for name in (
        *ids,
        *(who.tenant_id for who in members),
        *(who.name for who in members),
        *first(1),
    ):
        assert name not in text
