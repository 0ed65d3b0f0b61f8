"""The same command where workers on other machines do the work: Redis, Postgres, real processes."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import cluster, configs, intercepting_proxy, redis_server, simulator
from tests.support.cluster import Cluster
from tests.support.intercepting_proxy import HoldAfter
from tests.support.project import Outcome, Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

CALLS = 13
"""What a document takes with ``configs.small``."""

_PLANNED = """select (select count(*) from artifacts where state = 'planned')
 + (select count(*) from eval_results where state = 'planned')
 + (select count(*) from pairwise_comparisons where state = 'planned')"""
_CLAIMED = _PLANNED.replace("planned", "claimed")
_DONE = "select count(*) from calls where state = 'done' and not cached"


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.3) as found:
        yield found


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster with a worker for control and one for the provider."""
    folder = tmp_path_factory.mktemp("machines")
    with redis_server.running() as redis, cluster.on(redis, postgres, folder, "acm_run") as found:
        found.start("control", threads=2)
        found.start("generate.alpha", "judge.alpha")
        found.ready(2)
        yield found


class _Whole(NamedTuple):
    project: Project
    plan: dict[str, Any]
    run: Outcome
    show: dict[str, Any]
    requests: int


@pytest.fixture(scope="module")
def whole(
    machines: Cluster, provider: Simulator, tmp_path_factory: pytest.TempPathFactory
) -> _Whole:
    folder = tmp_path_factory.mktemp("client")
    project = Project(folder / "project", configs.small(provider.url), first(2))
    plan = machines.acm(project, "plan", "--json")
    before = provider.stats()["requests"]
    run = machines.acm(project, "run", "--json")
    show = machines.acm(project, "show", "--json")
    return _Whole(project, plan.last, run, show.last, provider.stats()["requests"] - before)


def test_every_document_has_its_winner_and_files_are_at_the_client(
    whole: _Whole, machines: Cluster
) -> None:
    assert whole.run.code == 0, whole.run.err + machines.logs()
    assert [document["state"] for document in whole.run.last["documents"]] == ["done", "done"]

    assert {"bees.winner.md", "bread.winner.md"} <= whole.project.files("winners")
    assert len(whole.project.files("outputs")) == 6
    assert any(file.endswith("/index.html") for file in whole.project.files("reports"))
    assert ".acm" not in whole.project.names()


def test_plan_show_and_the_provider_count_the_same_calls(whole: _Whole) -> None:
    planned = whole.plan["likely"]["calls"]

    assert planned == whole.show["calls"]["total"] == whole.requests == 2 * CALLS


def test_the_same_command_again_pays_nothing(
    whole: _Whole, machines: Cluster, provider: Simulator
) -> None:
    before = provider.stats()["requests"]

    again = machines.acm(whole.project, "run", "--json")

    assert again.code == 0, again.err
    assert {document["state"] for document in again.last["documents"]} == {"skipped"}
    assert provider.stats()["requests"] == before


def test_a_cancelled_run_begins_nothing_more_and_is_resumed(
    machines: Cluster, provider: Simulator, tmp_path: Path
) -> None:
    holder = HoldAfter(passes=6)
    before, done_before = provider.stats()["requests"], machines.number(_DONE)
    with intercepting_proxy.intercepting(provider.url, holder) as url:
        alpha = configs.provider(url, "m1", "m2", "j1", max_in_flight=3)
        project = Project(tmp_path / "project", configs.base({"alpha": alpha}, seed=2), first(3))
        project.write("instructions.md", "Write it as nobody has, so that it is asked anew.")
        with project.started("run", "--json", env=machines.env) as command:
            wait_until(lambda: holder.held == 3)
            assert machines.acm(project, "cancel").code == 0
            # What nobody works on is cancelled with the command, also while calls are in flight.
            assert machines.number(_PLANNED) == 0
            # Those claimed that wait for their turn learn of it soon; calls in flight end.
            wait_until(lambda: machines.number(_CLAIMED) == 3)
            holder.open()
            run = command.end()

        assert (run.code, run.last["state"]) == (130, "cancelled"), run.err
        assert machines.number(_DONE) - done_before == 6 + 3
        assert provider.stats()["requests"] - before == 6 + 3

        resumed = machines.acm(project, "resume", "--json")

    assert resumed.code == 0, resumed.err + machines.logs()
    assert {document["state"] for document in resumed.last["documents"]} == {"done"}
    assert provider.stats()["requests"] - before == 3 * CALLS
    assert provider.stats()["answered_twice"] == 0


