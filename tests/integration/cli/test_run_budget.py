"""Runs with a budget."""

from pathlib import Path
from typing import Any

from tests.support import configs, simulator
from tests.support.project import Project
from tests.support.texts import first

_SPENT = "select sum(cost_usd) from calls"
_OPEN = "select count(*) from calls where state = 'started'"
_STATES = "select distinct state from eval_results order by state"


def _wide(url: str, **changes: Any) -> dict[str, Any]:
    """Return a config of 201 calls a document, 64 of them at one time: 3 texts and 198 scores."""
    alpha = configs.provider(url, "m1", "j1", max_in_flight=64)
    runs = [{**configs.runs(alpha=["m1"])[0], "iterations": 3, "max_tokens": 2000}]
    judges = [configs.judge(iterations=66, max_tokens=400)]
    off: dict[str, Any] = {"pairwise": {"enabled": False}, "playoffs": {"enabled": False}}
    return configs.base({"alpha": alpha}, runs=runs, judges=judges, **off) | changes


def test_a_run_is_paused_before_its_budget_is_passed_and_goes_on_with_a_higher_one(
    tmp_path: Path,
) -> None:
    with simulator.running(latency_s=0.05) as provider:
        whole = Project(tmp_path / "whole", _wide(provider.url), first(1)).acm("run", "--json")
        budget = whole.last["usd"] * 120 / 201
        project = Project(tmp_path / "some", _wide(provider.url, budget_usd=budget), first(1))
        project.write("instructions.md", "Write it anew, for children.")
        paused = project.acm("run", "--json")
        spent, states = project.rows(_SPENT)[0][0], project.rows(_STATES)
        status = project.acm("status")
        again, low = project.acm("resume", "--json"), project.acm("resume", "--budget", "0.001")
        still = project.rows(_SPENT)[0][0]
        resumed = project.acm("resume", "--budget", "100", "--json")
        counted = provider.stats()

    assert (whole.code, paused.code, again.code, resumed.code) == (0, 4, 4, 0), resumed.err
    assert 0.85 * budget < spent <= still <= budget
    assert states == [("done",), ("planned",)]
    assert paused.last["state"] == "paused"
    assert "does not allow the next call" in paused.last["reason"]
    assert "acm resume --budget USD" in paused.last["reason"]
    assert paused.last["reason"] in status.out
    assert low.code == 2
    assert "its budget has to be above that" in low.err
    assert (resumed.last["state"], resumed.last["calls"]["total"]) == ("done", 201)
    assert resumed.last["calls"]["cached"] == 0
    assert project.number(_OPEN) == 0
    assert counted["answered_twice"] == 0
    assert counted["by_status"] == {"200": 402}


def test_the_same_command_with_a_higher_budget_goes_on(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.02) as provider:
        config = configs.small(provider.url)
        project = Project(tmp_path, config | {"budget_usd": 0.03}, first(1))
        paused = project.acm("run", "--plain")
        project.configure(config | {"budget_usd": 3})
        resumed = project.acm("run", "--json")
        counted = provider.stats()

    assert (paused.code, resumed.code) == (4, 0), resumed.err
    assert "paused: the budget of $0.0300 does not allow the next call" in paused.out
    assert "resuming run" in resumed.err
    assert resumed.last["calls"]["total"] == counted["requests"] == 13
    assert counted["answered_twice"] == 0


def test_a_budget_without_prices_is_refused_before_anything_is_paid(tmp_path: Path) -> None:
    with simulator.running() as provider:
        config = configs.small(provider.url, budget_usd=5)
        config["providers"]["alpha"]["prices"] = {"j1": configs.PRICE}
        project = Project(tmp_path, config, first(1))
        refused = [project.acm(command) for command in ("plan", "run")]
        requests = provider.stats()["requests"]

    assert [outcome.code for outcome in refused] == [2, 2]
    assert "none is known of alpha:m1, alpha:m2" in refused[1].err
    assert refused[0].err == refused[1].err
    assert requests == 0


def test_unanswered_calls_count_at_their_worst_against_the_budget(tmp_path: Path) -> None:
    # A provider that gets a request, says nothing, and hangs up.
    with simulator.running(latency_s=0.02, stall_s=0.1) as provider:
        providers = {
            "alpha": configs.provider(provider.url, "m2", "j1"),
            "silent": configs.provider(provider.url, "m1@T3*"),
        }
        runs = [one | {"max_tokens": 2000} for one in configs.runs(silent=["m1@T3*"], alpha=["m2"])]
        config = configs.base(providers, runs=runs, retries={"attempts": 1}, budget_usd=1)
        outcome = Project(tmp_path, config, first(1)).acm("run", "--json")

    assert outcome.code == 0, outcome.err
    assert outcome.last["calls"]["uncertain"] == 1
    assert outcome.last["calls"]["failed"] == 0
