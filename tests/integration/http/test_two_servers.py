"""Two servers on one Postgres store are one server, also when one of them is killed."""

import itertools
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import httpx
import pytest

from acm_workers.store import events, schema
from acm_workers.store.connection.database import Database
from tests.support import api_member, api_process, api_server, intercepting_proxy, simulator
from tests.support import postgres as postgres_servers
from tests.support.api_member import Member
from tests.support.api_process import ApiProcess
from tests.support.project import wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

_DROPS = 100
_POSTS = 100
_KILLED_AFTER = 20
_PAID = {"skip": "never", "cache": "off"}


class Site(NamedTuple):
    """Two servers on one store, and a user of them."""

    database: Database
    ann: Member
    one: ApiProcess
    other: ApiProcess
    environment: dict[str, str]


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running() as running:
        yield running


@pytest.fixture(scope="module")
def site(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with postgres_servers.schema(postgres, "acm_two_servers") as url:
        database = Database(url)
        schema.upgrade(database)
        ann = api_member.add(database, "ann", "read", "run", "admin")
        home = tmp_path_factory.mktemp("home")
        environment = {"ACM_DATABASE_URL": url, "ACM_HOME": str(home)}
        with (
            api_process.serving(environment, ann.headers) as one,
            api_process.serving(environment, ann.headers) as other,
        ):
            yield Site(database, ann, one, other, environment)
        database.close()


def ended(server: ApiProcess, run_id: str) -> dict[str, Any]:
    """Wait until a run has ended; return what is shown of it."""

    def found() -> dict[str, Any]:
        shown: dict[str, Any] = server.client.get(f"/runs/{run_id}").json()
        return {} if shown["state"] == "running" else shown

    return wait_until(found)


def test_streams_that_are_dropped_a_hundred_times_are_the_log_from_either_server(
    site: Site, provider: Simulator
) -> None:
    one, other = site.one, site.other
    run_id = one.client.post("/runs", json=api_server.body(provider.url, first(3))).json()["run_id"]
    read: list[int] = []
    ends = 0

    for _, server in zip(range(_DROPS), itertools.cycle((one, other)), strict=False):
        headers = {"Last-Event-ID": str(read[-1])} if read else {}
        with server.client.stream("GET", f"/runs/{run_id}/events", headers=headers) as stream:
            # The first event, or the first look that found none; then the connection is dropped.
            number, kind = next(api_server.each_event(stream.iter_lines()))
        read += [number] if number is not None else []
        ends += kind == "end"
    state = ended(other, run_id)["state"]
    headers = {"Last-Event-ID": str(read[-1])}
    with other.client.stream("GET", f"/runs/{run_id}/events", headers=headers) as stream:
        rest = [number for number, _ in api_server.each_event(stream.iter_lines())]
    read += [number for number in rest if number is not None]

    with site.database.read() as connection:
        log = events.since(connection, run_id, 0)
    assert state == "done"
    assert read == [event.id for event in log]
    assert log[-1].kind == "run_finished"


def test_a_session_and_a_cancel_hold_at_the_other_server(site: Site, provider: Simulator) -> None:
    one, other = site.one, site.other
    with intercepting_proxy.holding(provider.url, '"m2"') as held:
        body = api_server.body(held.url, first(1))
        run_id = one.client.post("/runs", json=body).json()["run_id"]
        wait_until(lambda: other.client.get(f"/runs/{run_id}/calls").json()["items"])
        cancelled = other.client.post(f"/runs/{run_id}/cancel")
        held.open()
        states = {server.url: ended(server, run_id)["state"] for server in (one, other)}
    with httpx.Client(base_url=one.url, trust_env=False, follow_redirects=False) as browser:
        login = browser.post("/login", data={"key": site.ann.key}, headers={"Origin": one.url})
        session = dict(browser.cookies)
    page = httpx.get(f"{other.url}/runs", cookies=session, trust_env=False)

    assert cancelled.status_code == 202
    assert set(states.values()) == {"cancelled"}
    assert login.status_code == 303, login.text
    assert page.status_code == 200
    assert run_id in page.text


def test_a_hundred_equal_requests_start_one_run_though_a_server_is_killed(
    site: Site, provider: Simulator
) -> None:
    before = provider.stats()["billed"]["answers"]
    body = api_server.body(provider.url, first(1), config=_PAID, title="once")
    headers = {"Idempotency-Key": "once"}
    answered = itertools.count(1)
    killed = threading.Event()

    with api_process.serving(site.environment, site.ann.headers) as doomed:

        def post(number: int) -> httpx.Response:
            server = (doomed, site.other)[number % 2]
            try:
                answer = server.client.post("/runs", json=body, headers=headers)
            except httpx.TransportError:
                assert server is doomed
                answer = site.other.client.post("/runs", json=body, headers=headers)
            if next(answered) == _KILLED_AFTER:
                doomed.kill()
                killed.set()
            return answer

        with ThreadPoolExecutor(25) as threads:
            answers = list(threads.map(post, range(_POSTS)))
    (run_id,) = {answer.json()["run_id"] for answer in answers}
    shown = ended(site.other, run_id)
    listed = site.other.client.get("/runs", params={"q": "once"}).json()["items"]

    assert killed.is_set()
    assert {answer.status_code for answer in answers} == {201}
    assert [one["id"] for one in listed] == [run_id]
    assert shown["state"] == "done"
    assert shown["calls"]["total"] - shown["calls"]["uncertain"] == 13
    paid = provider.stats()["billed"]["answers"] - before
    assert 13 <= paid <= 13 + shown["calls"]["uncertain"]
