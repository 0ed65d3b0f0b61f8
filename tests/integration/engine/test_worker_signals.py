"""What plain Celery workers log is what was asked for on their command line."""

from pathlib import Path

from tests.support import cluster, configs, redis_server, simulator
from tests.support.project import Project
from tests.support.texts import first


def log_of_a_run(postgres: str, folder: Path, level: str) -> str:
    """Return what Celery workers log of a run if asked for a level."""
    with (
        simulator.running() as provider,
        redis_server.running() as redis,
        cluster.on(redis, postgres, folder, "acm_logs") as machines,
    ):
        for queues in (["control"], ["generate.alpha", "judge.alpha"]):
            machines.start(*queues, level=level)
        machines.ready(2)
        run = machines.acm(Project(folder / "p", configs.small(provider.url), first(1)), "run")
        machines.stop()
        assert run.code == 0, run.err + machines.logs()
        return machines.logs()


def test_a_celery_worker_that_is_to_warn_does_not_tell_of_calls(
    postgres: str, tmp_path: Path
) -> None:
    assert "call ended" not in log_of_a_run(postgres, tmp_path, "warning")


def test_a_celery_worker_that_is_to_inform_tells_of_calls_in_celerys_own_lines(
    postgres: str, tmp_path: Path
) -> None:
    lines = log_of_a_run(postgres, tmp_path, "info").splitlines()

    told = [line for line in lines if "call ended" in line]
    assert len(told) == 13
    assert all(line.startswith("[20") and ": INFO/MainProcess] call ended" in line for line in told)
    assert all(" run=" in line and " cost_usd=" in line for line in told)
