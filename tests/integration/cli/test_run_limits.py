"""Providers that limit requests, refuse some for a while, or break now and then."""

from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.support import configs, intercepting_proxy, simulator
from tests.support.intercepting_proxy import Reply
from tests.support.project import Project
from tests.support.texts import first

_MINUTE_S = 60.0


def test_a_run_keeps_to_the_requests_a_minute_that_its_config_allows(tmp_path: Path) -> None:
    per_minute = 290
    with simulator.running(latency_s=0.02, rpm=300) as provider:
        alpha = configs.provider(provider.url, "m1", "m2", "j1", requests_per_minute=per_minute)
        project = Project(tmp_path, configs.base({"alpha": alpha}), first(1))
        outcome = project.acm("run", "--json")
        counted = provider.stats()

    rows = project.rows("select started_at from calls order by started_at")
    starts = [datetime.fromisoformat(row[0]) for row in rows]
    took_s = (starts[-1] - starts[0]).total_seconds()
    assert outcome.code == 0, outcome.err
    assert counted["by_status"] == {"200": 13}
    assert took_s > 0.9 * 12 * _MINUTE_S / per_minute


def test_refusals_and_breaks_that_pass_cost_time_and_no_unit(tmp_path: Path) -> None:
    changes: dict[str, Any] = {
        "retries": {"attempts": 20, "base_delay_seconds": 0.02, "max_delay_seconds": 0.1}
    }
    with simulator.running(latency_s=0.02, fault_rate=0.5) as provider:
        project = Project(tmp_path, configs.small(provider.url, **changes), first(3))
        outcome = project.acm("run", "--json")
        counted = provider.stats()

    answered = counted["by_status"].pop("200")
    assert outcome.code == 0, outcome.err
    assert {document["missing"] for document in outcome.last["documents"]} == {0}
    assert counted["by_status"]["429"] > 0
    assert counted["answered_twice"] == 0
    assert answered == 39
    # Whether a request was paid whose connection broke, nobody knows.
    assert outcome.last["calls"]["uncertain"] == counted["by_status"].pop("reset")
    assert outcome.last["calls"]["failed"] == sum(counted["by_status"].values())
    assert outcome.last["calls"]["total"] == counted["requests"]


def test_a_temperature_that_a_model_refuses_is_sent_to_it_once(tmp_path: Path) -> None:
    error = {"message": "Unsupported value.", "code": "unsupported_value", "param": "temperature"}
    refusal = Reply(400, {"error": error})

    def answer(body: bytes) -> Reply | None:
        return refusal if b'"temperature"' in body else None

    with (
        simulator.running(latency_s=0.02) as provider,
        intercepting_proxy.intercepting(provider.url, answer) as url,
    ):
        alpha = configs.provider(url, "m1", "m2", "j1", max_in_flight=1)
        judges = [configs.judge(temperature=0.2)]
        project = Project(tmp_path, configs.base({"alpha": alpha}, judges=judges), first(1))
        outcome = project.acm("run", "--json")
        refused = project.rows("select model, error_kind from calls where state = 'failed'")

    assert outcome.code == 0, outcome.err
    assert refused == [("j1", "parameter_refused")]
    assert outcome.last["calls"] == {"total": 14, "failed": 1, "cached": 0, "uncertain": 0}
    assert {document["missing"] for document in outcome.last["documents"]} == {0}


def test_requests_that_wait_while_a_temperature_is_refused_are_sent_without_it(
    tmp_path: Path,
) -> None:
    refusal = Reply(400, {"error": {"message": "No.", "code": "unsupported_value",
                                    "param": "temperature"}})  # fmt: skip

    def answer(body: bytes) -> Reply | None:
        return refusal if b'"temperature"' in body else None

    with (
        simulator.running(latency_s=0.1) as provider,
        intercepting_proxy.intercepting(provider.url, answer) as url,
    ):
        alpha = configs.provider(url, "m1", "j1", max_in_flight=1)
        changes: dict[str, Any] = {
            "runs": configs.runs(alpha=["m1"]),
            "judges": [configs.judge(temperature=0.2, iterations=6)],
            "pairwise": {"enabled": False},
        }
        project = Project(tmp_path, configs.base({"alpha": alpha}, **changes), first(3))
        outcome = project.acm("run", "--json")
        refused = project.rows("select model, error_kind from calls where state = 'failed'")

    assert outcome.code == 0, outcome.err
    assert refused == [("j1", "parameter_refused")]


def test_nobody_is_told_that_requests_wait_until_others_are_answered(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.2) as provider:
        alpha = configs.provider(provider.url, "m1", "j1", max_in_flight=2)
        changes: dict[str, Any] = {
            "runs": configs.runs(alpha=["m1"]),
            "judges": [configs.judge(iterations=15)],
            "pairwise": {"enabled": False},
        }
        project = Project(tmp_path, configs.base({"alpha": alpha}, **changes), first(1))
        with project.started("run") as command:
            waits = []
            while not command.ended:
                waits += project.rows("select reason, units from waits")
            outcome = command.end()

    assert outcome.code == 0, outcome.err
    assert waits == []


def test_a_model_keeps_to_limits_of_its_own(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.1) as provider:
        alpha = configs.provider(provider.url, "m1", "j1", models={"j1": {"max_in_flight": 1}})
        runs = [one | {"iterations": 3} for one in configs.runs(alpha=["m1"])]
        changes: dict[str, Any] = {"runs": runs, "pairwise": {"enabled": False}}
        project = Project(tmp_path, configs.base({"alpha": alpha}, **changes), first(2))
        outcome = project.acm("run", "--json")

    spans = project.rows("select started_at, ended_at from calls where model = 'j1' order by 1")
    assert outcome.code == 0, outcome.err
    assert len(spans) == 2 * (3 + 2)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