def test_a_paused_run_begins_nothing_more_and_is_resumed(
    machines: Cluster, provider: Simulator, tmp_path: Path
) -> None:
    holder = HoldAfter(passes=6)
    before, done_before = provider.stats()["requests"], machines.number(_DONE)
    with intercepting_proxy.intercepting(provider.url, holder) as url:
        alpha = configs.provider(url, "m1", "m2", "j1", max_in_flight=3)
        project = Project(tmp_path / "project", configs.base({"alpha": alpha}, seed=5), first(3))
        project.write("instructions.md", f"Write it for those who rest: {tmp_path.name}.")
        with project.started("run", "--json", env=machines.env) as command:
            wait_until(lambda: holder.held == 3)
            paused, again = machines.acm(project, "pause"), machines.acm(project, "pause")
            wait_until(lambda: machines.number(_CLAIMED) == 3)
            holder.open()
            run = command.end()
        wait_until(lambda: machines.number(_DONE) - done_before == 6 + 3)
        status = machines.acm(project, "status")

        assert (paused.code, again.code) == (0, 0), paused.err
        assert (run.code, run.last["state"]) == (4, "paused"), run.err
        assert "is paused: as `acm pause` asked; `acm resume` continues it" in paused.out
        assert ": paused" in status.out
        assert provider.stats()["requests"] - before == 6 + 3

        resumed = machines.acm(project, "resume", "--json")

    assert resumed.code == 0, resumed.err + machines.logs()
    assert {document["state"] for document in resumed.last["documents"]} == {"done"}
    assert provider.stats()["requests"] - before == 3 * CALLS
    assert provider.stats()["answered_twice"] == 0


def test_a_client_that_leaves_lets_the_workers_go_on(
    machines: Cluster, provider: Simulator, tmp_path: Path
) -> None:
    project = Project(tmp_path / "project", configs.small(provider.url, seed=3), first(1))
    # Of this try alone, so that a second one asks the provider as well.
    project.write("instructions.md", f"Write it for those on the train: {tmp_path.name}.")
    before = provider.stats()["requests"]
    with project.started("run", "--plain", env=machines.env) as command:
        wait_until(lambda: provider.stats()["requests"] > before)
        command.send(signal.SIGINT)
        left = command.end()

    assert left.code == 130
    assert "workers continue run" in left.out
    wait_until(lambda: machines.number("select count(*) from runs where state = 'running'") == 0)
    assert project.files("winners") == set()
    written = machines.acm(project, "run", "--json")
    assert written.code == 0, written.err


def test_who_follows_workers_writes_the_files_that_nobody_else_writes(
    machines: Cluster, provider: Simulator, tmp_path: Path
) -> None:
    project = Project(tmp_path / "project", configs.small(provider.url, seed=4), first(1))
    # Of this try alone, so that a second one asks the provider as well.
    project.write("instructions.md", f"Write it for those who hear it read: {tmp_path.name}.")
    before = provider.stats()["requests"]
    with project.started("run", "--plain", env=machines.env) as command:
        wait_until(lambda: provider.stats()["requests"] > before)
        command.send(signal.SIGINT)
        left = command.end()

    followed = machines.acm(project, "follow", "--plain")
    again = machines.acm(project, "follow", "--plain")

    assert "acm follow" in left.out
    assert (followed.code, again.code) == (0, 0), followed.err
    assert "bees.winner.md" in project.files("winners")
    assert f"winners: {project.folder / 'winners'}" in followed.out
    assert "winners:" not in again.out


def test_a_queue_that_nobody_serves_is_told(
    machines: Cluster, provider: Simulator, tmp_path: Path
) -> None:
    config = configs.base(
        {"beta": configs.provider(provider.url, "m1")},
        runs=configs.runs(beta=["m1"]),
        judges=[configs.judge("m1", "beta")],
    )
    project = Project(tmp_path / "project", config, first(1))
    with project.started("run", "--plain", env=machines.env) as command:
        wait_until(lambda: "no worker serves generate.beta" in command.printed())
        assert "`acm worker --provider beta`" in command.printed()
        assert not command.ended
        status = machines.acm(project, "status").out
        assert "no worker serves generate.beta: start one with `acm worker --provider" in status
        assert machines.acm(project, "status", "--json").last["unserved"] == ["generate.beta"]
        assert machines.acm(project, "cancel").code == 0
        assert command.end().code == 130
