"""Tasks, submissions and slots in a store."""

import os
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from acm_workers.store import resource_pools, submission_tasks, submission_versions, submissions
from acm_workers.store.resource_pools import ClaimingWorker
from acm_workers.store.submission_versions import VersionKey
from acm_workers.store.submissions import NewSubmission
from schemas.submissions import Evaluator, SubmissionTask

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
EVALUATOR = "def evaluate(submission):\n    return float(submission.result)\n"


def at(seconds: float) -> datetime:
    """Return a time after ``NOW``."""
    return NOW + timedelta(seconds=seconds)


def task(key: str = "circles", **values: Any) -> SubmissionTask:
    """Return a task whose result is its score."""
    return SubmissionTask(key=key, **{"evaluator": Evaluator(source=EVALUATOR), **values})


def add_task(connection: Connection, key: str = "circles", **values: Any) -> SubmissionTask:
    """Insert a task."""
    made = task(key, **values)
    submission_tasks.put(connection, made, NOW)
    return made


def add(
    connection: Connection,
    code: str = "def solve():\n    return 1.0\n",
    now: datetime = NOW,
    **values: Any,
) -> VersionKey:
    """Insert a submission with its original version."""
    new = NewSubmission(**{"task_key": "circles", "author": "ada", **values})
    number = submissions.add(connection, new, now)
    return VersionKey(number, submission_versions.add(connection, number, new.task_key, code, now))


def add_slots(connection: Connection, pool: str, number: int, host: str | None = "box") -> None:
    """Insert numbered slots."""
    names = [str(index) for index in range(number)]
    variable = "CUDA_VISIBLE_DEVICES" if pool == "gpu" else None
    resource_pools.add(connection, pool, names, NOW, host=host, variable=variable)


def worker(owner: str = "w", host: str = "box", **values: Any) -> ClaimingWorker:
    """Return a worker with the weakest sandbox."""
    return ClaimingWorker(
        **{
            "owner": owner,
            "host": host,
            "process": f"process {os.getpid()}",
            "isolation": "rlimits",
            **values,
        }
    )
