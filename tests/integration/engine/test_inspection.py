"""Several Workers of one process each answer Celery's ``inspect`` with their own tasks."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acm_workers import app
from tests.support import (
    cluster,
    configs,
    intercepting_proxy,
    redis_server,
    simulator,
    worker_command,
)
from tests.support.cluster import Cluster
from tests.support.project import Project, wait_until
from tests.support.texts import first

_NAMES = ["control@box.1", "alpha@box.1", "beta@box.1"]


@pytest.fixture
def machines(tmp_path: Path, postgres: str) -> Iterator[Cluster]:
    """Yield a cluster without workers."""
    with (
        redis_server.running() as redis,
        cluster.on(redis, postgres, tmp_path, "acm_inspect") as found,
    ):
        yield found


@pytest.fixture
def inspect(machines: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Yield what asks Workers, as Flower does."""
    for variable, value in machines.env.items():
        monkeypatch.setenv(variable, value)
    app.distributed.cache_clear()
    commander = app.distributed()
    yield commander.control.inspect(destination=_NAMES, timeout=5.0)
    commander.close()
    app.distributed.cache_clear()


def tasks_of(answers: dict[str, list[dict[str, Any]]]) -> dict[str, set[str]]:
    """Return the names of tasks in answers, by Worker."""
    return {name: {task["name"] for task in tasks} for name, tasks in answers.items()}


def test_each_worker_shows_the_tasks_that_it_is_working_on_itself(
    machines: Cluster, inspect: Any, tmp_path: Path
) -> None:
    with simulator.running() as provider, intercepting_proxy.holding(provider.url) as held:
        config = configs.base(
            {
                "alpha": configs.provider(provider.url, "m1"),
                "beta": configs.provider(held.url, "j1", max_in_flight=3),
            },
            runs=configs.runs(alpha=["m1"]),
            judges=[configs.judge("j1", "beta")],
        )
        project = Project(tmp_path / "project", config, first(2))
        with (
            worker_command.working(machines, tmp_path, "--all", "--name", "box") as worker,
            project.started("run", "--json", env=machines.env) as run,
        ):
            worker_command.wait_for(worker, lambda: worker.is_well(workers=3))
            active: Any = wait_until(
                lambda: (
                    (found := inspect.active())
                    and len(found) == len(_NAMES)
                    and found["beta@box.1"]
                    and not found["alpha@box.1"]
                    and found
                )
            )
            stats: Any = wait_until(
                lambda: (found := inspect.stats()) and len(found) == len(_NAMES) and found
            )
            run.send(signal.SIGINT)
            assert run.end().code == 130

    assert tasks_of(active) == {
        "control@box.1": set(),
        "alpha@box.1": set(),
        "beta@box.1": {"acm.score"},
    }
    assert set(stats["alpha@box.1"]["total"]) == {"acm.generate"}
    assert set(stats["beta@box.1"]["total"]) == {"acm.score"}
    assert "acm.start_document" in stats["control@box.1"]["total"]
