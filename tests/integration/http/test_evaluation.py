"""The evaluation routes of seed 003 §18: each answers with its documented fields."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from acm_workers import runtime
from acm_workers.store import calls, pending_calls
from tests.support import api_server, intercepting_proxy, simulator, stored
from tests.support.api_server import ApiServer
from tests.support.project import wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

_JUDGES = [{"provider": "alpha", "model": "j1"}, {"provider": "alpha", "model": "m2"}]


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
    """Return a run of one document that has ended."""
    body = api_server.body(provider.url, first(1))
    found: str = server.client.post("/runs", json=body).json()["run_id"]
    assert server.ended(found) == "done"
    return found


@pytest.fixture(scope="module")
def artifacts(server: ApiServer, run_id: str) -> list[str]:
    """Return the ids of its artifacts."""
    page = server.client.get(f"/runs/{run_id}/artifacts").json()
    return [one["id"] for one in page["items"]]


@pytest.fixture(scope="module")
def started(
    server: ApiServer, run_id: str, artifacts: list[str], provider: Simulator
) -> dict[str, Any]:
    """Return the answer to an evaluation of two artifacts, which has ended."""
    before = provider.stats()["by_model"].get("m1", 0)
    body = {
        "mode": "full",
        "config": {"judges": _JUDGES, "iterations": 2, "pairwise": True, "top_n": 1},
        "artifacts": artifacts[:2],
    }
    answer = server.client.post(f"/runs/{run_id}/evaluate", json=body)
    assert answer.status_code == 202
    assert server.ended(answer.json()["eval_task_id"]) == "done"
    assert provider.stats()["by_model"].get("m1", 0) == before  # no text was written
    found: dict[str, Any] = answer.json()
    return found


def test_the_start_is_accepted_with_task_and_number_of_artifacts(started: dict[str, Any]) -> None:
    assert started.keys() == {
        "eval_task_id", "status", "artifacts_count", "estimated_duration_seconds", "message",
    }  # fmt: skip
    assert started["status"] == "pending"
    assert started["artifacts_count"] == 2
    assert started["estimated_duration_seconds"] >= 1
    assert started["message"] == "Evaluation started"


def test_the_status_has_phase_progress_and_times(
    server: ApiServer, run_id: str, started: dict[str, Any]
) -> None:
    status = server.client.get(f"/runs/{run_id}/evaluate/status").json()

    assert status.keys() == {
        "eval_task_id", "status", "phase", "progress", "started_at", "estimated_completion",
    }  # fmt: skip
    assert status["eval_task_id"] == started["eval_task_id"]
    assert status["status"] == "completed"
    progress = status["progress"]
    assert progress["single_doc_complete"] is True
    assert progress["artifacts_evaluated"] == 2
    assert progress["pairs_total"] == progress["pairs_compared"] > 0
    assert progress["percent"] == 100
    assert datetime.fromisoformat(status["started_at"]) < datetime.fromisoformat(
        status["estimated_completion"]
    )


def test_the_results_rank_the_artifacts_by_their_own_ids(
    server: ApiServer, run_id: str, artifacts: list[str], started: dict[str, Any]
) -> None:
    results = server.client.get(f"/runs/{run_id}/evaluate/results").json()

    assert {"run_id", "status", "rankings", "summary", "completed_at"} <= results.keys()
    assert (results["run_id"], results["status"]) == (run_id, "completed")
    assert results["eval_task_id"] == started["eval_task_id"]
    assert {one["artifact_id"] for one in results["rankings"]} == set(artifacts[:2])
    best = results["rankings"][0]
    assert best["rank"] == 1
    assert {"generator", "model", "overall_score", "elo_rating"} <= best.keys()
    assert best["criteria_scores"].keys() >= {"accuracy", "completeness", "clarity"}
    summary = results["summary"]
    assert summary["artifacts_evaluated"] == summary["judges_used"] == 2
    assert summary["iterations_per_judge"] == 2
    assert summary["pairwise_comparisons"] > 0
    assert summary["top_score"] == max(one["overall_score"] for one in results["rankings"])
    assert summary["mean_score"] <= summary["top_score"]
    assert summary["score_std_dev"] >= 0


@pytest.mark.usefixtures("started")
def test_the_results_include_what_was_asked_for(server: ApiServer, run_id: str) -> None:
    path = f"/runs/{run_id}/evaluate/results"
    every = server.client.get(path, params={"include": "all"}).json()
    scores = server.client.get(path, params={"include": "scores"}).json()
    two = server.client.get(path, params={"include": ["rankings", "comparisons"]}).json()
    usual = server.client.get(path).json()
    unknown = server.client.get(path, params={"include": ["scores", "prices"]})
    summary = server.client.get(path, params={"format": "summary"}).json()

    assert len(every["scores"]) == 2 * 2 * 2
    assert every["rankings"]
    assert every["comparisons"][0]["winner"] in {"a", "b", "tie"}
    assert (scores["rankings"], scores["comparisons"]) == (None, None)
    assert scores["scores"] == every["scores"]
    assert two == every | {"scores": None}
    assert usual == every | {"scores": None, "comparisons": None}
    assert (unknown.status_code, unknown.json()["kind"]) == (422, "request_error")
    assert [summary[name] for name in ("rankings", "scores", "comparisons")] == [None] * 3
    assert summary["summary"] == every["summary"]


def test_the_reports_have_stable_ids_and_are_rendered(
    server: ApiServer, run_id: str, started: dict[str, Any]
) -> None:
    reports = server.client.get(f"/runs/{run_id}/reports").json()["reports"]
    again = server.client.get(f"/runs/{run_id}/reports").json()["reports"]
    page = server.client.get(f"/runs/{run_id}/reports/{reports[-1]['report_id']}")

    assert reports == again
    assert [one["report_id"] for one in reports] == [run_id, started["eval_task_id"]]
    assert reports[0].keys() == {"report_id", "type", "format", "storage_path", "created_at"}
    assert (reports[0]["type"], reports[0]["format"]) == ("eval", "html")
    assert reports[0]["storage_path"] == f"runs/{run_id}/reports/eval_report.html"
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>" in page.text


def test_the_status_of_a_running_evaluation_counts_what_has_ended_and_estimates_the_end(
    server: ApiServer, provider: Simulator
) -> None:
    with intercepting_proxy.holding(provider.url, '"j1"') as held:
        body = api_server.body(held.url, first(1), title="run", config={"judges": [_JUDGES[1]]})
        run_id = server.client.post("/runs", json=body).json()["run_id"]
        server.ended(run_id)
        ask = {"config": {"judges": _JUDGES[:1], "iterations": 2}}
        begun = server.client.post(f"/runs/{run_id}/evaluate", json=ask).json()
        task, number = begun["eval_task_id"], begun["artifacts_count"]

        def status(compared: int) -> dict[str, Any]:
            found: dict[str, Any] = server.client.get(f"/runs/{run_id}/evaluate/status").json()
            right = found["status"] == "running" and found["progress"]["pairs_compared"] == compared
            return found if right else {}

        at_first = wait_until(lambda: status(0))
        held.let_pass(2 * number + 1)  # all scores, and one comparison
        wait_until(lambda: status(1))
        before = runtime.utc_now()
        later = status(1)
        after = runtime.utc_now()
        expected = server.client.get(f"/runs/{task}/status").json()["expected"]["calls"]
        held.open()
        assert server.ended(task) == "done"

    for found in (at_first, later):
        assert found.keys() == {
            "eval_task_id", "status", "phase", "progress", "started_at", "estimated_completion",
        }  # fmt: skip
        assert found["eval_task_id"] == task
    assert (at_first["phase"], later["phase"]) == ("single_doc", "pairwise")
    assert at_first["progress"] == {
        "single_doc_complete": False,
        "artifacts_evaluated": 0,
        "pairs_total": 0,
        "pairs_compared": 0,
        "percent": 0,
    }
    percent, pairs = later["progress"]["percent"], later["progress"]["pairs_total"]
    units = 3 * number + pairs  # texts, two scores of each, and comparisons
    assert later["progress"] == {
        "single_doc_complete": True,
        "artifacts_evaluated": number,
        "pairs_total": pairs,
        "pairs_compared": 1,
        "percent": round(100 * (2 * number + 1) / max(expected, units)),
    }
    assert pairs >= 1
    assert 0 < percent < 100
    started, planned, ends = (
        datetime.fromisoformat(text)
        for text in (
            later["started_at"],
            at_first["estimated_completion"],
            later["estimated_completion"],
        )
    )
    assert planned == started + timedelta(seconds=begun["estimated_duration_seconds"])
    earliest, latest = (
        now + (now - started) * (100 - percent) / percent for now in (before, after)
    )
    assert earliest <= ends <= latest


def test_an_evaluation_is_cancelled_and_the_next_request_goes_on_with_it(
    server: ApiServer, provider: Simulator
) -> None:
    with intercepting_proxy.holding(provider.url, '"j1"') as held:
        body = api_server.body(held.url, first(1), title="held", config={"judges": [_JUDGES[1]]})
        run_id = server.client.post("/runs", json=body).json()["run_id"]
        server.ended(run_id)
        ask = {"mode": "single_doc", "config": {"judges": _JUDGES[:1], "iterations": 10}}
        task = server.client.post(f"/runs/{run_id}/evaluate", json=ask).json()["eval_task_id"]
        wait_until(lambda: server.client.get(f"/runs/{task}/calls").json()["items"])
        running = server.client.get(f"/runs/{run_id}/evaluate/status").json()
        cancelled = server.client.post(f"/runs/{run_id}/evaluate/cancel")
        held.open()
        state = server.ended(task)
        again = server.client.post(f"/runs/{run_id}/evaluate", json=ask).json()
        done = server.ended(task)

    assert running["status"] == "running"
    assert running["phase"] == "single_doc"
    assert cancelled.json() == {
        "eval_task_id": task,
        "status": "cancelling",
        "message": "Cancellation requested, saving partial results",
    }
    assert state == "cancelled"
    assert again["eval_task_id"] == task
    assert done == "done"


def test_a_run_without_an_evaluation_of_its_own_reports_its_own_judging(
    server: ApiServer, provider: Simulator
) -> None:
    body = api_server.body(provider.url, first(1), title="own", config={"seed": 5})
    run_id = server.client.post("/runs", json=body).json()["run_id"]
    server.ended(run_id)

    status = server.client.get(f"/runs/{run_id}/evaluate/status").json()
    refused = server.client.post(
        f"/runs/{run_id}/evaluate", json={"artifacts": ["01ARZ3NDEKTSV4RRFFQ69G5FAV"]}
    )

    assert status["eval_task_id"] == run_id
    assert status["status"] == "completed"
    assert refused.status_code == 404


def test_cancelling_an_evaluation_that_no_process_works_on_cancels_its_answers_at_the_provider(
    server: ApiServer, provider: Simulator
) -> None:
    asked = {"model": "m1", "input": "Judge.", "background": True}
    submitted = httpx.post(f"{provider.url}/responses", json=asked, trust_env=False).json()
    config = stored.config(providers={"alpha": {"dialect": "openai", "base_url": provider.url}})
    with server.database.write() as connection:
        run = stored.decided(connection, "A text.")
        task = stored.run(connection, rejudged_from=run.id, key="again", config=config)
        text, *_ = stored.candidates(connection, stored.document(connection, task))
        call = stored.call(text, started_at=runtime.utc_now())
        calls.start(connection, call)
        pending_calls.mark_submitted(connection, call.id, submitted["id"])
    before = provider.stats()["background"]["cancels"]

    answer = server.client.post(f"/runs/{run.id}/evaluate/cancel")

    assert (answer.status_code, answer.json()["eval_task_id"]) == (200, task.id)
    assert provider.stats()["background"]["cancels"] == before + 1
    with server.database.read() as connection:
        assert calls.in_run(connection, task.id, call.id).state != "started"
