"""Searches of a child: results with text, booked, priced, and never paid for twice."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acm_workers.errors import CallLimitReached, OutOfAttempts, PriceUnknown, ProviderRejected
from acm_workers.gateway.retriever import SearchService
from acm_workers.store.connection.database import Database
from schemas.config.research import Retriever
from tests.support import gateways, scripted_server, silent_port
from tests.support.gateways import Scene
from tests.support.scripted_server import Hang, Reply, ScriptedServer

KEY = "tvly-the-key-of-the-search-service"
TAVILY = {"results": [
    {"url": "https://a.example/1", "title": "Locks", "content": "", "raw_content": "Long text"},
    {"url": "https://b.example/2", "title": "Weirs", "content": "Excerpt", "raw_content": None},
    {"title": "without an address"},
]}  # fmt: skip


@pytest.fixture
def scene(sqlite_database: Database) -> Iterator[Scene]:
    with gateways.scene(sqlite_database, "http://127.0.0.1:9/v1") as found:
        yield found


@contextmanager
def searches(
    scene: Scene, server: ScriptedServer | None = None, **given: Any
) -> Iterator[SearchService]:
    """Yield the searches of a unit that is worked on."""
    if server is not None:
        given["url"] = server.base_url
    one = scene.work()
    with scene.live.gateway.unit(one, scene.config, "alpha") as access:
        yield SearchService(access, Retriever.model_validate(given))
    gateways.give_back(one)


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    return "TAVILY_API_KEY"


def test_a_folder_is_searched_without_a_call(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "canals.md").write_text("# Canals\n\nA lock lifts boats.")

    with searches(scene, type="folder", folder=str(tmp_path)) as find:
        results = find({"query": " lock\n boats "})

    assert results == [
        {
            "url": "file:canals.md",
            "title": "Canals",
            "raw_content": "# Canals\n\nA lock lifts boats.",
        }
    ]
    assert (find.count, scene.calls()) == (1, [])


def test_a_search_with_a_key_is_booked_with_its_price(scene: Scene, key: str) -> None:
    with (
        scripted_server.running(Reply(200, TAVILY)) as server,
        searches(scene, server, type="tavily", key_env=key, usd_per_search=0.008) as find,
    ):
        results = find({"query": "locks"})

    assert [(one["url"], one["raw_content"]) for one in results] == [
        ("https://a.example/1", "Long text"),
        ("https://b.example/2", "Excerpt"),
    ]
    (request,) = server.seen
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert (request.path, request.body["query"]) == ("/v1/search", "locks")
    (call,) = scene.calls()
    assert (call.provider, call.model, call.state) == ("retriever", "tavily", "done")
    assert (call.cost_usd, call.usage.searches) == (0.008, 1)
    assert scene.taken_usd() == (0.008, 0.008)


def test_nothing_is_searched_twice_in_a_unit_nor_after_it_went_back(scene: Scene, key: str) -> None:
    given = {"type": "tavily", "key_env": key, "usd_per_search": 0.008}
    with scripted_server.running(Reply(200, TAVILY)) as server:
        with searches(scene, server, **given) as find:
            first = [find({"query": "locks"}), find({"query": "locks"})]
        with searches(scene, server, **given) as find:
            again = find({"query": "locks"})

    assert first == [again, again]
    assert len(server.seen) == 1
    assert [(call.cached, call.cost_usd) for call in scene.calls()] == [(False, 0.008), (True, 0.0)]


def test_a_child_that_searches_too_often_is_stopped(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "canals.md").write_text("# Canals")
    retriever = Retriever(type="folder", folder=str(tmp_path))

    with scene.access() as access:
        find = SearchService(access, retriever, most=1)
        assert find({"query": "canals"})
        with pytest.raises(CallLimitReached, match="more than 1 times"):
            find({"query": "locks"})

    assert isinstance(access.failure, CallLimitReached)


def test_a_search_whose_price_is_unknown_is_not_made_under_a_budget(scene: Scene, key: str) -> None:
    with (
        scripted_server.running(Reply(200, TAVILY)) as server,
        searches(scene, server, type="tavily", key_env=key) as find,
        pytest.raises(PriceUnknown),
    ):
        find({"query": "locks"})

    assert (server.seen, scene.calls()) == ([], [])


def test_a_refused_key_ends_the_search_and_stands_nowhere(scene: Scene, key: str) -> None:
    refused = Reply(401, {"detail": {"error": f"invalid key {KEY}"}})
    with (
        scripted_server.running(refused) as server,
        searches(scene, server, type="tavily", key_env=key, usd_per_search=0.01) as find,
        pytest.raises(ProviderRejected) as caught,
    ):
        find({"query": "locks"})

    (call,) = scene.calls()
    assert (len(server.seen), call.state, call.status) == (1, "failed", 401)
    assert KEY not in f"{caught.value} {call.error}"


def test_a_busy_service_is_asked_again(scene: Scene, key: str) -> None:
    busy = Reply(429, {"detail": {"error": "slow down"}}, {"retry-after-ms": "1"})
    with (
        scripted_server.running(busy, Reply(200, TAVILY)) as server,
        searches(scene, server, type="tavily", key_env=key, usd_per_search=0.01) as find,
    ):
        assert len(find({"query": "locks"})) == 2

    assert [call.state for call in scene.calls()] == ["failed", "done"]
    assert scene.taken_usd() == (0.01, 0.01)


@pytest.mark.parametrize("kind", ["searxng", "tavily"])
def test_a_retriever_that_nobody_listens_for_ends_the_unit_and_costs_nothing(
    scene: Scene, key: str, kind: str
) -> None:
    with silent_port.reserved() as port:
        retriever = _priced(kind, f"http://127.0.0.1:{port}", key)
        with scene.access() as access, pytest.raises(OutOfAttempts, match="after 3 failures"):
            SearchService(access, retriever)({"query": "locks"})

    assert isinstance(access.failure, OutOfAttempts)
    assert [(call.state, call.cost_usd) for call in scene.calls()] == [("failed", None)] * 3
    assert scene.taken_usd() == (0.0, 0.0)


@pytest.mark.parametrize("kind", ["searxng", "tavily"])
def test_a_retriever_that_hangs_ends_the_unit_in_time_and_may_have_to_be_paid(
    scene: Scene, key: str, kind: str
) -> None:
    with scripted_server.running(Hang()) as server:
        retriever = _priced(kind, server.base_url, key, timeout_seconds=0.5)
        with scene.access() as access, pytest.raises(OutOfAttempts, match="after 3 failures"):
            SearchService(access, retriever)({"query": "locks"})

    assert isinstance(access.failure, OutOfAttempts)
    assert [(call.state, call.cost_usd) for call in scene.calls()] == [("uncertain", None)] * 3
    assert scene.taken_usd() == pytest.approx((0.03, 0.03))


def test_a_free_retriever_that_hangs_costs_nothing(scene: Scene) -> None:
    with scripted_server.running(Hang()) as server:
        retriever = Retriever(type="searxng", url=server.base_url, timeout_seconds=0.5)
        with scene.access() as access, pytest.raises(OutOfAttempts):
            SearchService(access, retriever)({"query": "locks"})

    assert [call.state for call in scene.calls()] == ["failed"] * 3
    assert scene.taken_usd() == (0.0, 0.0)


def _priced(kind: str, url: str, key: str, **more: Any) -> Retriever:
    known = {"key_env": key} if kind == "tavily" else {}
    given = {"type": kind, "url": url, "usd_per_search": 0.01, **known, **more}
    return Retriever.model_validate(given)


def test_searxng_gives_excerpts_of_pages_that_must_not_be_fetched(scene: Scene) -> None:
    with scripted_server.running(Reply(200, b"secret")) as private:
        results = [
            {"url": f"{private.base_url}/admin", "title": "Admin", "content": "An excerpt"},
            {"url": "file:///etc/passwd", "title": "Users", "content": "Another"},
        ]
        with (
            scripted_server.running(Reply(200, {"results": results})) as server,
            searches(scene, server, type="searxng") as find,
        ):
            found = find({"query": "canal locks"})

    assert [one["raw_content"] for one in found] == ["An excerpt", "Another"]
    assert private.connections == 0
    assert server.seen[0].path == "/v1/search?q=canal+locks&format=json"
    assert [(call.model, call.cost_usd) for call in scene.calls()] == [("searxng", 0.0)]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, b"<html>"),
        Reply(200, b"[" * 100_000),
        Reply(200, {"results": "none"}),
        Reply(403, b"Forbidden"),
    ],
    ids=["html", "deep", "none", "forbidden"],
)
def test_an_answer_that_is_none_ends_the_search(scene: Scene, reply: Reply) -> None:
    with (
        scripted_server.running(reply) as server,
        searches(scene, server, type="searxng") as find,
        pytest.raises(ProviderRejected),
    ):
        find({"query": "locks"})

    assert [call.state for call in scene.calls()] == ["failed"]


def test_long_queries_are_cut_and_empty_ones_not_asked(scene: Scene) -> None:
    with (
        scripted_server.running(Reply(200, {"results": []})) as server,
        searches(scene, server, type="searxng") as find,
    ):
        assert find({"query": "  "}) == []
        assert find({"query": "word " * 1000}) == []

    assert len(server.seen) == 1
    assert len(server.seen[0].path) < 450
    assert json.dumps(server.seen[0].body) == "null"
