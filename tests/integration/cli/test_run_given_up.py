"""A judge or writer that fails the same way again and again is paused, and the run says so."""

from pathlib import Path
from typing import Any

from tests.support import cluster, configs, redis_server, simulator
from tests.support.project import Project
from tests.support.texts import first

_TRIED = "select count(distinct unit_id) from calls where model = 'j@500'"
_NOT_TRIED = "select count(*) from eval_results where error_kind = 'given_up'"
_GIVE_UP_AFTER, _IN_FLIGHT = 3, 2


def _config(url: str, **changes: Any) -> dict[str, Any]:
    """Return a config of 40 evaluations by a judge that always fails, and 4 by a sound one."""
    provider = configs.provider(url, "m1", "m2", "j1", max_in_flight=_IN_FLIGHT)
    config = configs.base(
        {"alpha": provider},
        judges=[configs.judge(), configs.judge("j@500", iterations=10)],
        pairwise={"enabled": False},
        playoffs={"enabled": False},
        **changes,
    )
    config["retries"] |= {"attempts": 1, "give_up_after": _GIVE_UP_AFTER}
    return config


def test_a_dead_judge_is_paused_and_named_and_the_others_decide(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.02) as provider:
        project = Project(tmp_path, _config(provider.url), first(2))
        outcome = project.acm("run", "--json")
        shown, status = project.acm("show"), project.acm("status")
        tried = project.number(_TRIED)
        not_tried = project.number(_NOT_TRIED)

    assert outcome.code == 3, outcome.err
    assert outcome.last["state"] == "partial"
    assert {document["state"] for document in outcome.last["documents"]} == {"done"}
    assert [paused["name"] for paused in outcome.last["paused"]] == ["alpha:j@500"]
    # Those under way when it was paused, and those whose threads had their requests ready.
    assert _GIVE_UP_AFTER <= tried < 40
    assert tried + not_tried == 40
    assert [cause["units"] for cause in outcome.last["failures"]] == [{"evaluation": tried}]
    for told in (shown.out, status.out):
        assert "judge alpha:j@500 is paused after 3 failures in a row: HTTP 500" in told
        assert "`acm resume` tries again" in told
        assert "OutOfAttempts" not in told
    log = (project.folder / ".acm" / "acm.log").read_text()
    assert log.count('"event": "units failed"') == 1


def test_resume_and_the_same_command_try_a_paused_judge_again(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.02) as provider:
        project = Project(tmp_path, _config(provider.url), first(2))
        paused = project.acm("run", "--json")
        tried = project.number(_TRIED)
        resumed = project.acm("resume", "--json")
        again = project.acm("run", "--json")

    assert (paused.code, resumed.code, again.code) == (3, 3, 3), resumed.err + again.err
    assert paused.last["run_id"] == resumed.last["run_id"] == again.last["run_id"]
    assert resumed.last["calls"]["failed"] >= tried + _GIVE_UP_AFTER


def test_a_dead_writer_is_paused_and_the_others_write(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.02) as provider:
        runs = configs.runs(alpha=["m1", "m@500"])
        runs[1]["iterations"] = 12
        config = _config(provider.url, runs=runs) | {"judges": [configs.judge()]}
        project = Project(tmp_path, config, first(1))
        outcome = project.acm("run", "--plain")

    assert outcome.code == 3
    assert "writer alpha:m@500 (entry 2 of runs) is paused after 3 failures in a row" in outcome.out


def test_null_never_gives_up(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.02) as provider:
        config = _config(provider.url)
        config["retries"]["give_up_after"] = None
        project = Project(tmp_path, config, first(2))
        outcome = project.acm("run", "--json")

    assert (outcome.code, outcome.last["paused"]) == (0, [])
    assert project.number(_TRIED) == 40


def test_workers_share_that_a_judge_is_paused(postgres: str, tmp_path: Path) -> None:
    with (
        simulator.running(latency_s=0.1) as provider,
        redis_server.own() as server,
        cluster.on(server.url, postgres, tmp_path, "acm_given_up") as machines,
    ):
        config = _config(provider.url)
        config["judges"][1]["iterations"] = 40
        project = Project(tmp_path / "project", config, first(2))
        machines.start("control", threads=2)
        machines.start("generate.alpha", "judge.alpha", threads=2)
        machines.start("generate.alpha", "judge.alpha", threads=2)
        machines.ready(3)
        outcome = machines.acm(project, "run", "--json")
        tried, not_tried = machines.number(_TRIED), machines.number(_NOT_TRIED)

    assert outcome.code == 3, outcome.err + machines.logs()
    assert [paused["name"] for paused in outcome.last["paused"]] == ["alpha:j@500"]
    # The other process learns of it a moment later.
    assert _GIVE_UP_AFTER <= tried < 160
    assert tried + not_tried == 160
