"""Folders of the old evaluation system: watching, importing and writing."""

import json
import os
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection
from ulid import ULID

from acm_api.files import atomic
from acm_workers import runtime
from acm_workers.engine import submission_settlement
from acm_workers.errors import NotFound, RequestError
from acm_workers.store import (
    debug_sessions,
    outbox,
    submission_tasks,
    submission_versions,
    submissions,
)
from acm_workers.store.connection.database import Database
from acm_workers.store.submission_versions import VersionKey
from acm_workers.store.submissions import NewSubmission, SubmissionFilter
from acm_workers.submissions import legacy
from acm_workers.submissions.legacy import LegacyEvaluation, LegacySubmission
from acm_workers.submissions.workspace import Workspace
from schemas.submissions import ORIGINAL, Evaluator, Submission, SubmissionTask

PENDING = "pending_evaluations.yamll"
_TAKEN = "pending_evaluations.taken-"
_KEPT_S = 60.0
"""Time for which a renamed queue is still read: other processes may have it open."""

_DEBUGGER_S = 900.0
_EVERYTHING = 1_000_000


class ImportedSubmissions(NamedTuple):
    """The submissions that were imported from a folder.

    Attributes:
        problems: Errors by file that could not be read.
    """

    numbers: tuple[int, ...]
    problems: tuple[str, ...]


class FolderWatch:
    """Imports submissions from a folder to which programs of the old system write.

    The queue is renamed before it is read, so an append is in the old file or in a new one. The old
    file is read until no process can have it open any more. Each document is imported once,
    identified by its position in its file, so a crash neither loses nor duplicates documents.

    Args:
        task_key: The task of all submissions; default: ``task-<id>`` of each.
    """

    def __init__(self, database: Database, folder: Path, task_key: str | None = None) -> None:
        self._database = database
        self._folder = folder
        self._task_key = task_key
        self._sizes: dict[Path, int] = {}
        self._reported: set[str] = set()
        self._written: dict[int, str] = {}
        self._workspaces: dict[Path, Workspace] = {}

    def look(self) -> ImportedSubmissions:
        """Import new submissions, and write results that have changed."""
        pending = self._folder / PENDING
        if pending.exists() and pending.stat().st_size:
            os.replace(pending, self._folder / f"{_TAKEN}{ULID()}.yamll")
        numbers: list[int] = []
        problems: list[str] = []
        for file in sorted(self._folder.glob(f"{_TAKEN}*.yamll")):
            self._take(file, numbers, problems)
        for workspace in sorted(self._folder.glob("claude_workspaces/eval_*")):
            if workspace.name.removeprefix("eval_").isdecimal():
                self._serve_workspace(workspace, numbers, problems)
        self._write()
        return ImportedSubmissions(tuple(numbers), tuple(problems))

    def _take(self, file: Path, numbers: list[int], problems: list[str]) -> None:
        text = file.read_text(encoding="utf-8", errors="replace")
        grown = self._sizes.get(file) != len(text)
        self._sizes[file] = len(text)
        if grown:
            return  # whoever appends may be in the middle of a document
        for index, document in enumerate(legacy.documents(text)):
            origin = f"{file.resolve()}#{index}"
            if origin in self._reported:
                continue
            try:
                number = self._add(legacy.read_pending(document), origin)
            except (ValueError, RequestError) as error:
                self._reported.add(origin)
                problems.append(f"document {index + 1} of {file.name}: {error}")
                atomic.write(file.with_suffix(f".{index + 1}.rejected"), document.encode())
                continue
            if number is not None:
                numbers.append(number)
        if time.time() - file.stat().st_mtime > _KEPT_S:
            file.rename(file.with_suffix(".processed"))

    def _add(self, found: LegacySubmission, origin: str) -> int | None:
        """Submit the code of an author; return None if it was imported earlier."""
        key = self._task_key or f"task-{found.task_id}"
        new = _new(found, key, origin)
        now = runtime.utc_now()
        with self._database.write() as connection:
            if submissions.imported(connection, origin) is not None:
                return None
            submission_tasks.get(connection, key)
            number = submissions.add(connection, new, now)
            submission_versions.add(connection, number, key, found.content, now)
        return number

    def _serve_workspace(self, folder: Path, numbers: list[int], problems: list[str]) -> None:
        """Import the versions that a debugger wrote, and its report when it has ended."""
        workspace = self._workspaces.setdefault(folder, Workspace(folder, ORIGINAL + 1))
        report_kind, report = workspace.report()
        new = workspace.harvest(final=report_kind is not None)
        if not new and report_kind is None:
            return
        number, now = int(folder.name.removeprefix("eval_")), runtime.utc_now()
        try:
            with self._database.write() as connection:
                submission = submissions.lock(connection, number)
                session = _session(connection, submission, now)
                if session is None:
                    return
                round_ = submissions.get(connection, number).round
                for one in new:
                    key = submission.task_key
                    submission_versions.add(
                        connection, number, key, one.content, now, source="debugger", round_=round_
                    )
                if report_kind is not None:
                    debug_sessions.end(
                        connection, *session, now, report_kind=report_kind, report=report
                    )
                    submission_settlement.settle(connection, number, now)
        except NotFound as error:
            if str(folder) not in self._reported:
                self._reported.add(str(folder))
                problems.append(f"{folder.name}: {error}")
            return
        numbers += [number] * len(new)
        for one in new:
            workspace.mark(one)
        for file in folder.glob("*.md") if report_kind is not None else ():
            file.rename(file.with_name(f"{file.name}_processed"))

    def _write(self) -> None:
        """Write one JSON file for each submission that came from this folder and has changed."""
        with self._database.read() as connection:
            begin = f"{self._folder.resolve()}{os.sep}"
            ids = submissions.imported_below(connection, begin)
        for number in ids:
            text = evaluation(self._database, number)
            if self._written.get(number) != text:
                folder = self._folder / "evaluations"
                folder.mkdir(exist_ok=True)
                atomic.write(folder / f"evaluation_{number}.json", text.encode())
                self._written[number] = text


