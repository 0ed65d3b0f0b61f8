"""The Python client and the command line at a server."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import acm_api
from tests.support import api_server, configs, intercepting_proxy, silent_port, simulator
from tests.support.project import Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as running:
        yield running


@pytest.fixture
def port() -> Iterator[int]:
    """Yield a port that nobody else gets while no server listens there."""
    with silent_port.reserved() as port:
        yield port


def test_a_server_that_is_restarted_loses_no_event_and_nothing_is_paid_twice(
    tmp_path: Path, provider: Simulator, port: int
) -> None:
    events = list[acm_api.RunEvent]()
    client = acm_api.Client(f"http://127.0.0.1:{port}")
    body = api_server.body(provider.url, first(1))
    texts = {"documents": body["documents"], "instructions": body["instructions"]}
    before = provider.stats()["requests"]

    with intercepting_proxy.holding(provider.url, '"m2"') as held:
        config = api_server.body(held.url, {})["config"]
        with api_server.running(tmp_path, port=port):
            planned = client.plan(config, **texts)
            run_id = client.start(config, **texts)
            follower = threading.Thread(target=client.follow, args=(run_id, events.append))
            follower.start()
            wait_until(lambda: client.show(run_id).calls.total)
            held.open()
        with api_server.running(tmp_path, port=port):
            follower.join()
            found = client.results(run_id)
            archive = client.files(run_id)
            listed = [one["id"] for one in client.runs()]

    assert planned.likely.calls == 13
    assert found.state == "done"
    assert found.winners.keys() == body["documents"].keys()
    assert provider.stats()["requests"] - before == 13
    stored = [event.id for event in events if event.id is not None]
    assert stored == sorted(set(stored))
    assert "run_finished" in [event.kind for event in events]
    assert archive[:2] == b"PK"
    assert listed == [run_id]


def test_errors_of_a_server_are_those_of_the_library(tmp_path: Path) -> None:
    with api_server.running(tmp_path, dispatch=False) as server:
        client = acm_api.Client(server.url)
        with pytest.raises(acm_api.NotFound):
            client.show("01ARZ3NDEKTSV4RRFFQ69G5FAV")
        with pytest.raises(acm_api.RequestError) as caught:
            client.plan({"rnus": []}, documents={"a.md": "a"}, instructions="Write.")

    where = [caught.value.where, *(one.where for one in caught.value.more)]
    assert "config (rnus)" in where


def test_commands_at_a_server_do_what_they_do_here(tmp_path: Path, provider: Simulator) -> None:
    with api_server.running(tmp_path / "server") as server:
        project = Project(tmp_path / "mine", configs.small(provider.url), first(1))
        environment = {"ACM_API_URL": server.url}
        (path,) = first(1)

        planned = project.acm("plan", "--json", env=environment)
        ran = project.acm("run", "--json", env=environment)
        run_id = ran.last["run_id"]
        done = {
            name: project.acm(name, *arguments, env=environment)
            for name, arguments in {
                "status": ["--json"],
                "list": ["--json"],
                "show": [run_id, "--json"],
                "follow": ["--plain"],
                "export": ["--to", "elsewhere"],
                "report": ["--to", "elsewhere"],
            }.items()
        }
        refused = {
            name: project.acm(name, env=environment)
            for name in ("cancel", "pause", "settle", "resume", "export")
        }
        explained = [
            project.acm("explain", *arguments, "--json", env=environment)
            for arguments in ([run_id], [path[:-3]])
        ]
        changes = ["--judges", "alpha:m1", "--criteria", "clarity"]
        rejudged = [
            project.acm("rejudge", *arguments, *changes, "--json", env=environment)
            for arguments in ([run_id], [])
        ]
        deleted = project.acm("delete", run_id, env=environment)
        gone = project.acm("show", env=environment)

    assert {name: one.code for name, one in done.items()} == dict.fromkeys(done, 0), done
    assert {name: one.code for name, one in refused.items()} == dict.fromkeys(refused, 2), refused
    assert "cannot be cancelled: it is done" in refused["cancel"].err
    assert done["status"].last["calls"]["sent"] == 13
    assert [one["id"] for one in done["list"].last["runs"]] == [run_id]
    assert done["show"].last == ran.last
    assert "13 calls" in done["follow"].out
    assert (project.folder / "elsewhere" / "reports" / run_id / "index.html").exists()
    assert [one.last["path"] for one in explained] == [path] * 2
    winner = ran.last["documents"][0]["winner"]["artifact_id"]
    assert {one.last["winner"]["artifact_id"] for one in explained} == {winner}
    assert [one.code for one in rejudged] == [0, 0], rejudged
    assert [one.last["rejudged_from"] for one in rejudged] == [run_id, run_id]
    assert [len(one.last["changes"]) for one in rejudged] == [1, 1]
    assert [one.last["calls"]["total"] > 0 for one in rejudged] == [True, False]
    assert f"run {run_id} is deleted on" in deleted.out
    assert (gone.code, "there are no runs on the server" in gone.err) == (2, True)
    assert planned.last["likely"]["calls"] == 13
    assert ran.code == 0, ran.err
    assert ran.last["state"] == "done"
    assert not (project.folder / ".acm").exists()
    for folder, ending in (("winners", ".winner.md"), ("outputs", ".md"), ("reports", ".html")):
        found = [
            path for path in (project.folder / folder).rglob("*") if path.name.endswith(ending)
        ]
        assert found, folder


def test_an_upload_that_was_cut_goes_on_where_it_stopped(
    tmp_path: Path, provider: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = {f"{name}.md": f"# {name}\n\n" + name * 400_000 for name in ("a", "b", "c")}
    config = api_server.body(provider.url, {})["config"] | {"budget_usd": 0.000001}
    sent: list[str] = []

    with api_server.running(tmp_path, dispatch=False) as server:
        client = acm_api.Client(server.url)
        send = client._bytes

        def cut_after_two(method: str, path: str, *more: Any, **options: Any) -> bytes:
            if method == "PUT":
                if len(sent) == 2:
                    raise ConnectionResetError
                sent.append(path)
            return send(method, path, *more, **options)

        monkeypatch.setattr(client, "_bytes", cut_after_two)
        with pytest.raises(ConnectionResetError):
            client.start(config, documents=documents, instructions="Write.")
        before = list(sent)
        sent.clear()
        run_id = client.start(config, documents=documents, instructions="Write.")
        listed = server.client.get(f"/runs/{run_id}/documents").json()["items"]
        text = server.client.get(f"/runs/{run_id}/documents/{listed[0]['id']}").json()["text"]
        wrong = server.client.put(f"/uploads/{'0' * 64}", content=b"text")

    assert (len(before), len(sent)) == (2, 1)
    assert {one["path"] for one in listed} == documents.keys()
    assert text == documents[listed[0]["path"]]
    assert (wrong.status_code, wrong.json()["errors"][0]["where"]) == (409, "digest")
