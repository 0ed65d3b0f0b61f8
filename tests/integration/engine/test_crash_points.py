"""A run survives the death of its process: a sample of the points of ``ops/bench crashpoints``."""

from pathlib import Path

import pytest

from ops.benchmarks import crash_trials
from ops.benchmarks.crash_trials import Trials
from tests.support import redis_server

# After a migration, among the first calls, among the last ones.
_EMBEDDED = (3, 20, 60)
_WORKERS = (40, 150)
# After a batch was taken, and before its id is saved.
_BATCHES = (70,)
_BATCH_WORKERS = (120,)


@pytest.mark.parametrize(("kind", "points"), [("embedded", _EMBEDDED), ("batches", _BATCHES)])
def test_a_run_in_one_process_that_is_killed_goes_on_as_if_it_had_not_been(
    kind: str, points: tuple[int, ...], tmp_path: Path
) -> None:
    with crash_trials.engine(kind, tmp_path / "crash") as engine:
        trials = Trials(engine)
        found = [trials.run(number) for number in points]

    assert [trial.wrong for trial in found] == [()] * len(points)
    assert all(trial.at is not None for trial in found)


@pytest.mark.parametrize(
    ("killed", "points"),
    [("workers", _WORKERS), ("client", (20,)), ("batch-workers", _BATCH_WORKERS)],
)
def test_a_run_on_workers_survives_that_a_worker_or_its_client_is_killed(
    killed: str, points: tuple[int, ...], tmp_path: Path, postgres: str
) -> None:
    with (
        redis_server.running() as redis,
        crash_trials.engine(killed, tmp_path / "crash", (redis, postgres)) as engine,
    ):
        trials = Trials(engine)
        found = [trials.run(number) for number in points]

    assert [trial.wrong for trial in found] == [()] * len(points)
    assert all(trial.at is not None for trial in found)
