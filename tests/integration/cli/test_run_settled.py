"""Settling a run: documents get the winners they can have, and nothing more is paid."""

import json
from pathlib import Path

from tests.support import configs, intercepting_proxy, simulator
from tests.support.project import Project, wait_until
from tests.support.texts import first

_SCORED = "select count(*) from eval_results where state = 'done'"


def test_a_run_under_way_is_decided_with_what_it_has_and_completed_later(tmp_path: Path) -> None:
    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.holding(provider.url, "The two candidates") as held,
    ):
        project = Project(tmp_path, configs.small(held.url), first(1))
        with project.started("run", "--json") as command:
            wait_until(lambda: command.ended or project.number(_SCORED) == 2)
            wait_until(lambda: command.ended or project.number(_IN_FLIGHT))
            with project.started("settle", "--json") as settle:
                wait_until(lambda: settle.ended or project.number(_SETTLED))
                held.open()
                settled, ran = settle.end(), command.end()
        sent = provider.stats()["requests"]
        known = json.loads(next((tmp_path / "winners").rglob("*.json")).read_bytes())
        shown = project.acm("show")
        refused = project.acm("settle")
        resumed = project.acm("resume", "--failed", "--json")
        counted = provider.stats()

    (document,) = settled.last["documents"]
    assert (settled.code, ran.code) == (0, 0), settled.err
    assert (document["state"], document["settled"]) == ("done", True)
    assert document["reason"].startswith("Settled early")
    assert 0 < document["winner"]["p_best"] < 1
    assert settled.last["calls"]["total"] == sent < 13
    assert settled.last["calls"]["uncertain"] == 0
    assert known["settled_early"] is True
    assert "settled" in shown.out
    assert (refused.code, "there is nothing to settle" in refused.err) == (2, True)
    assert resumed.code == 0, resumed.err
    assert resumed.last["documents"][0]["settled"] is False
    assert (counted["requests"], counted["answered_twice"]) == (13, 0)


def test_a_run_that_its_budget_paused_is_settled_and_the_same_work_does_the_rest(
    tmp_path: Path,
) -> None:
    with simulator.running(latency_s=0.02) as provider:
        project = Project(tmp_path, configs.small(provider.url), first(3))
        project.acm("run", "--budget", "0.12")
        before = provider.stats()["requests"]
        settled = project.acm("settle", "--json")
        after = provider.stats()["requests"]
        rest = project.acm("run", "--json")

    # Documents begin one after another under a budget that is short, so one of them is finished.
    whole = [one for one in settled.last["documents"] if not one["settled"]]
    assert {one["state"] for one in whole} == {"done"}
    assert len(whole) < 3
    states = {one["state"] for one in settled.last["documents"]}
    assert after == before
    assert settled.last["reason"].startswith("settled early")
    assert states <= {"done", "partial", "failed"}
    assert (settled.code == 0) == (states == {"done"})
    assert rest.code == 0, rest.err
    assert {one["state"] for one in rest.last["documents"]} <= {"done", "skipped"}
    assert not any(one["settled"] for one in rest.last["documents"])


_IN_FLIGHT = "select count(*) from calls where state = 'started'"
_SETTLED = "select count(*) from runs where settled"
