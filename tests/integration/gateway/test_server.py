"""What children may do at the gateway, and what they see of it."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from acm_workers.errors import (
    BudgetSpent,
    CallLimitReached,
    PriceUnknown,
    ProviderPaused,
    RequestError,
)
from acm_workers.gateway import server
from acm_workers.store.connection.database import Database
from tests.support import gateways, scripted_server, simulator
from tests.support.gateways import CHAT, EMBEDDINGS, Scene
from tests.support.project import PATIENCE_S, wait_until
from tests.support.scripted_server import Hang, Reply
from tests.support.simulator import Simulator

KEY = "sk-the-real-key-of-the-provider"
ANSWER = (
    b'\n{ "id":"c1","model":"m-1", "choices" : [{"message":{"tool_calls":[{"id":"t1"}]},'
    b'"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":5}}\n'
)
STREAM = (
    b': waiting\r\n\r\ndata: {"id":"c1", "choices":[{"delta":{"tool_calls":[{"index":0,"function":'
    b'{"arguments":"{\\"a\\":"}}]}}]}\r\n\r\ndata: {"choices":[{"finish_reason":"stop"}]}\r\n\r\n'
    b'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5}}\r\n\r\n'
    b"data: [DONE]\r\n\r\n"
)
EVENTS = {"Content-Type": "text/event-stream"}
BUSY = Reply(429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}},
             {"retry-after-ms": "1"})  # fmt: skip


@pytest.fixture(scope="module")
def simulated() -> Iterator[Simulator]:
    with simulator.running(latency=0) as found:
        yield found


@pytest.fixture
def scene(sqlite_database: Database, simulated: Simulator) -> Iterator[Scene]:
    with gateways.scene(sqlite_database, simulated.url) as found:
        yield found


def post(scene: Scene, path: str, content: Any, **options: Any) -> httpx.Response:
    """Send one request as the child of a unit."""
    with scene.access(**options) as access, gateways.client(access) as client:
        sent: Any = {"content" if isinstance(content, bytes) else "json": content}
        return client.post(path, **sent)


def code(answer: httpx.Response) -> str:
    found: str = answer.json()["error"]["code"]
    return found


def test_bytes_pass_unchanged_in_both_ways_and_the_real_key_replaces_the_token(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", KEY)
    sent = b'\t{"model":"sim-a" , "tools":[{"type":"function","function":{"name":"\\u00e9"}}]}\n'
    with scripted_server.running(Reply(200, ANSWER)) as upstream:
        alpha = {"dialect": "openai_chat", "base_url": upstream.base_url, "key_env": "THE_KEY"}
        with gateways.scene(sqlite_database, "", providers={"alpha": alpha}) as scene:
            answer = post(scene, "chat/completions", sent)

    assert answer.content == ANSWER
    (seen,) = upstream.seen
    assert (seen.path, seen.raw) == ("/v1/chat/completions", sent)
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    (call,) = scene.calls()
    assert (call.usage.input_tokens, call.usage.output_tokens) == (7, 5)


@pytest.mark.parametrize("asked", [True, False])
def test_a_stream_passes_unchanged_but_for_usage_that_the_child_did_not_ask_for(
    sqlite_database: Database, asked: bool
) -> None:
    options = {"stream_options": {"include_usage": True}} if asked else {}
    with (
        scripted_server.running(Reply(200, STREAM, EVENTS)) as upstream,
        gateways.scene(sqlite_database, upstream.base_url) as scene,
    ):
        answer = post(scene, "chat/completions", CHAT | {"stream": True} | options)

    start = STREAM.index(b'data: {"choices":[],"usage"')
    hidden = STREAM[:start] + STREAM[STREAM.index(b"data: [DONE]") :]
    assert answer.content == (STREAM if asked else hidden)
    assert upstream.seen[0].body["stream_options"] == {"include_usage": True}
    assert scene.calls()[0].usage.output_tokens == 5


def test_a_server_that_refuses_to_be_asked_for_the_usage_is_asked_as_the_child_did(
    sqlite_database: Database,
) -> None:
    refusal = Reply(400, {"error": {"message": "stream_options: unknown field"}})
    unasked = STREAM.replace(b'data: {"choices":[],"usage"', b": no ")
    with (
        scripted_server.running(refusal, Reply(200, unasked, EVENTS)) as upstream,
        gateways.scene(sqlite_database, upstream.base_url) as scene,
        scene.access() as access,
        gateways.client(access) as client,
    ):
        for number in range(2):
            body = CHAT | {"stream": True, "seed": number}
            assert client.post("chat/completions", json=body).status_code == 200

    assert ["stream_options" in one.body for one in upstream.seen] == [True, False, False]
    assert [call.state for call in scene.calls()] == ["failed", "done", "done"]
    assert scene.calls()[1].cost_usd is None


def test_a_token_is_of_one_unit_and_ends_with_it(scene: Scene) -> None:
    with scene.access() as access:
        wrong = httpx.post(f"{access.base_url}/chat/completions", json=CHAT, trust_env=False)
        with gateways.client(access) as client:
            right = client.post("chat/completions", json=CHAT)
    with gateways.client(access) as client:
        late = client.post("chat/completions", json=CHAT)

    assert [one.status_code for one in (wrong, right, late)] == [401, 200, 401]
    assert len(scene.calls()) == 1
    assert len(access.token) >= 40


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("chat/completions", b"{", 400),
        ("responses", {"model": "sim-a", "input": "a", "background": True}, 400),
        ("audio/speech", {"model": "sim-a"}, 404),
        ("../../chat/completions", CHAT, 404),
    ],
)
def test_what_the_gateway_does_not_serve_costs_nothing(
    scene: Scene, path: str, content: Any, status: int
) -> None:
    answer = post(scene, path, content)

    assert answer.status_code == status
    assert answer.headers["x-should-retry"] == "false"
    assert not scene.calls()


def test_a_request_that_is_too_large_or_has_no_length_is_refused(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_REQUEST_BYTES", 10)

    with scene.access() as access, gateways.client(access) as client:
        large = client.post("chat/completions", json=CHAT)
        endless = client.post("chat/completions", content=iter([b"{}"]))

    assert (large.status_code, endless.status_code) == (413, 411)


def test_connections_beyond_the_limit_are_closed(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 0)

    with (
        scene.access() as access,
        gateways.client(access) as client,
        pytest.raises(httpx.TransportError),
    ):
        client.post("chat/completions", json=CHAT)


def test_providers_of_other_dialects_are_refused_with_the_reason(
    sqlite_database: Database,
) -> None:
    claude = {"dialect": "anthropic", "base_url": "http://127.0.0.1:1/v1"}
    with gateways.scene(sqlite_database, "", providers={"alpha": claude}) as scene:
        with pytest.raises(RequestError, match="speaks anthropic"), scene.access():
            pass

        assert server.refusal(scene.config, "alpha")


def test_a_final_failure_is_told_once_and_then_at_once(scene: Scene, simulated: Simulator) -> None:
    before = simulated.stats()["requests"]

    with scene.access() as access, gateways.client(access) as client:
        answers = [
            client.post("chat/completions", json=CHAT | {"model": "sim-b@500@L0"})
            for _ in range(10)
        ]

    assert {one.status_code for one in answers} == {500}
    assert {one.headers["x-should-retry"] for one in answers} == {"false"}
    assert len({one.content for one in answers}) == 1
    assert simulated.stats()["requests"] - before == scene.config.retries.attempts
    assert access.failure is None
    assert scene.taken_usd() == (0.0, 0.0)


def test_rate_limits_are_waited_for_and_the_child_sees_none(sqlite_database: Database) -> None:
    steps = (BUSY, BUSY, BUSY, BUSY, Reply(200, ANSWER))  # more often than failures are retried
    with (
        scripted_server.running(*steps) as upstream,
        gateways.scene(sqlite_database, upstream.base_url) as scene,
    ):
        answer = post(scene, "chat/completions", CHAT)

    assert answer.content == ANSWER
    assert [call.state for call in scene.calls()] == ["failed"] * 4 + ["done"]


def test_a_provider_that_is_busy_for_ever_is_told_while_the_child_has_time(
    sqlite_database: Database,
) -> None:
    with (
        scripted_server.running(BUSY) as upstream,
        gateways.scene(sqlite_database, upstream.base_url) as scene,
    ):
        answer = post(scene, "chat/completions", CHAT, retry_s=0.05)

    assert answer.status_code == 429
    assert answer.json()["error"]["code"] == "rate_limit_exceeded"
    assert answer.headers["x-should-retry"] == "false"


def test_streams_that_break_off_again_and_again_are_not_asked_for_for_ever(
    scene: Scene, simulated: Simulator
) -> None:
    body = CHAT | {"stream": True, "model": "sim-b@T5*@L0"}
    before = simulated.stats()["requests"]

    with scene.access() as access, gateways.client(access) as client:
        for _ in range(3):
            with pytest.raises(httpx.RemoteProtocolError):
                client.post("chat/completions", json=body)
        answer = client.post("chat/completions", json=body)

    assert (answer.status_code, code(answer)) == (502, "provider_unavailable")
    assert simulated.stats()["requests"] - before == 3


def test_a_refused_key_pauses_the_provider_and_the_unit_waits(sqlite_database: Database) -> None:
    refusal = Reply(401, {"error": {"message": f"wrong key {KEY}", "code": "invalid_api_key"}})
    with (
        scripted_server.running(refusal) as upstream,
        gateways.scene(sqlite_database, upstream.base_url) as scene,
        scene.access() as access,
        gateways.client(access) as client,
    ):
        first = client.post("chat/completions", json=CHAT)
        other = client.post("embeddings", json=EMBEDDINGS)

    assert (first.status_code, other.status_code) == (401, 403)
    assert isinstance(access.failure, ProviderPaused)
    assert len(upstream.seen) == 1


def test_a_spent_budget_ends_the_unit(sqlite_database: Database, simulated: Simulator) -> None:
    with (
        gateways.scene(sqlite_database, simulated.url, budget_usd=0.002) as scene,
        scene.access() as access,
        gateways.client(access) as client,
    ):
        first = client.post("chat/completions", json=CHAT)
        second = client.post("chat/completions", json=CHAT | {"max_tokens": 500})
        third = client.post("chat/completions", json=CHAT | {"seed": 1})

    assert (first.status_code, second.status_code, third.status_code) == (200, 402, 402)
    assert code(third) == "budget_spent"
    assert isinstance(access.failure, BudgetSpent)
    assert len(scene.calls()) == 1


def test_a_budget_needs_prices(scene: Scene) -> None:
    with scene.access() as access, gateways.client(access) as client:
        answer = client.post("embeddings", json=EMBEDDINGS | {"model": "somebody/embeds"})

    assert (answer.status_code, code(answer)) == (402, "price_unknown")
    assert isinstance(access.failure, PriceUnknown)


def test_without_a_budget_a_price_that_is_not_known_stays_unknown(
    sqlite_database: Database, simulated: Simulator
) -> None:
    with gateways.scene(sqlite_database, simulated.url, budget_usd=None) as scene:
        answer = post(scene, "embeddings", EMBEDDINGS | {"model": "somebody-embeds@L0"})

    assert answer.status_code == 200
    (call,) = scene.calls()
    assert (call.usage.input_tokens is None, call.cost_usd) == (False, None)


def test_a_child_that_asks_too_often_is_stopped(scene: Scene) -> None:
    with scene.access(max_calls=2) as access, gateways.client(access) as client:
        answers = [client.post("chat/completions", json=CHAT | {"n": 1}) for _ in range(3)]

    assert [one.status_code for one in answers] == [200, 200, 403]
    assert isinstance(access.failure, CallLimitReached)


def test_the_books_hold_on_each_store(database: Database, simulated: Simulator) -> None:
    before = simulated.stats()["billed"]["usd"]
    with gateways.scene(database, simulated.url) as scene:
        for _ in range(2):
            with scene.access() as access, gateways.client(access) as client:
                for body in (CHAT, CHAT | {"stream": True}, CHAT | {"model": "sim-a@O23*@L0"}):
                    assert client.post("chat/completions", json=body).status_code == 200

        assert [call.cached for call in scene.calls()] == [False] * 3 + [True] * 3
        known, unknown = scene.calls()[:2], scene.calls()[2]
        known_usd = sum(call.cost_usd or 0.0 for call in known)
        assert scene.taken_usd()[0] == pytest.approx(known_usd + (unknown.reserved_usd or 0.0))
        assert known_usd < simulated.stats()["billed"]["usd"] - before < scene.taken_usd()[0]


def test_each_stored_answer_serves_one_request_of_another_attempt(scene: Scene) -> None:
    stream = CHAT | {"stream": True}
    with scene.access() as access, gateways.client(access) as client:
        first = [client.post("chat/completions", json=stream).content for _ in range(2)]

    with scene.access() as access, gateways.client(access) as client:
        again = [client.post("chat/completions", json=stream) for _ in range(3)]

    assert [one.content for one in again[:2]] == first
    assert first[0] != first[1]
    assert again[0].headers["content-type"].startswith("text/event-stream")
    assert [call.cached for call in scene.calls()] == [False, False, True, True, False]
    assert access.totals().cached == 2

    with scene.access(reuse=False) as access, gateways.client(access) as client:
        client.post("chat/completions", json=stream)

    assert access.totals().cached == 0


def test_answers_are_forgotten_when_the_unit_is_done(scene: Scene) -> None:
    work = scene.work()
    with (
        scene.live.gateway.unit(work, scene.config, "alpha") as access,
        gateways.client(access) as client,
    ):
        client.post("chat/completions", json=CHAT)

    access.load_answers()
    assert access._stored
    assert work.succeed(gateways.RESULT)

    access.load_answers()
    assert not access._stored


def test_a_worker_that_lost_its_claim_pays_nothing_more(scene: Scene) -> None:
    with scene.access() as access, gateways.client(access) as client:
        gateways.lose_claim(scene)
        answer = client.post("chat/completions", json=CHAT)

        assert (answer.status_code, code(answer)) == (403, "already_claimed")
    assert not scene.calls()


def test_a_cancelled_run_sends_nothing_more(scene: Scene) -> None:
    with scene.access() as access, gateways.client(access) as client:
        scene.live.stopping.set()
        answer = client.post("chat/completions", json=CHAT)

    assert code(answer) == "cancelled"
    assert not scene.calls()


def test_a_child_that_leaves_while_its_request_waits_for_a_limit_costs_nothing(
    sqlite_database: Database,
) -> None:
    with scripted_server.running(Hang()) as upstream:
        alpha = {"dialect": "openai_chat", "base_url": upstream.base_url, "max_in_flight": 1}
        with gateways.scene(sqlite_database, "", providers={"alpha": alpha}) as scene:
            with scene.access(drain_s=0.0) as access:
                threading.Thread(target=_post_quietly, args=(access,), daemon=True).start()
                wait_until(lambda: upstream.seen)
                limiter = scene.live.limiter
                with gateways.connected(access, CHAT | {"seed": 1}):
                    wait_until(lambda: limiter.state("alpha")["waiting"] == 1)
                wait_until(lambda: limiter.state("alpha")["waiting"] == 0)

            assert len(upstream.seen) == 1
            assert len(scene.calls()) == 1
            upstream.over.set()
            wait_until(lambda: scene.calls()[0].state != "started")


def _post_quietly(access: Any) -> None:
    with gateways.client(access) as client, contextlib.suppress(httpx.TransportError):
        client.post("chat/completions", json=CHAT)


def test_the_end_of_a_unit_does_not_wait_for_ever_and_a_late_call_is_booked(
    sqlite_database: Database,
) -> None:
    with (
        scripted_server.running(Hang()) as upstream,
        gateways.scene(sqlite_database, upstream.base_url) as scene,
    ):
        began = time.monotonic()
        with scene.access(drain_s=0.1) as access, gateways.connected(access, CHAT):
            wait_until(lambda: upstream.seen)

        assert time.monotonic() - began < PATIENCE_S / 2
        assert [call.state for call in scene.calls()] == ["started"]
        upstream.over.set()
        wait_until(lambda: scene.calls()[0].state == "uncertain")


def test_a_slow_child_is_left_behind_and_its_call_is_booked(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_WRITE_S", 0.2)
    long = STREAM.replace(b": waiting", b": " + b"x" * 7_000_000)
    with (
        scripted_server.running(Reply(200, long, EVENTS)) as upstream,
        gateways.scene(sqlite_database, upstream.base_url) as scene,
        scene.access() as access,
        gateways.connected(access, CHAT | {"stream": True}),
    ):
        wait_until(lambda: scene.calls() and scene.calls()[0].state == "done")

    assert scene.calls()[0].usage.input_tokens == 7


def test_other_addresses_of_a_unit_are_answered_by_its_routes(scene: Scene) -> None:
    def search(query: Any) -> object:
        if not query.get("query"):
            raise RequestError("nothing to search for")
        return [{"url": "https://x", "title": query["query"]}]

    with scene.access(routes={"search": search}) as access, gateways.client(access) as client:
        by_query = httpx.get(
            f"{access.root_url}/search",
            params={"token": access.token, "query": "moon"},
            trust_env=False,
        )
        by_header = client.get(f"{access.root_url}/search", params={"query": "sun"})
        failed = client.get(f"{access.root_url}/search")
        other = client.get(f"{access.root_url}/fetch")
        nobody = httpx.get(f"{access.root_url}/search", trust_env=False)

    assert by_query.json() == [{"url": "https://x", "title": "moon"}]
    assert by_header.json()[0]["title"] == "sun"
    assert [one.status_code for one in (failed, other, nobody)] == [502, 404, 401]


def test_embeddings_may_come_from_another_provider(
    sqlite_database: Database, simulated: Simulator
) -> None:
    nowhere = {"dialect": "openai_chat", "base_url": "http://127.0.0.1:1/v1"}
    both = {"alpha": nowhere, "beta": nowhere | {"base_url": simulated.url}}
    with gateways.scene(sqlite_database, "", providers=both) as scene:
        answer = post(scene, "embeddings", EMBEDDINGS, embeddings="beta")

    assert answer.status_code == 200
    assert scene.calls()[0].provider == "beta"


def test_a_closed_gateway_listens_no_more(scene: Scene) -> None:
    with scene.access() as access, gateways.client(access) as client:
        assert client.post("chat/completions", json=CHAT).status_code == 200
        port = int(access.root_url.rpartition(":")[2])

        scene.live.gateway.close()

        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", port)).close()
