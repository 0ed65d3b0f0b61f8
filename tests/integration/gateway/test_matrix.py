"""The ledger against the provider's own books, however a call through the gateway ends."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest

from acm_workers import runtime
from acm_workers.engine import sweep
from acm_workers.errors import CallLimitReached
from acm_workers.gateway.access import GatewayAccess
from acm_workers.store.connection.database import Database
from schemas.calls import Call
from tests.support import gateways, intercepting_proxy, simulator
from tests.support.gateways import BODIES, Scene
from tests.support.intercepting_proxy import HoldAfter
from tests.support.project import PATIENCE_S, wait_until
from tests.support.simulator import Simulator

KINDS = [
    ("chat/completions", False),
    ("chat/completions", True),
    ("responses", False),
    ("responses", True),
    ("embeddings", False),
]
BY_KIND = pytest.mark.parametrize(("path", "streamed"), KINDS)
SLOW = "@E40@L0.1"
"""Options of models that answer after a moment, and whose streams take a second."""


class Books(NamedTuple):
    """What the provider has billed."""

    answers: int
    usd: float

    def since(self, before: "Books") -> "Books":
        """Return what was billed after ``before``."""
        return Books(self.answers - before.answers, self.usd - before.usd)


@pytest.fixture(scope="module")
def simulated() -> Iterator[Simulator]:
    with simulator.running(latency=0, stall_s=0.5) as found:
        yield found


@pytest.fixture
def scene(database: Database, simulated: Simulator) -> Iterator[Scene]:
    with gateways.scene(database, simulated.url) as found:
        yield found


def books(of: Simulator) -> Books:
    billed = of.stats()["billed"]
    return Books(billed["answers"], billed["usd"])


def requests(of: Simulator) -> int:
    """Return how many requests have arrived."""
    return int(of.stats()["requests"])


def request(path: str, *, streamed: bool, options: str = "") -> dict[str, Any]:
    """Return a request to a model with these options in its name."""
    body = BODIES[path]
    base = body["model"].split("@")[0]
    return body | {"model": base + (options or "@L0")} | ({"stream": True} if streamed else {})


def send(access: GatewayAccess, path: str, body: dict[str, Any]) -> httpx.Response:
    with gateways.client(access) as client:
        return client.post(path, json=body)


def only_call(scene: Scene) -> Call:
    """Return the only call of the scene, which nothing is reserved for any more."""
    (call,) = scene.calls()
    assert scene.taken_usd()[0] == pytest.approx(scene.taken_usd()[1], abs=1e-12)
    return call


@BY_KIND
def test_an_answered_call_costs_what_the_provider_says(
    scene: Scene, simulated: Simulator, path: str, streamed: bool
) -> None:
    before = books(simulated)

    with scene.access() as access:
        answer = send(access, path, request(path, streamed=streamed))

    assert answer.status_code == 200
    call = only_call(scene)
    assert (call.state, call.stage, call.status) == ("done", "gateway", 200)
    billed = books(simulated).since(before)
    assert billed.answers == 1
    assert call.cost_usd == pytest.approx(billed.usd, abs=1e-9)
    assert access.totals().cost_usd == call.cost_usd
    assert scene.taken_usd()[0] == pytest.approx(billed.usd, abs=1e-9)


@BY_KIND
def test_a_client_that_leaves_early_leaves_its_call_booked(
    scene: Scene, simulated: Simulator, path: str, streamed: bool
) -> None:
    before, seen = books(simulated), requests(simulated)

    with scene.access() as access:
        body = request(path, streamed=streamed, options=SLOW)
        with gateways.connected(access, body, path) as connection:
            wait_until(lambda: requests(simulated) > seen)
            if streamed:
                assert connection.recv(1)

    call = only_call(scene)
    assert call.state == "done"
    assert call.cost_usd == pytest.approx(books(simulated).since(before).usd, abs=1e-9)


_CHILD = """
import socket, sys
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
connection.sendall(sys.stdin.buffer.read())
print("sent", flush=True)
while connection.recv(65536):
    print("got", flush=True)
