"""Deleting runs over HTTP, and the retention time of a server."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

import acm_api
from acm_api.http.retention import Retention
from acm_workers import runtime
from acm_workers.store import uploads
from acm_workers.store.account_tables import UploadRow
from schemas.scope import LOCAL
from tests.support import api_server, intercepting_proxy, simulator, stored
from tests.support.project import Outcome, Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as running:
        yield running


def test_a_deleted_run_shows_its_bill_and_no_text_on_any_route(
    tmp_path: Path, provider: Simulator
) -> None:
    with (
        api_server.running(tmp_path) as server,
        intercepting_proxy.holding(provider.url) as held,
    ):
        body = api_server.body(held.url, first(1))
        run_id = server.client.post("/runs", json=body).json()["run_id"]
        during = server.client.delete(f"/runs/{run_id}")
        held.open()
        server.ended(run_id)
        before = server.client.get(f"/runs/{run_id}").json()
        call = server.client.get(f"/runs/{run_id}/calls").json()["items"][0]
        kept = Retention(server.database, 1).delete_due()

        deleted = acm_api.Client(server.url).delete(run_id)
        again = server.client.delete(f"/runs/{run_id}")

        after = server.client.get(f"/runs/{run_id}").json()
        gone = [
            server.client.get(f"/runs/{run_id}/{path}").status_code
            for path in ("results", "ranking", "report", "files.zip")
        ]
        lists = {
            path: server.client.get(f"/runs/{run_id}/{path}").json()["items"]
            for path in ("documents", "artifacts", "calls")
        }
        document = server.client.get(f"/runs/{run_id}/documents/{lists['documents'][0]['id']}")
        transcript = server.client.get(f"/runs/{run_id}/calls/{call['id']}/transcript")
        resumed = server.client.post(f"/runs/{run_id}/resume")

    assert (during.status_code, during.json()["kind"]) == (409, "conflict")
    assert kept == 0
    assert deleted.state == after["state"] == "deleted"
    assert again.json()["reason"] == deleted.reason == after["reason"]
    assert (after["usd"], after["calls"]) == (before["usd"], before["calls"])
    assert gone == [404] * 4
    assert lists["artifacts"] == []
    assert all(call["usage"]["input_tokens"] for call in lists["calls"])
    assert document.json()["text"] == ""
    assert transcript.json() == {"messages": None, "answer": None}
    assert resumed.status_code == 404


def test_a_server_deletes_what_ended_longer_ago_than_its_retention_time(
    tmp_path: Path, provider: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    with api_server.running(tmp_path) as server:
        body = api_server.body(provider.url, first(1))
        run_id = server.client.post("/runs", json=body).json()["run_id"]
        server.ended(run_id)
        now = runtime.utc_now
        early = Retention(server.database, 30).delete_due()
        monkeypatch.setattr(runtime, "utc_now", lambda: now() + timedelta(days=31))

        late = Retention(server.database, 30).delete_due()

    assert (early, late) == (0, 1)


def test_a_server_deletes_uploads_a_day_later_though_no_other_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest, now = hashlib.sha256(b"text").hexdigest(), runtime.utc_now
    with api_server.running(tmp_path, dispatch=False) as server:
        server.client.put(f"/uploads/{digest}", content=b"text").raise_for_status()

        def missing() -> list[str]:
            with server.database.read() as connection:
                return uploads.missing(connection, LOCAL, [digest], runtime.utc_now())

        def stored_texts() -> int | None:
            with server.database.read() as connection:
                return connection.scalar(select(func.count()).select_from(UploadRow))

        monkeypatch.setattr(runtime, "utc_now", lambda: now() + timedelta(hours=22))
        early = Retention(server.database, None).delete_uploads(), missing()
        monkeypatch.setattr(runtime, "utc_now", lambda: now() + timedelta(hours=23.5))
        soon = Retention(server.database, None).delete_uploads(), missing()
        there = stored_texts()
        monkeypatch.setattr(runtime, "utc_now", lambda: now() + timedelta(hours=25))
        starting = Retention(server.database, None)
        starting.start()
        wait_until(lambda: stored_texts() == 0)
        starting.stop()

    assert (early, soon, there) == ((0, []), (0, [digest]), 1)


def test_a_command_deletes_the_runs_of_a_server_that_ended_so_long_ago(
    tmp_path: Path, provider: Simulator
) -> None:
    with api_server.running(tmp_path / "server") as server:
        body = api_server.body(provider.url, first(1))
        run_id = server.client.post("/runs", json=body).json()["run_id"]
        server.ended(run_id)
        project = Project(tmp_path / "mine", {}, {})

        def delete(*options: str) -> Outcome:
            return project.acm("delete", *options, env={"ACM_API_URL": server.url})

        young = delete("--older-than", "30d", "--yes")
        stored.end_run_earlier(server.database, run_id, timedelta(days=31))
        listed = delete("--older-than", "30d")
        kept = server.client.get(f"/runs/{run_id}").json()["state"]
        deleted = delete("--older-than", "30d", "--yes", "--json")
        state = server.client.get(f"/runs/{run_id}").json()["state"]

    assert (young.code, young.err) == (0, "no run is that old\n")
    assert (listed.code, listed.out.split(), kept) == (2, [run_id], "done")
    assert listed.err == "acm: --yes deletes the texts of this run\n"
    assert (deleted.code, deleted.last["run_id"], state) == (0, run_id, "deleted"), deleted.err


def test_a_text_that_is_sent_again_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 6)
    texts = [b"text", b"text", b"more"]
    with api_server.running(tmp_path, dispatch=False) as server:
        answers = [
            server.client.put(f"/uploads/{hashlib.sha256(text).hexdigest()}", content=text)
            for text in texts
        ]

    assert [answer.status_code for answer in answers] == [204, 204, 429]
