"""Runs over HTTP: started, followed, shown and changed, with a real engine and provider."""

import io
import json
import os
import re
import subprocess
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from acm_api.http import service
from acm_workers import submit
from acm_workers.settings import Settings
from acm_workers.store import documents, results, runs
from tests.support import api_server, intercepting_proxy, simulator
from tests.support.api_server import ApiServer
from tests.support.project import wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

_PAGE = Path(__file__).parents[3] / "ops" / "docs" / "http.md"
_UNKNOWN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with api_server.running(tmp_path_factory.mktemp("api")) as running:
        yield running


@pytest.fixture(scope="module")
def run_id(server: ApiServer, provider: Simulator) -> str:
    """Return a run of two documents that has ended."""
    body = api_server.body(provider.url, first(2), title="two texts")
    found: str = server.client.post("/runs", json=body).json()["run_id"]
    assert server.ended(found) == "done"
    return found


def items(server: ApiServer, path: str, limit: int = 3) -> list[dict[str, Any]]:
    """Return all items of a list, page by page."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = server.client.get(path, params={"limit": limit} | cursor).json()
        assert len(page["items"]) <= limit
        found += page["items"]
        if page["next"] is None:
            return found
        cursor = {"cursor": page["next"]}


def test_another_server_with_an_old_count_tells_of_a_pause_and_a_cancel_at_once(
    tmp_path: Path, provider: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_LONG_S", 0.0)  # each count takes as long as one of a huge run
    told = []
    with api_server.running(tmp_path, dispatch=False) as server:
        other = service.Service(server.database, Settings(home=tmp_path)).progress
        body = api_server.body(provider.url, first(1))
        run_id = server.client.post("/runs", json=body).json()["run_id"]
        told.append(other.of(run_id).state)
        server.client.post(f"/runs/{run_id}/pause").raise_for_status()
        told.append(other.of(run_id).state)
        server.client.post(f"/runs/{run_id}/cancel").raise_for_status()
        cancelled = other.of(run_id)
        with server.database.read() as connection:
            counted = results.progress(connection, run_id)

    assert told == ["running", "paused"]
    assert cancelled == counted


def test_a_plan_says_calls_and_cost_and_stores_nothing(
    server: ApiServer, run_id: str, provider: Simulator
) -> None:
    before = len(items(server, "/runs"))

    plan = server.client.post("/plans", json=api_server.body(provider.url, first(1))).json()

    assert plan["likely"]["calls"] == 13
    assert plan["likely"]["usd"] > 0
    assert len(items(server, "/runs")) == before


def test_a_run_has_winners_an_exact_bill_and_every_page_of_its_lists(
    server: ApiServer, run_id: str
) -> None:
    shown = server.client.get(f"/runs/{run_id}").json()
    listed = items(server, "/runs", 1)
    documents = items(server, f"/runs/{run_id}/documents", 1)
    artifacts = items(server, f"/runs/{run_id}/artifacts")
    calls = items(server, f"/runs/{run_id}/calls", 7)

    assert shown["state"] == "done"
    assert [one["state"] for one in shown["documents"]] == ["done", "done"]
    assert run_id in [one["id"] for one in listed]
    assert sorted(one["path"] for one in documents) == sorted(first(2))
    assert len(artifacts) == 6
    assert len(calls) == shown["calls"]["total"] == 26
    assert shown["usd"] == pytest.approx(sum(call["cost_usd"] for call in calls))
    for document in documents:
        about = server.client.get(f"/runs/{run_id}/documents/{document['id']}").json()
        text = server.client.get(f"/runs/{run_id}/documents/{document['id']}/winner").text
        # A combined text may rank first and yet not win: its parent may be as good.
        passed_over = [one["artifact_id"] for one in about["fusions"] if one["better"] < 0.5]
        ranked = [one["artifact_id"] for one in about["standings"]]
        best = next(one for one in ranked if one not in passed_over)
        winner = server.client.get(f"/runs/{run_id}/artifacts/{best}").json()
        assert about["text"] == first(2)[document["path"]]
        assert about["winner_id"] == best
        assert winner["text"] == text


def test_each_call_has_the_prompt_that_was_sent_and_the_answer_that_came(
    server: ApiServer, run_id: str
) -> None:
    calls = items(server, f"/runs/{run_id}/calls", 50)

    shown = [server.client.get(f"/runs/{run_id}/calls/{one['id']}/transcript") for one in calls]

    kinds = {one["unit_kind"] for one in calls}
    assert kinds == {"artifact", "evaluation", "comparison"}
    for call, transcript in zip(calls, shown, strict=True):
        said = transcript.json()
        assert said["answer"]
        prompt = said["messages"][-1]["content"]
        assert ("Write." in prompt) or call["unit_kind"] != "artifact"


def test_prompts_of_repairs_are_rendered_again(tmp_path: Path) -> None:
    with simulator.running(faults="C9x3") as faulty, api_server.running(tmp_path) as server:
        body = api_server.body(faulty.url, first(1))
        run_id = server.client.post("/runs", json=body).json()["run_id"]
        server.ended(run_id)
        calls = items(server, f"/runs/{run_id}/calls", 50)
        path = f"/runs/{run_id}/calls"
        said = [server.client.get(f"{path}/{one['id']}/transcript").json() for one in calls]

    assert all(one["messages"] for one in said)


def test_results_report_and_archive_are_made_from_the_store(server: ApiServer, run_id: str) -> None:
    results = server.client.get(f"/runs/{run_id}/results").json()
    report = server.client.get(f"/runs/{run_id}/report")
    archive = server.client.get(f"/runs/{run_id}/files.zip")

    with zipfile.ZipFile(io.BytesIO(archive.content)) as files:
        names = files.namelist()
        winners = {name for name in names if name.endswith(".winner.md")}
        exported = json.loads(files.read(f"reports/{run_id}/results.json"))
    assert len(results["documents"]) == len(winners) == 2
    assert exported["documents"] == results["documents"]
    assert len([name for name in names if name.startswith("outputs/")]) == 6
    assert report.headers["content-security-policy"].startswith("default-src 'none'")
    assert "two texts" in report.text


def test_a_winner_is_told_alike_from_its_document_and_from_the_whole_run(
    server: ApiServer, run_id: str
) -> None:
    with server.database.read() as connection:
        run = runs.get(connection, run_id)
        whole = results.records(connection, run_id)
        for document in documents.of_run(connection, run_id):
            alone = results.document_records(connection, run, document)
            assert submit.about_winner(alone, document) == submit.about_winner(whole, document)


def test_events_that_are_read_in_pieces_are_the_log_without_gap_or_repetition(
    server: ApiServer, run_id: str
) -> None:
    path = f"{server.client.base_url}runs/{run_id}/events"
    with server.client.stream("GET", path) as stream:
        whole = [number for number, _ in api_server.events(stream.iter_lines()) if number]
    pieces: list[int] = []
    for last in (0, *whole):
        headers = {"Last-Event-ID": str(last)} if last else {}
        with server.client.stream("GET", path, headers=headers) as stream:
            found = api_server.events(stream.iter_lines())
        after = [number for number, _ in found if number]
        pieces += after[:1]
        assert found[-1] == (None, "end")

    assert whole == sorted(set(whole)) == pieces


def test_a_followed_run_is_cancelled_and_resumed(server: ApiServer, provider: Simulator) -> None:
    with intercepting_proxy.holding(provider.url, '"m2"') as held:
        body = api_server.body(held.url, first(1), title="held")
        started = server.client.post("/runs", json=body)
        run_id = started.json()["run_id"]
        wait_until(lambda: server.client.get(f"/runs/{run_id}/calls").json()["items"])
        cancelled = server.client.post(f"/runs/{run_id}/cancel")
        held.open()
        state = server.ended(run_id)
        again = server.client.post(f"/runs/{run_id}/cancel")
        resumed = server.client.post(f"/runs/{run_id}/resume")
        done = server.ended(run_id)

    assert started.headers["location"] == f"/api/v1/runs/{run_id}"
    assert (cancelled.status_code, cancelled.json()["cancel_requested"]) == (202, True)
    assert state == "cancelled"
    assert (again.status_code, again.json()["kind"]) == (409, "conflict")
    assert resumed.json()["units"] > 0
    assert done == "done"


def test_of_many_equal_requests_one_starts_a_run(tmp_path: Path, provider: Simulator) -> None:
    body = api_server.body(provider.url, first(1), config={"skip": "never"})
    headers = {"Idempotency-Key": "once"}

    with api_server.running(tmp_path, dispatch=False) as server:
        with ThreadPoolExecutor(25) as threads:
            ask = [
                threads.submit(server.client.post, "/runs", json=body, headers=headers)
                for _ in range(100)
            ]
            answers = [one.result() for one in ask]
        other = server.client.post("/runs", json=body | {"title": "x"}, headers=headers)
    with api_server.running(tmp_path) as server:  # that was ended before it began
        (run,) = items(server, "/runs")
        state = server.ended(run["id"])
        later = server.client.post("/runs", json=body, headers=headers)
        paid = server.client.get(f"/runs/{run['id']}").json()["calls"]["total"]
        found = items(server, "/runs")

    assert {answer.status_code for answer in answers} == {201}
    assert {answer.json()["run_id"] for answer in [*answers, later]} == {run["id"]}
    assert (other.status_code, other.json()["kind"]) == (409, "conflict")
    assert state == "done"
    assert paid == 13
    assert len(found) == 1


@pytest.mark.parametrize(
    ("method", "path", "given", "status"),
    [
        ("GET", f"/runs/{_UNKNOWN}", {}, 404),
        ("GET", "/nothing", {}, 404),
        ("PUT", "/runs", {}, 405),
        ("POST", "/runs", {"json": {}}, 422),
        ("POST", "/runs", {"content": b"{"}, 422),
        ("GET", "/runs?limit=0", {}, 422),
        ("GET", "/runs", {"headers": {"Host": "evil.example"}}, 403),
        ("GET", "/runs", {"headers": {"Origin": "http://evil.example"}}, 403),
        ("POST", "/runs", {"content": b" " * (33 * 2**20)}, 413),
    ],
)
def test_errors_are_problems(
    server: ApiServer, method: str, path: str, given: dict[str, Any], status: int
) -> None:
    answer = server.client.request(method, path, **given)

    problem = answer.json()
    assert answer.status_code == problem["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["type"] == f"urn:acm:problem:{problem['kind']}"


def test_the_examples_of_the_page_run_in_order(
    server: ApiServer, provider: Simulator, tmp_path: Path
) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", _PAGE.read_text("utf-8"), re.DOTALL)
    environment = os.environ | {"SIMULATOR": provider.url, "ACM": server.url, "no_proxy": "*"}

    ran = subprocess.run(
        ["bash", "-euc", "\n".join(blocks)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    assert "event: run_finished" in ran.stdout
    assert "<h1>" in (tmp_path / "report.html").read_text("utf-8")


def test_all_faults_of_a_config_are_told_with_their_keys(server: ApiServer) -> None:
    body = api_server.body("http://127.0.0.1:9/v1", {"../a.md": "text"})
    named = server.client.post("/plans", json=body)
    body = api_server.body("http://127.0.0.1:9/v1", first(1), config={"rnus": 1, "seed": "x"})
    wrong = server.client.post("/plans", json=body)

    assert (named.status_code, wrong.status_code) == (400, 400)
    where = {one["where"] for one in wrong.json()["errors"]}
    assert where == {"config (rnus)", "config (seed)"}
