"""Code submissions in Python: tasks, submitting, results. The commands use these functions."""

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection

from acm_workers import runtime
from acm_workers.engine import submission_models, submission_settlement
from acm_workers.errors import Conflict, NotFound, RequestError
from acm_workers.processes import sandbox
from acm_workers.processes.folders import WorkFolders
from acm_workers.store import resource_pools, submission_tasks, submission_versions, submissions
from acm_workers.store.connection.database import Database
from acm_workers.store.resource_pools import Slot
from acm_workers.store.submissions import NewSubmission, SubmissionFilter
from acm_workers.submissions import execution, ranking
from acm_workers.submissions.execution import ExecutionHost
from schemas.config.config import Config
from schemas.scope import LOCAL, Scope
from schemas.submissions import Submission, SubmissionState, SubmissionTask, Version

_MOST_CODE = 1 << 20
_MOST_TAGS = 6
_MOST_TAG = 30
_MOST_WORDS = 100
_EVERYTHING = 1_000_000


class SubmittedCode(NamedTuple):
    """A submission with its versions, in order."""

    submission: Submission
    versions: tuple[Version, ...]


def register(
    database: Database,
    tasks: Iterable[SubmissionTask],
    configs: Mapping[str, Config] | None = None,
) -> list[str]:
    """Insert or replace tasks; return their names.

    Mode, function and command of a Station task are read from its evaluator, which runs in a
    sandbox.

    Args:
        configs: The result of ``submission_configs.load`` for each task that requests models.
    """
    described = [_described(task) for task in tasks]
    with database.write() as connection:
        for task in described:
            if task.asks_models:
                config = (configs or {})[task.key]
                task = submission_models.keep_run(connection, task, config)
            submission_tasks.put(connection, task, runtime.utc_now())
    return [task.key for task in described]


def submit(database: Database, new: NewSubmission, code: str) -> int:
    """Submit code; return the number of the submission.

    Raises:
        RequestError: The code is empty or too long.
        Conflict: The author must wait.
    """
    with database.write() as connection:
        return submit_in(connection, new, code)


def submit_in(connection: Connection, new: NewSubmission, code: str, scope: Scope = LOCAL) -> int:
    """Submit code of a tenant in the caller's transaction; see ``submit``."""
    lines = [line.strip() for line in code.splitlines()]
    if not any(line and not line.startswith("#") for line in lines):
        raise RequestError("the submission holds nothing but comments", "code")
    if len(code.encode("utf-8", "surrogatepass")) > _MOST_CODE:
        raise RequestError(f"a submission has at most {_MOST_CODE} bytes", "code")
    if "\0" in code:
        raise RequestError("a submission is a text: this one holds zero bytes", "code")
    if not new.author.strip():
        raise RequestError("a submission has an author", "author")
    now = runtime.utc_now()
    task = submission_tasks.get(connection, new.task_key)
    number = submissions.add(connection, _trimmed(new), now, task.per_author, scope)
    submission_versions.add(connection, number, task.key, code, now, tenant_id=scope.tenant_id)
    return number


def get(database: Database, submission_id: int, scope: Scope | None = None) -> SubmittedCode:
    """Return a submission with its versions.

    Args:
        scope: Only rows of this tenant; default: all tenants.

    Raises:
        NotFound: There is no submission with this number.
    """
    with database.read() as connection:
        found = submissions.get(connection, submission_id, scope)
        versions = submission_versions.of_submission(connection, submission_id)
    return SubmittedCode(found, tuple(versions))


def page(
    database: Database,
    wanted: SubmissionFilter,
    limit: int,
    before: int | None = None,
    scope: Scope | None = None,
) -> list[SubmittedCode]:
    """Return a page of submissions, the newest first; of a tenant if ``scope`` is given."""
    with database.read() as connection:
        found = submissions.page(connection, wanted, limit, before, scope)
        versions = submission_versions.of_submissions(connection, [one.id for one in found])
    return [SubmittedCode(one, tuple(versions[one.id])) for one in found]


