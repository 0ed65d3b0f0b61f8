"""Workers, Redis and Postgres die in the middle: runs complete, and no finished call is paid twice.

Nobody helps: what was lost is found by the sweep of the worker that serves control.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.support import cluster, configs, intercepting_proxy, redis_server, simulator
from tests.support import postgres as stores
from tests.support.cluster import Cluster
from tests.support.intercepting_proxy import HeldRequests
from tests.support.project import Outcome, Project, wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

CALLS = 13
_DOCUMENTS = 3
_CANDIDATES = 2 * _DOCUMENTS
_DONE = "select count(*) from calls where state = 'done' and not cached"
_STARTED = "select count(*) from calls where state = 'started'"
_TWICE = (
    "select count(*) from (select 1 from calls where state = 'done' and not cached"
    " group by unit_id, digest, iteration having count(*) > 1) as twice"
)


@pytest.fixture
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as found:
        yield found


@pytest.fixture
def held(provider: Simulator) -> Iterator[HeldRequests]:
    """Yield a proxy that holds what the judge is asked: runs stand still with all candidates."""
    with intercepting_proxy.holding(provider.url, '"j1"') as found:
        yield found


@pytest.fixture
def project(held: HeldRequests, tmp_path: Path) -> Project:
    return Project(tmp_path / "project", configs.small(held.url), first(_DOCUMENTS))


def completes(machines: Cluster, run: Outcome) -> dict[str, Any]:
    """Return the calls of a run all of whose documents have their winners."""
    assert run.code == 0, run.out + run.err + machines.logs()
    assert [document["missing"] for document in run.last["documents"]] == [0] * _DOCUMENTS
    assert machines.number(_TWICE) == 0
    calls: dict[str, Any] = run.last["calls"]
    return calls


def stands_still(machines: Cluster) -> bool:
    """Return whether each candidate is written, and its score is asked for."""
    return machines.number(_DONE) == machines.number(_STARTED) == _CANDIDATES


def test_a_killed_worker_and_a_flushed_redis_cost_only_time(
    project: Project, provider: Simulator, held: HeldRequests, postgres: str, tmp_path: Path
) -> None:
    with (
        redis_server.own() as server,
        cluster.on(server.url, postgres, tmp_path, "acm_killed") as machines,
    ):
        machines.start("control", threads=2)
        victim = machines.start("generate.alpha", "judge.alpha", threads=4)
        machines.start("generate.alpha", "judge.alpha", threads=4)
        machines.ready(3)
        with project.started("run", "--json", env=machines.env) as command:
            wait_until(lambda: stands_still(machines))
            victim.kill()
            with redis.Redis.from_url(server.url) as client:
                client.flushall()
            held.open()
            run = command.end(deadline_s=180)
        calls = completes(machines, run)

    stats = provider.stats()
    # Of six calls that two workers of four threads each had in flight.
    assert 2 <= calls["uncertain"] <= 4
    assert calls["total"] - calls["uncertain"] == _DOCUMENTS * CALLS
    assert stats["answered_twice"] <= calls["uncertain"]
    assert stats["requests"] <= calls["total"]


def test_redis_and_postgres_may_be_restarted_in_the_middle(
    project: Project, provider: Simulator, held: HeldRequests, tmp_path: Path
) -> None:
    with (
        redis_server.own() as broker,
        stores.own() as store,
        cluster.on(broker.url, store.url, tmp_path, "acm_restarted") as machines,
    ):
        machines.start("control", threads=2)
        machines.start("generate.alpha", "judge.alpha")
        machines.ready(2)
        with project.started("run", "--json", env=machines.env) as command:
            wait_until(lambda: stands_still(machines))
            store.stop()
            held.let_pass(2)  # answers come while they cannot be saved
            store.start()
            wait_until(lambda: machines.number(_DONE) == _CANDIDATES + 2)
            broker.kill()
            held.open()
            broker.start()
            run = command.end(deadline_s=180)
        calls = completes(machines, run)

    assert (calls["uncertain"], calls["total"]) == (0, _DOCUMENTS * CALLS)
    assert provider.stats()["requests"] == _DOCUMENTS * CALLS
    assert provider.stats()["answered_twice"] == 0


def test_a_worker_without_the_key_fails_nothing_and_pauses_the_run(
    provider: Simulator, postgres: str, tmp_path: Path
) -> None:
    config = configs.small(provider.url)
    config["providers"]["alpha"]["key_env"] = "FAULTS_KEY"
    project = Project(tmp_path / "project", config, first(_DOCUMENTS))
    key = {"FAULTS_KEY": "a-key-for-tests"}
    with (
        redis_server.own() as server,
        cluster.on(server.url, postgres, tmp_path, "acm_no_key") as machines,
    ):
        poor = machines.start("control", "generate.alpha", "judge.alpha")
        machines.ready(1)
        paused = project.acm("run", "--json", env={**machines.env, **key})
        poor.stop()
        machines.env.update(key)
        machines.start("control", "generate.alpha", "judge.alpha")
        machines.ready(1)
        run = machines.acm(project, "resume", "--json")
        calls = completes(machines, run)

    assert paused.code == 4, paused.err
    assert "FAULTS_KEY is not set" in paused.last["reason"]
    assert calls["total"] == _DOCUMENTS * CALLS
    assert calls["failed"] == 0
