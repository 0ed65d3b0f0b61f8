"""`acm worker` has a Worker for each provider, new ones as runs appear, and ends as it is told."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import (
    cluster,
    configs,
    intercepting_proxy,
    process_ends,
    redis_server,
    simulator,
    worker_command,
)
from tests.support.cluster import Cluster
from tests.support.intercepting_proxy import HeldRequests
from tests.support.project import Project
from tests.support.simulator import Simulator
from tests.support.texts import first
from tests.support.worker_command import wait_for

CALLS = 13
"""What a document takes with ``configs.small``."""

_STARTED = "select count(*) from calls where state = 'started'"
_DONE = "select count(*) from calls where state = 'done' and not cached"
_UNCERTAIN = "select count(*) from calls where state = 'uncertain'"
_WORKERS = "select count(*) from workers"


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as found:
        yield found


@pytest.fixture
def held(provider: Simulator) -> Iterator[HeldRequests]:
    """Yield a proxy that answers some requests, so that runs stand still in their middle."""
    with intercepting_proxy.holding(provider.url, passes=5) as found:
        yield found


def stands_still(machines: Cluster) -> bool:
    """Return whether all that passes is answered, and more is in flight."""
    return machines.number(_DONE) == 5 and machines.number(_STARTED) > 2


@pytest.fixture
def machines(tmp_path: Path, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    with redis_server.running() as redis, cluster.on(redis, postgres, tmp_path, "acm_sup") as found:
        yield found


def project(folder: Path, url: str, name: str, documents: int = 1, **more: Any) -> Project:
    """Return a project whose provider has a name, and that asks what no other asks."""
    config = configs.base(
        {name: configs.provider(url, "m1", "m2", "j1", **more)},
        runs=configs.runs(**{name: ["m1", "m2"]}),
        judges=[configs.judge(provider=name)],
    )
    made = Project(folder / name, config, first(documents))
    made.write("instructions.md", f"Write it anew, for {folder.name} and {name}.")
    return made


def test_all_serves_each_provider_that_a_run_needs_as_soon_as_there_is_one(
    machines: Cluster, provider: Simulator, tmp_path: Path
) -> None:
    alpha, beta = (project(tmp_path, provider.url, name) for name in ("alpha", "beta"))
    with worker_command.working(machines, tmp_path, "--all", "--name", "box") as worker:
        wait_for(worker, lambda: worker.is_well(workers=1))
        assert worker.worker_of("control")["name"] == "control@box.1"

        with (
            alpha.started("run", "--json", env=machines.env) as one,
            beta.started("run", "--json", env=machines.env) as two,
        ):
            assert (one.end(120).code, two.end(120).code) == (0, 0), worker.text()
        wait_for(worker, lambda: worker.is_well(workers=3))
        served = worker.worker_of("beta")
        assert served["queues"] == ["generate.beta", "judge.beta", "poll.beta"]
        assert served["threads"] == 8
        queues = {"control", *served["queues"]}
        shown = wait_for(
            worker,
            lambda: (
                (found := machines.acm(beta, "status", "--workers", "--json").last)
                and queues < set(found["processes"][0]["queues"])
                and found
            ),
        )
        assert [one["name"] for one in shown["processes"]] == ["box.1"]
        assert shown["processes"][0]["threads"] == 4 + 8 + 8


def test_a_warm_stop_ends_what_is_in_flight_and_gives_back_the_rest(
    machines: Cluster, provider: Simulator, held: HeldRequests, tmp_path: Path
) -> None:
    alpha = project(tmp_path, held.url, "alpha", documents=3)
    before = provider.stats()["requests"]
    with alpha.started("run", "--json", env=machines.env) as run:
        with worker_command.working(
            machines, tmp_path, "--control", "--provider", "alpha"
        ) as worker:
            wait_for(worker, lambda: stands_still(machines))
            worker.send(signal.SIGTERM)
            wait_for(worker, lambda: worker.health()["reasons"] == ["it is stopping"])
            held.open()
            assert worker.end() == 0, worker.text()

        assert machines.number(_STARTED) == machines.number(_UNCERTAIN) == 0
        assert machines.number(_WORKERS) == 0
        assert machines.number(_DONE) == provider.stats()["requests"] - before < 3 * CALLS
        assert worker.health() == {}

        with worker_command.working(machines, tmp_path, "--all"):
            done = run.end(120)

    assert done.code == 0, done.err
    assert provider.stats()["requests"] - before == 3 * CALLS


def test_a_second_signal_ends_at_once_and_counts_what_was_in_flight(
    machines: Cluster, tmp_path: Path
) -> None:
    with simulator.running(latency_s=30) as slow:
        alpha = project(tmp_path, slow.url, "alpha", documents=2)
        with (
            alpha.started("run", "--json", env=machines.env),
            worker_command.working(machines, tmp_path, "--all") as worker,
        ):
            wait_for(worker, lambda: machines.number(_STARTED) == 4)
            worker.send(signal.SIGTERM)
            wait_for(worker, lambda: worker.health()["reasons"] == ["it is stopping"])
            worker.send(signal.SIGTERM)
            code = worker.end()

        assert code == 130, worker.text()
        assert machines.number(_UNCERTAIN) == 4
        assert machines.number("select count(*) from artifacts where state = 'claimed'") == 0
        assert machines.number("select count(*) from artifacts where state = 'planned'") == 4
        assert machines.number(_WORKERS) == 0


def test_one_of_several_processes_that_dies_is_started_again_and_nothing_is_paid_twice(
    machines: Cluster, provider: Simulator, held: HeldRequests, tmp_path: Path
) -> None:
    alpha = project(tmp_path, held.url, "alpha", documents=3)
    before = provider.stats()["requests"]
    options = ("--all", "--name", "box", "--processes", "2")
    with (
        worker_command.working(machines, tmp_path, *options) as worker,
        alpha.started("run", "--json", env=machines.env) as run,
    ):
        wait_for(worker, lambda: stands_still(machines))
        victim = worker.processes()[0]
        worker_command.kill(victim["pid"])
        held.open()
        done = run.end(120)

        assert done.code == 0, done.err + worker.text()
        # Providers are served as runs need them: the run may have ended before it was back.
        wait_for(worker, lambda: worker.is_well(workers=3) or worker.is_well(workers=4))
        assert [one["name"] for one in worker.processes()] == ["box.1", "box.2"]
        assert [one["restarts"] for one in worker.processes()] == [1, 0]
        assert worker.processes()[0]["pid"] != victim["pid"]
        assert worker.told("a process died")[0]["how"] == "was killed by signal 9"

        worker.send(signal.SIGTERM)
        assert worker.end() == 0, worker.text()

    uncertain = machines.number(_UNCERTAIN)
    assert provider.stats()["requests"] - before <= 3 * CALLS + uncertain


def test_processes_end_when_their_manager_is_killed(machines: Cluster, tmp_path: Path) -> None:
    options = ("--control", "--provider", "alpha", "--processes", "2")
    with worker_command.working(machines, tmp_path, *options) as worker:
        wait_for(worker, lambda: machines.number(_WORKERS) == 2 and worker.is_well(workers=4))
        pids = [one["pid"] for one in worker.processes()]

        worker.process.kill()

        wait_for(worker, lambda: all(map(process_ends.gone, pids)))
        assert machines.number(_WORKERS) == 0


def test_a_worker_gets_more_threads_when_a_run_allows_more(
    machines: Cluster, provider: Simulator, held: HeldRequests, tmp_path: Path
) -> None:
    with worker_command.working(machines, tmp_path, "--all", "--name", "box") as worker:
        small, large = (tmp_path / "small", tmp_path / "large")
        few = project(small, provider.url, "alpha", max_in_flight=2)
        one = machines.acm(few, "run", "--json")
        assert one.code == 0, one.err
        wait_for(worker, lambda: worker.worker_of("alpha").get("threads") == 2)
        pid = worker.worker_of("alpha")["pid"]

        held.hold("")
        wide = project(large, held.url, "alpha", documents=3, max_in_flight=6)
        with wide.started("run", "--json", env=machines.env) as run:
            wait_for(worker, lambda: machines.number(_STARTED) == 6)
            wait_for(worker, lambda: worker.worker_of("alpha").get("threads") == 6)
            held.open()
            two = run.end(120)

        assert two.code == 0, two.err
        assert worker.worker_of("alpha") == {
            "name": "alpha@box.1",
            "queues": ["generate.alpha", "judge.alpha", "poll.alpha"],
            "threads": 6,
            "pid": pid,
        }
        assert not worker.told("a Worker has ended by itself")


def test_a_provider_whose_key_is_missing_is_not_served_and_told(
    machines: Cluster, provider: Simulator, tmp_path: Path
) -> None:
    alpha = project(tmp_path, provider.url, "alpha", key_env="ALPHA_KEY")
    key = {"ALPHA_KEY": "sk-not-to-be-seen"}
    with (
        alpha.started("run", "--json", env={**machines.env, **key}) as run,
        worker_command.working(machines, tmp_path, "--all", "--name", "poor") as poor,
    ):
        wait_for(poor, lambda: "alpha" in poor.health().get("lacking", {}))
        assert "ALPHA_KEY is not set" in poor.health()["lacking"]["alpha"]
        assert len(poor.told("a provider is not served here")) == 1
        shown = wait_for(
            poor,
            lambda: (out := machines.acm(alpha, "status", "--workers").out).count("ALPHA") and out,
        )
        assert "poor" in shown
        with worker_command.working(machines, tmp_path, "--all", "--name", "rich", env=key) as rich:
            done = run.end(120)
            assert done.code == 0, rich.text()
            assert "sk-not-to-be-seen" not in rich.text() + json.dumps(rich.health())
        assert poor.worker_of("alpha") == {}


def test_every_worker_of_a_process_survives_a_redis_that_dies_and_comes_back_empty(
    provider: Simulator, held: HeldRequests, postgres: str, tmp_path: Path
) -> None:
    with (
        redis_server.own() as redis,
        cluster.on(redis.url, postgres, tmp_path, "acm_sup_redis") as machines,
        worker_command.working(machines, tmp_path, "--all", "--name", "box") as worker,
    ):
        alpha, beta = (project(tmp_path, held.url, name, 2) for name in ("alpha", "beta"))
        before = provider.stats()["requests"]
        with (
            alpha.started("run", "--json", env=machines.env) as one,
            beta.started("run", "--json", env=machines.env) as two,
        ):
            wait_for(worker, lambda: stands_still(machines))
            wait_for(worker, lambda: worker.worker_of("alpha"))
            pid = worker.worker_of("alpha")["pid"]
            redis.kill()
            wait_for(worker, lambda: not worker.health()["ok"])
            held.open()
            redis.start()
            ended = one.end(120), two.end(120)

        assert [done.code for done in ended] == [0, 0], worker.text()
        wait_for(worker, lambda: worker.is_well(workers=3))
        assert worker.worker_of("alpha")["pid"] == pid
        assert machines.number(_UNCERTAIN) == 0
        assert provider.stats()["requests"] - before == 2 * 2 * CALLS