def top(
    database: Database, task_key: str, limit: int, scope: Scope | None = None
) -> list[SubmittedCode]:
    """Return the best submissions of a task with their best version, the best first.

    Args:
        scope: Only rows of this tenant; default: all tenants.
    """
    with database.read() as connection:
        task = submission_tasks.get(connection, task_key)
        scored = submission_versions.scored(connection, task_key)
        known = {
            one.id: one
            for one in submissions.page(
                connection, SubmissionFilter(task_key), _EVERYTHING, scope=scope
            )
            if one.state != "void"
        }
    best = ranking.top(task, (one for one in scored if one.submission_id in known))
    return [SubmittedCode(known[one.submission_id], (one,)) for one in best[:limit]]


def close(database: Database, submission_id: int, to: SubmissionState) -> None:
    """Cancel or void a submission."""
    with database.write() as connection:
        submission_settlement.close(connection, submission_id, to, runtime.utc_now())


def restart(database: Database, submission_id: int) -> None:
    """Run a submission again from the original."""
    with database.write() as connection:
        submission_settlement.restart(connection, submission_id, runtime.utc_now())


def resend(database: Database, submission_id: int) -> str:
    """Send the notice of a submission again; return its text."""
    with database.write() as connection:
        return submission_settlement.resend(connection, submission_id, runtime.utc_now()).text


def release(database: Database, slots: Sequence[str]) -> list[Slot]:
    """Make drained slots available again, and free slots that a dead worker holds.

    Raises:
        NotFound: There is no such slot.
        Conflict: The worker that holds a slot may be alive, and its code may still run.
    """
    submission_settlement.recover(database, runtime.utc_now)
    with database.write() as connection:
        resource_pools.undrain(connection, slots)
        known = {slot.id: slot for slot in resource_pools.every(connection)}
    for slot in slots:
        if slot not in known:
            raise NotFound(f'there is no slot "{slot}"; `acm resources list` shows all')
        holder = known[slot].holder
        if holder is not None:
            raise Conflict(
                f"{slot} is held by submission {holder.submission_id} version {holder.version},"
                f" whose worker may be alive: `acm submissions cancel {holder.submission_id}`"
            )
    return [known[slot] for slot in slots]


def numbers(text: str) -> list[int]:
    """Return the numbers of a range such as ``3-6,12``, in order.

    Raises:
        RequestError: The range is not valid.
    """
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise RequestError(f'"{text}" is no range of numbers, such as 3-6,12')
        begin, end = int(first), int(last or first)
        if end < begin or end - begin > _EVERYTHING:
            raise RequestError(f'"{part}" is no range: it begins after its end, or is too long')
        found |= set(range(begin, end + 1))
    return sorted(found)


def _described(task: SubmissionTask) -> SubmissionTask:
    if task.evaluator.kind != "station":
        return task
    folders = WorkFolders(Path(tempfile.gettempdir()) / f"acm-submissions-{os.getuid()}")
    host = ExecutionHost(folders, sandbox.strongest(), {}, lambda text: None, lambda: False)
    try:
        found = execution.describe(task, host)
    finally:
        folders.close()
    changed = {"mode": found["mode"], "filename": found["filename"], "metrics": found["metrics"]}
    if found["function"]:
        changed["function"] = found["function"]
    if found["command"]:
        changed |= {"command": ["/bin/sh", "-c", found["command"]], "result": "stdout"}
    if not task.description:
        changed["description"] = found["description"]
    return SubmissionTask.model_validate({**task.model_dump(), **changed})


def _trimmed(new: NewSubmission) -> NewSubmission:
    tags = [tag.strip().replace("_", "-")[:_MOST_TAG] for tag in new.tags]
    return new._replace(
        tags=tuple([tag for tag in tags if tag][:_MOST_TAGS]),
        abstract=" ".join(new.abstract.split()[:_MOST_WORDS]),
    )