"""


@BY_KIND
def test_the_call_of_a_child_that_is_killed_is_booked(
    scene: Scene, simulated: Simulator, path: str, streamed: bool
) -> None:
    before, seen = books(simulated), requests(simulated)

    with scene.access() as access:
        body = request(path, streamed=streamed, options=SLOW)
        port = access.root_url.rpartition(":")[2]
        with subprocess.Popen(
            [sys.executable, "-SEc", _CHILD, port],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(gateways.raw_request(access, path, body))
            child.stdin.close()
            child.stdout.readline()
            wait_until(lambda: requests(simulated) > seen)
            if streamed:
                child.stdout.readline()
            child.kill()

    call = only_call(scene)
    assert call.state == "done"
    assert call.cost_usd == pytest.approx(books(simulated).since(before).usd, abs=1e-9)


@BY_KIND
def test_a_failure_that_passes_is_retried_once_for_the_child(
    scene: Scene, simulated: Simulator, path: str, streamed: bool
) -> None:
    before = books(simulated)

    with scene.access() as access:
        # A page of a gateway with status 502, then an answer.
        name = f"@n{2 * KINDS.index((path, streamed)) + scene.database.is_sqlite}"
        body = request(path, streamed=streamed, options=f"@L0@T10x1{name}")
        answer = send(access, path, body)

    assert answer.status_code == 200
    failed, done = scene.calls()
    assert (failed.state, failed.attempt, failed.cost_usd) == ("failed", 1, None)
    assert (done.state, done.attempt) == ("done", 2)
    assert done.cost_usd == pytest.approx(books(simulated).since(before).usd, abs=1e-9)
    assert scene.taken_usd()[0] == pytest.approx(done.cost_usd, abs=1e-12)


@BY_KIND
def test_missing_usage_is_unknown_and_its_worst_case_stays_taken(
    scene: Scene, simulated: Simulator, path: str, streamed: bool
) -> None:
    before = books(simulated)

    with scene.access() as access:
        answer = send(access, path, request(path, streamed=streamed, options="@L0@O23*"))

    assert answer.status_code == 200
    call = only_call(scene)
    assert (call.state, call.usage.input_tokens, call.cost_usd) == ("done", None, None)
    assert call.reserved_usd is not None
    assert call.reserved_usd >= books(simulated).since(before).usd > 0
    assert access.totals().unpriced == 1


@BY_KIND
def test_an_answer_that_breaks_off_is_uncertain(
    scene: Scene, simulated: Simulator, path: str, streamed: bool
) -> None:
    before = books(simulated)

    with scene.access() as access:
        body = request(path, streamed=streamed, options="@L0@T5*")
        if streamed:
            with pytest.raises(httpx.RemoteProtocolError):
                send(access, path, body)
        else:
            # Nothing was passed on, so the gateway itself asked again, as often as it may.
            assert send(access, path, body).status_code == 502

    found = scene.calls()
    assert [call.state for call in found] == ["uncertain"] * (1 if streamed else 3)
    assert {call.cost_usd for call in found} == {None}
    worst_usd = sum(call.reserved_usd or 0.0 for call in found)
    assert worst_usd >= books(simulated).since(before).usd > 0
    assert scene.taken_usd() == pytest.approx((worst_usd, worst_usd))


def test_the_calls_of_a_worker_that_is_killed_are_uncertain_and_only_new_ones_are_paid(
    database: Database, simulated: Simulator
) -> None:
    with gateways.scene(database, simulated.url, units=len(KINDS)) as scene:
        units = json.dumps([unit.model_dump(mode="json") for unit in scene.units])
        url = database.url.render_as_string(hide_password=False)
        command = [sys.executable, "-m", "tests.support.gateways", url, simulated.url, units]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
            assert worker.stdout is not None
            told = json.loads(worker.stdout.readline())
            connections = [
                _interrupted(told[unit.id], kind, simulated)
                for unit, kind in zip(scene.units, KINDS, strict=True)
            ]
            worker.send_signal(signal.SIGKILL)
            worker.wait(PATIENCE_S)
            for connection in connections:
                connection.close()
        run_id = scene.units[0].run_id
        sweep.recover(scene.database, run_id, scene.live.owner, runtime.making())
        before = books(simulated)

        for number, (path, streamed) in enumerate(KINDS):
            with scene.access(number) as access:
                assert send(access, path, request(path, streamed=streamed)).status_code == 200
                body = request(path, streamed=streamed, options="@L0@n2")
                assert send(access, path, body).status_code == 200

        billed = books(simulated).since(before)
        known_usd = uncertain_usd = 0.0
        for number in range(len(KINDS)):
            calls = scene.calls(number)
            # Finished before the kill, lost by it, answered again, new.
            assert [call.state for call in calls] == ["done", "uncertain", "done", "done"]
            assert [call.cached for call in calls] == [False, False, True, False]
            known_usd += sum(call.cost_usd or 0.0 for call in calls)
            uncertain_usd += calls[1].reserved_usd or 0.0
            billed = billed._replace(usd=billed.usd - (calls[3].cost_usd or 0.0))
        assert billed.answers == len(KINDS)
        assert billed.usd == pytest.approx(0.0, abs=1e-9)
        assert scene.taken_usd()[0] == pytest.approx(known_usd + uncertain_usd)
        assert scene.taken_usd()[0] == pytest.approx(scene.taken_usd()[1])


def _interrupted(told: list[str], kind: tuple[str, bool], simulated: Simulator) -> socket.socket:
    """Have one call answered, and leave another in flight."""
    (base_url, token), (path, streamed) = told, kind
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx.post(
        f"{base_url}/{path}",
        json=request(path, streamed=streamed),
        headers=headers,
        trust_env=False,
        timeout=PATIENCE_S,
    )
    assert answer.status_code == 200
    body = json.dumps(request(path, streamed=streamed, options="@E40@L30@n3")).encode()
    there = urlsplit(base_url)
    connection = socket.create_connection((there.hostname, there.port))
    head = f"POST /v1/{path} HTTP/1.1\r\nHost: {there.netloc}\r\nAuthorization: Bearer {token}\r\n"
    seen = requests(simulated)
    connection.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    wait_until(lambda: requests(simulated) > seen)
    return connection


def test_a_child_that_sends_too_much_at_once_is_stopped_and_nothing_is_paid(scene: Scene) -> None:
    usual = BODIES["chat/completions"]
    long = usual | {"messages": [{"role": "user", "content": "x" * 3000}]}

    with scene.access(max_bytes=2048) as access, gateways.client(access) as client:
        answers = [client.post("chat/completions", json=body) for body in (usual, long)]

    assert [one.status_code for one in answers] == [200, 403]
    assert isinstance(access.failure, CallLimitReached)
    assert len(scene.calls()) == 1


def test_children_ask_side_by_side_on_one_connection_each(
    sqlite_database: Database, simulated: Simulator
) -> None:
    answered: list[int] = []
    holder = HoldAfter(passes=0)

    def ask(client: httpx.Client, number: int) -> None:
        body = BODIES["chat/completions"] | {"model": f"sim-a@L0@n{number}"}
        answered.append(client.post("chat/completions", json=body).status_code)

    with (
        intercepting_proxy.intercepting(simulated.url, holder) as url,
        gateways.scene(sqlite_database, url) as scene,
    ):
        with scene.access() as access, gateways.client(access) as client:
            threads = [threading.Thread(target=ask, args=(client, number)) for number in range(16)]
            for thread in threads:
                thread.start()
            wait_until(lambda: holder.held == 16)
            holder.open()
            for thread in threads:
                thread.join()

        assert answered == [200] * 16
        assert scene.taken_usd()[0] == pytest.approx(scene.taken_usd()[1])
