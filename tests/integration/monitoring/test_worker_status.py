"""`acm status --workers` shows who works, who is dead, what waits and what nobody serves."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acm_workers import broker
from acm_workers.monitoring import worker_registry
from acm_workers.monitoring.worker_registry import RegisteredProcess
from acm_workers.settings import Settings
from acm_workers.store import runs, waits, workers
from acm_workers.store.waits import WaitingUnits
from tests.support import cluster, configs, redis_server, stored
from tests.support.cluster import Cluster
from tests.support.project import Project
from tests.support.texts import first

_QUEUES = ("generate.alpha", "judge.alpha", "poll.alpha")


@pytest.fixture
def machines(tmp_path: Path, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    with (
        redis_server.running() as redis,
        cluster.on(redis, postgres, tmp_path, "acm_stat") as found,
    ):
        yield found


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", configs.small("http://127.0.0.1:1/v1"), first(1))


def told(machines: Cluster, name: str, seconds_ago: float) -> None:
    """Have a process tell of itself, as it would have done so long ago."""
    seen_at = datetime.now(UTC) - timedelta(seconds=seconds_ago)
    about = {"host": "box", "name": name, "queues": _QUEUES, "started_at": seen_at}
    worker = stored.worker(f"box:1:{name}", seen_at=seen_at, **about)
    with machines.database.write() as connection:
        workers.register(connection, worker)


def settings(machines: Cluster) -> Settings:
    env = machines.env
    return Settings(broker_url=env["ACM_BROKER_URL"], key_prefix=env["ACM_KEY_PREFIX"])


def test_living_and_dead_processes_are_told_apart(machines: Cluster, project: Project) -> None:
    told(machines, "alpha@box.1", 1)
    told(machines, "alpha@box.2", 600)

    shown = machines.acm(project, "status", "--workers", "--json").last
    lines = machines.acm(project, "status", "--workers").out.splitlines()

    assert {one["name"]: one["alive"] for one in shown["processes"]} == {
        "alpha@box.1": True,
        "alpha@box.2": False,
    }
    assert shown["queues"]["judge.alpha"] == {"waiting": 0, "served_by": 1}
    assert [line for line in lines if "alpha@box.2" in line and "10 min ago: dead" in line]
    assert not [line for line in lines if "alpha@box.1" in line and "dead" in line]


def test_what_waits_and_what_nobody_serves_is_told(machines: Cluster, project: Project) -> None:
    until = datetime.now(UTC) + timedelta(seconds=30)
    with machines.database.write() as connection:
        run = stored.run(connection)
        runs.give_to_workers(connection, run.id)
        waits.replace(connection, run.id, [WaitingUnits("alpha", "requests", 7, until)])
    prefix = machines.env["ACM_KEY_PREFIX"]
    broker.client(settings(machines)).rpush(f"{prefix}judge.alpha", "one", "two")

    shown = machines.acm(project, "status", "--workers", "--json").last
    out = machines.acm(project, "status", "--workers").out

    assert shown["queues"]["judge.alpha"] == {"waiting": 2, "served_by": 0}
    assert shown["queues"]["control"] == {"waiting": 0, "served_by": 0}
    assert [(one["run_id"], one["units"]) for one in shown["waits"]] == [(run.id, 7)]
    assert "7 units of alpha wait: requests" in out
    assert "no worker is running" in out
    assert "no sweep yet" in out


def test_a_process_that_is_gone_for_long_is_forgotten(machines: Cluster, project: Project) -> None:
    now = datetime.now(UTC)
    for name, minutes in (("old", 120), ("lost", 5), ("here", 0)):
        seen_at = now - timedelta(minutes=minutes)
        lacking = {"beta": "BETA_KEY is not set"}
        worker_registry.register(
            settings(machines), RegisteredProcess(name, 1, name, seen_at, True, (), lacking)
        )

    out = machines.acm(project, "status", "--workers").out

    assert "old (acm worker" not in out
    assert "lost (acm worker, pid 1 on lost): dead, last seen 5 min ago" in out
    assert "here (acm worker, pid 1 on here) does not serve beta: BETA_KEY is not set" in out
