"""A worker process that lives and does nothing is ended, told, and started anew."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery

from acm_workers import app
from tests.support import cluster, configs, redis_server, simulator, supervised
from tests.support.cluster import Cluster
from tests.support.project import Project
from tests.support.supervised import Supervised, wait_for
from tests.support.texts import first

_ENDED = "watchdog ends a process"


@pytest.fixture
def machines(tmp_path: Path, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    with redis_server.running() as redis, cluster.on(redis, postgres, tmp_path, "acm_dog") as found:
        yield found


def restarted(worker: Supervised, group: str, before: int) -> bool:
    """Return whether another process has taken the place of one, and is well."""
    now = worker.process_of(group).get("pid")
    return now not in (before, None) and bool(worker.health()["ok"])


def test_a_process_that_hangs_is_replaced(machines: Cluster, tmp_path: Path) -> None:
    with supervised.working(machines, tmp_path, "--control", "--watchdog", "12") as worker:
        wait_for(worker, lambda: worker.is_well(processes=1))
        pid = worker.process_of("control")["pid"]
        os.kill(pid, signal.SIGSTOP)

        wait_for(worker, lambda: restarted(worker, "control", pid), 120)

        assert supervised.gone(pid)
        assert "it told nothing for" in worker.told(_ENDED)[0]["why"]


def test_a_process_that_takes_nothing_from_its_queue_is_replaced_and_the_run_completes(
    machines: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with simulator.running() as provider:
        project = Project(tmp_path / "project", configs.small(provider.url), first(1))
        arguments = ("--control", "--provider", "alpha", "--name", "box", "--watchdog", "12")
        with supervised.working(machines, tmp_path, *arguments) as worker:
            wait_for(worker, lambda: worker.is_well(processes=2))
            pid = worker.process_of("alpha")["pid"]
            stopped = _tell_to_take_nothing(machines, "alpha@box.1", monkeypatch)
            assert stopped == {"generate.alpha", "judge.alpha"}

            run = machines.acm(project, "run", "--json", deadline_s=180)

            assert run.code == 0, run.err + worker.text()
            assert worker.process_of("alpha")["pid"] != pid
            assert "messages wait in its queues" in worker.told(_ENDED)[0]["why"]
            assert len(worker.told(_ENDED)) == 1


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