def watch(
    database: Database,
    folder: Path,
    task_key: str | None,
    show: Callable[[str], None],
    stopped: Callable[[float], bool],
) -> None:
    """Watch a folder until ``stopped``, which also waits."""
    if not folder.is_dir():
        raise RequestError(f"{folder} is no folder")
    watched = FolderWatch(database, folder, task_key)
    while True:
        taken = watched.look()
        for number in taken.numbers:
            show(f"submission {number}: taken")
        for problem in taken.problems:
            show(f"not taken: {problem}")
        if stopped(0.5):
            return


def load(database: Database, folder: Path, task_key: str | None = None) -> ImportedSubmissions:
    """Import all ``evaluation_<id>.json`` files in a folder, except existing submissions.

    Versions that were pending are queued.
    """
    numbers, problems = [], []
    for file in sorted(folder.glob("evaluation_*.json")):
        try:
            found = legacy.read_evaluation(file.read_text(encoding="utf-8-sig"))
            number = _insert(database, found, str(file.resolve()), task_key)
        except (OSError, ValueError, RequestError) as error:
            problems.append(f"{file.name}: {error}")
            continue
        if number is not None:
            numbers.append(number)
    return ImportedSubmissions(tuple(numbers), tuple(problems))


def export(database: Database, folder: Path, wanted: SubmissionFilter) -> list[Path]:
    """Write one ``evaluation_<number>.json`` for each submission; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    with database.read() as connection:
        found = submissions.page(connection, wanted, _EVERYTHING)
    files = []
    for one in found:
        file = folder / f"evaluation_{one.id}.json"
        atomic.write(file, evaluation(database, one.id).encode())
        files.append(file)
    return files


def evaluation(database: Database, number: int) -> str:
    """Return a submission as the JSON of the old system."""
    with database.read() as connection:
        submission = submissions.get(connection, number)
        versions = submission_versions.of_submission(connection, number)
        sessions = debug_sessions.of_submission(connection, number)
        messages = outbox.of_submission(connection, number)
    notice = messages[-1].payload["text"] if messages else None
    latest = sessions[-1] if sessions else None
    found = legacy.write_evaluation(submission, versions, latest, notice)
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _insert(
    database: Database, found: LegacyEvaluation, origin: str, task_key: str | None
) -> int | None:
    key = task_key or f"task-{found.submission.task_id}"
    now = runtime.utc_now()
    with database.write() as connection:
        if submissions.imported(connection, origin) is not None:
            return None
        if not any(task.key == key for task in submission_tasks.every(connection)):
            title = "imported; its evaluator is not known here"
            unknown = SubmissionTask(key=key, title=title, evaluator=Evaluator())
            submission_tasks.put(connection, unknown, now)
        number = submissions.add(connection, _new(found.submission, key, origin), now)
        for version in found.versions:
            values = version.model_dump(exclude={"version", "content"})
            values["sort_key"] = None if version.sort_key is None else list(version.sort_key)
            if version.state != "queued":
                values["finished_at"] = now
            submission_versions.add(
                connection,
                number,
                key,
                version.content,
                now,
                source="author" if version.version == ORIGINAL else "debugger",
                number=version.version,
                **values,
            )
        if all(version.state != "queued" for version in found.versions):
            submissions.finish(connection, number, found.notified_version, now)
        else:
            submission_settlement.settle(connection, number, now)
    return number


def _session(
    connection: Connection, submission: Submission, now: datetime
) -> tuple[str, int] | None:
    """Return the session of a submission's debugger; a finished submission is reopened."""
    round_ = submission.round
    if submission.state == "finished":
        round_ = submissions.reopen(connection, submission.id)
        key = VersionKey(submission.id, ORIGINAL)
        submission_versions.carry_over(connection, key, round_)
    elif submission.state != "open":
        return None
    task = submission_tasks.get(connection, submission.task_key)
    wall_s = task.debugger.wall_s if task.debugger is not None else _DEBUGGER_S
    until = now + timedelta(seconds=wall_s)
    return debug_sessions.hold(connection, submission.id, round_, now, until)


def _new(found: LegacySubmission, key: str, origin: str) -> NewSubmission:
    return NewSubmission(
        task_key=key,
        author=found.author,
        title=found.title or f"evaluation {found.id}",
        tags=found.tags,
        abstract=found.abstract,
        tick=found.tick,
        no_debugger=found.no_debugger,
        imported_from=origin,
    )
