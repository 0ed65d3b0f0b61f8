"""Failing models and providers: what continues without them, and what a later run repairs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import configs, silent_port, simulator
from tests.support.project import Project
from tests.support.texts import first

_STEMS = ("bees", "bread")


def test_a_model_that_always_fails_costs_its_candidates_and_not_the_winner(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.02) as provider:
        project = _project(tmp_path, provider.url, runs=configs.runs(alpha=["m1", "m2", "m@500"]))
        outcome = project.acm("run", "--json")
        counted = provider.stats()

    assert outcome.code == 0, outcome.err
    assert outcome.last["state"] == "done"
    assert outcome.last["calls"]["failed"] == counted["by_status"]["500"] == 4
    for document in outcome.last["documents"]:
        assert (document["state"], document["missing"]) == ("done", 1)
        assert document["artifacts"] == 3
        assert "1 of its units failed" in document["reason"]
    for failure in _failures(project):
        assert (failure["model"], failure["kind"]) == ("m@500", "out_of_attempts")
        assert "HTTP 500" in failure["reason"]
        assert "after 2 failures" in failure["reason"]


def test_a_run_with_winners_and_failed_units_names_the_command_that_tries_those_again(
    tmp_path: Path,
) -> None:
    with simulator.running(latency_s=0.02) as provider:
        project = _project(tmp_path, provider.url, runs=configs.runs(alpha=["m1", "m2", "m@500"]))
        told = project.acm("run", "--plain")
        shown = project.acm("show")
        run_id = project.acm("show", "--json").last["run_id"]

    assert (told.code, shown.code) == (0, 0), told.err
    hint = f"`acm resume --failed {run_id}` tries 2 units without a result again"
    assert hint in told.out
    assert hint in shown.out


def test_a_document_without_any_candidate_fails_with_the_reason(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.02) as provider:
        project = _project(tmp_path, provider.url, runs=configs.runs(alpha=["m1@500", "m2@500"]))
        outcome = project.acm("run", "--json")
        told = project.acm("show")
        again = project.acm("resume", "--json")
        requests = provider.stats()["requests"]

    assert (outcome.code, again.code) == (3, 3)
    assert outcome.last["state"] == again.last["state"] == "failed"
    assert outcome.last["usd"] == 0
    for document in outcome.last["documents"]:
        assert (document["state"], document["winner"]) == ("failed", None)
        assert "no candidate was written" in document["reason"]
        assert "HTTP 500" in document["reason"]
        assert document["reason"] in told.out
    assert "winners:" not in told.out
    assert len(_failures(project)) == 4
    assert "4 units are tried again" in again.err
    assert requests == again.last["calls"]["total"] == 2 * 2 * 2 * len(_STEMS)
    assert project.files("winners") == set()


def test_what_failed_while_a_provider_was_down_is_mended_by_resume(tmp_path: Path) -> None:
    with silent_port.reserved() as port, simulator.running(latency_s=0.02) as up:
        with silent_port.listening(port):
            beta = configs.provider(f"http://127.0.0.1:{port}/v1", "b1", dialect="openai")
            providers = {"alpha": configs.provider(up.url, "m1", "m2", "j1"), "beta": beta}
            changes: dict[str, Any] = {"runs": configs.runs(alpha=["m1", "m2"], beta=["b1"])}
            project = Project(tmp_path, configs.base(providers, **changes), first(2))
            without = project.acm("run", "--json")
        failures = _failures(project)
        before = up.stats()
        settled = project.acm("resume", "--json")
        with simulator.running(latency_s=0.02, port=port) as back:
            mended = project.acm("resume", "--failed", "--json")
            late = back.stats()
        after = up.stats()

    assert (without.code, mended.code) == (0, 0), mended.err
    assert {document["missing"] for document in without.last["documents"]} == {1}
    assert [failure["model"] for failure in failures] == ["b1", "b1"]
    assert settled.code == 2
    assert "--failed" in settled.err
    assert {document["missing"] for document in mended.last["documents"]} == {0}
    assert {document["artifacts"] for document in mended.last["documents"]} == {4}
    assert not any(name.endswith(".failed.json") for name in project.files("outputs"))
    assert late["requests"] == 2
    assert after["answered_twice"] == before["answered_twice"] == 0


def test_a_run_whose_only_provider_was_down_wins_after_resume(tmp_path: Path) -> None:
    with silent_port.reserved() as port:
        project = _project(tmp_path, f"http://127.0.0.1:{port}/v1")
        with silent_port.listening(port):
            down = project.acm("run", "--json")
        with simulator.running(latency_s=0.02, port=port) as provider:
            outcome = project.acm("resume", "--json")
            requests = provider.stats()["requests"]

    assert down.code == 3
    assert {document["state"] for document in down.last["documents"]} == {"failed"}
    assert outcome.code == 0, outcome.err
    assert {document["state"] for document in outcome.last["documents"]} == {"done"}
    assert requests == 13 * len(_STEMS)
    assert not any(name.endswith(".failed.json") for name in project.files("outputs"))


def _project(folder: Path, url: str, **changes: Any) -> Project:
    return Project(folder, configs.small(url, **changes), first(len(_STEMS)))


def _failures(project: Project) -> list[dict[str, Any]]:
    names = [name for name in project.files("outputs") if name.endswith(".failed.json")]
    return [json.loads((project.folder / "outputs" / name).read_bytes()) for name in names]


@pytest.mark.parametrize("command", ["run", "doctor"])
def test_a_provider_that_nobody_listens_at_is_refused_before_anything_is_paid(
    tmp_path: Path, command: str
) -> None:
    with silent_port.reserved() as port, simulator.running() as up:
        silent = configs.provider(f"http://127.0.0.1:{port}/v1", "m2")
        providers = {"alpha": configs.provider(up.url, "m1", "j1"), "beta": silent}
        config = configs.base(providers, runs=configs.runs(alpha=["m1"], beta=["m2"]))
        project = Project(tmp_path, config, first(1))
        outcome = project.acm(command, "config.yaml")
        planned = project.acm("plan")
        requests = up.stats()["requests"]

    assert (outcome.code, planned.code, requests) == (2, 0, 0)
    said = outcome.err if command == "run" else outcome.out
    assert f"127.0.0.1:{port}: Connection refused" in said
    assert "beta" in said
    assert ".acm" not in project.names()
