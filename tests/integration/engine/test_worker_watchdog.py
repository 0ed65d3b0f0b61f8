"""A worker process that lives and does nothing ends, says why, and can be started again."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery

from acm_workers import app
from tests.support import (
    cluster,
    configs,
    process_ends,
    redis_server,
    simulator,
    worker_command,
)
from tests.support.cluster import Cluster
from tests.support.project import Project
from tests.support.texts import first
from tests.support.worker_command import WorkerCommand, wait_for


@pytest.fixture
def machines(tmp_path: Path, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    with redis_server.running() as redis, cluster.on(redis, postgres, tmp_path, "acm_dog") as found:
        yield found


def restarted(worker: WorkerCommand, before: int) -> bool:
    """Return whether another process has taken the place of one, and all is well."""
    pids = {one["pid"] for one in worker.processes()}
    return len(pids - {before, None}) == 2 and bool(worker.health()["ok"])


def test_a_process_that_hangs_is_replaced_by_its_manager(machines: Cluster, tmp_path: Path) -> None:
    options = ("--control", "--watchdog", "12", "--processes", "2")
    with worker_command.working(machines, tmp_path, *options) as worker:
        wait_for(worker, lambda: worker.is_well(workers=2))
        pid = worker.processes()[1]["pid"]
        os.kill(pid, signal.SIGSTOP)

        wait_for(worker, lambda: restarted(worker, pid), 120)

        assert process_ends.gone(pid)
        assert "it told nothing for" in worker.told("watchdog ends a process")[0]["why"]


def test_a_process_whose_worker_takes_nothing_from_its_queues_ends_and_the_run_completes(
    machines: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with simulator.running() as provider:
        project = Project(tmp_path / "project", configs.small(provider.url), first(1))
        options = ("--control", "--provider", "alpha", "--name", "box", "--watchdog", "12")
        with worker_command.working(machines, tmp_path, *options) as worker:
            wait_for(worker, lambda: worker.is_well(workers=2))
            stopped = _tell_to_take_nothing(machines, "alpha@box.1", monkeypatch)
            assert stopped == {"generate.alpha", "judge.alpha"}

            with project.started("run", "--json", env=machines.env) as run:
                assert worker.end() == 1, worker.text()
                why = worker.told("watchdog ends this process")[0]["why"]
                assert why.startswith("alpha@box.1: ")
                assert "messages wait in its queues" in why

                with worker_command.working(machines, tmp_path, *options) as again:
                    done = run.end(180)

            assert done.code == 0, done.err + again.text()


def _tell_to_take_nothing(
    machines: Cluster, name: str, monkeypatch: pytest.MonkeyPatch
) -> set[str]:
    """Have a worker consume none of its provider's queues; return those it consumes no more."""
    for variable, value in machines.env.items():
        monkeypatch.setenv(variable, value)
    app.distributed.cache_clear()
    commander: Celery = app.distributed()
    try:
        queues = ("generate.alpha", "judge.alpha")
        answers = [
            commander.control.cancel_consumer(queue, destination=[name], reply=True, timeout=20)
            for queue in queues
        ]
        return {queue for queue, answer in zip(queues, answers, strict=True) if answer}
    finally:
        commander.close()
        app.distributed.cache_clear()
