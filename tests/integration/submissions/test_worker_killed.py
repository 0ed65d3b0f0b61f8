"""A killed worker loses no submission: it is run again at the same version, and told of once."""

import importlib
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from acm_api import submissions
from acm_workers import runtime
from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
from acm_workers.store import outbox, resource_pools, schema
from acm_workers.store.connection.database import Database
from acm_workers.store.submissions import NewSubmission
from schemas.submissions import Evaluator, ExecutionLimits, NoticeTarget, SubmissionTask
from tests.support import postgres as servers
from tests.support.project import Project

CODE = (
    "import time\ndef solve():\n    print('run', flush=True)\n    time.sleep(0.2)\n    return 2.5\n"
)
EVALUATOR = "def evaluate(submission):\n    return submission.result\n"


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(module: str, name: str) -> None:
    """Let this process be killed when it calls a function."""
    holder: Any = importlib.import_module(module)
    *path, attribute = name.split(".")
    for part in path:
        holder = getattr(holder, part)
    setattr(holder, attribute, die)


POINTS = {
    "claimed": ("acm_workers.store.submission_versions", "mark_running"),
    "running": ("acm_workers.submissions.execution", "_Log.add"),
    "harvested": ("acm_workers.submissions.execution", "_evaluate"),
    "evaluated": ("acm_workers.engine.submission_settlement", "save"),
    "notice pending": ("acm_workers.submissions.delivery", "deliver"),
    "notice sent, not marked": ("acm_workers.store.outbox", "sent"),
}
RUNS = {"notice pending": 1, "notice sent, not marked": 1}


@contextmanager
def prepared(folder: Path, url: str | None = None) -> Iterator[tuple[Project, Database]]:
    """Yield a project with one submission that needs the only slot, and its store."""
    made = Project(folder, {}, {})
    database = Database(url or f"sqlite:///{folder / '.acm' / 'acm.db'}")
    schema.upgrade(database)
    task = SubmissionTask(
        key="numbers",
        evaluator=Evaluator(source=EVALUATOR),
        resources={"gpu": 1},
        limits=ExecutionLimits(wall_s=60, memory_mb=512),
        notify=(NoticeTarget(channel="file", path=str(folder / "notices")),),
    )
    submissions.register(database, [task])
    with database.write() as connection:
        now = runtime.utc_now()
        resource_pools.add(connection, "gpu", ["0"], now, host=None)
    submissions.submit(database, NewSubmission("numbers", "ada"), CODE)
    yield made, database
    database.close()


def kill(made: Project, point: str, env: dict[str, str] | None = None) -> None:
    before = partial(die_at, *POINTS[point])
    with made.started("submissions", "work", env=env, before=before) as command:
        assert command.end().code == -signal.SIGKILL


def work(database: Database) -> None:
    SubmissionWorker(database, SubmissionOptions(until_empty=True)).run()


def check(made: Project, database: Database, attempts: int) -> None:
    work(database)
    submission, (version,) = submissions.get(database, 1)
    with database.read() as connection:
        messages = outbox.of_submission(connection, 1)
        slots = resource_pools.every(connection)
    assert submission.state == "finished"
    assert (version.state, version.score, version.attempts) == ("scored", 2.5, attempts)
    assert [message.state for message in messages] == ["sent"]
    assert len(list((made.folder / "notices").iterdir())) == 1
    assert [slot.holder for slot in slots] == [None]


@pytest.mark.parametrize("point", POINTS)
def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path, point: str) -> None:
    with prepared(tmp_path / "p") as (made, database):
        kill(made, point)

        check(made, database, RUNS.get(point, 2))


def test_a_worker_that_is_killed_loses_nothing_on_postgres(tmp_path: Path, postgres: str) -> None:
    with (
        servers.schema(postgres, "acm_killed") as url,
        prepared(tmp_path / "p", url) as (made, database),
    ):
        kill(made, "running", {"ACM_DATABASE_URL": url})

        check(made, database, 2)


def test_a_version_whose_workers_die_each_time_is_lost_and_its_author_is_told(
    tmp_path: Path,
) -> None:
    with prepared(tmp_path / "p") as (made, database):
        for _ in range(3):
            kill(made, "running")
        work(database)

        _, (version,) = submissions.get(database, 1)
    (notice,) = (made.folder / "notices").iterdir()
    assert (version.state, version.cause) == ("lost", "lost")
    told = json.loads(notice.read_text())["text"]
    assert told == "Your submission failed with error: its worker died 3 times"
