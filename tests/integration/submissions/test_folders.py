"""Folders of the old system: nothing that is appended is lost, nothing is taken twice."""

import json
import threading
from pathlib import Path

import pytest
import yaml

from acm_api import submission_folders, submissions
from acm_api.submission_folders import PENDING, FolderWatch
from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
from acm_workers.store.connection.database import Database
from acm_workers.store.submissions import SubmissionFilter
from schemas.submissions import Evaluator, ExecutionLimits, SubmissionTask


@pytest.fixture
def database(sqlite_database: Database) -> Database:
    submissions.register(sqlite_database, [SubmissionTask(key="task-1", evaluator=Evaluator())])
    return sqlite_database


def document(number: int) -> str:
    entry = {"id": number, "author": "ada", "task_id": 1, "content": f"x = {number}\n"}
    return f"---\n{yaml.safe_dump(entry)}"


def append(folder: Path, text: str) -> None:
    with (folder / PENDING).open("a") as file:
        file.write(text)


def contents(database: Database) -> list[str]:
    found = submissions.page(database, SubmissionFilter(), 1000)
    return sorted(one.versions[0].content for one in found)


def test_what_is_appended_while_the_queue_is_taken_is_not_lost(
    database: Database, tmp_path: Path
) -> None:
    watched = FolderWatch(database, tmp_path)

    def write(first: int) -> None:
        for number in range(first, first + 25):
            append(tmp_path, document(number))

    writing = [threading.Thread(target=write, args=(25 * index,)) for index in range(4)]
    for thread in writing:
        thread.start()
    while any(thread.is_alive() for thread in writing):
        watched.look()
    for _ in range(3):
        watched.look()

    assert contents(database) == sorted(f"x = {number}\n" for number in range(100))


def test_an_append_by_one_who_has_the_file_open_is_not_lost(
    database: Database, tmp_path: Path
) -> None:
    watched = FolderWatch(database, tmp_path)
    with (tmp_path / PENDING).open("a") as late:
        late.write(document(1))
        late.flush()
        watched.look()
        watched.look()
        late.write(document(2))
    for _ in range(3):
        watched.look()

    assert contents(database) == ["x = 1\n", "x = 2\n"]


def test_a_broken_document_is_reported_once_and_costs_no_other(
    database: Database, tmp_path: Path
) -> None:
    append(tmp_path, document(1) + "---\nbroken: [\n" + document(2))
    watched = FolderWatch(database, tmp_path)

    problems = [problem for _ in range(3) for problem in watched.look().problems]

    assert contents(database) == ["x = 1\n", "x = 2\n"]
    assert len(problems) == 1
    assert problems[0].startswith("document 2 of pending_evaluations.taken-")


def test_a_watch_that_was_killed_takes_nothing_twice(database: Database, tmp_path: Path) -> None:
    append(tmp_path, document(1))
    for _ in range(2):
        again = FolderWatch(database, tmp_path)
        again.look()
        again.look()

    assert contents(database) == ["x = 1\n"]


def test_a_dropped_version_is_evaluated_and_the_report_ends_in_the_right_notice(
    database: Database, tmp_path: Path
) -> None:
    limits = ExecutionLimits(wall_s=60, memory_mb=512)
    evaluator = Evaluator(source="def evaluate(submission):\n    return submission.result\n")
    task = SubmissionTask(key="task-1", evaluator=evaluator, limits=limits)
    submissions.register(database, [task])
    append(tmp_path, document(1))  # it defines no function
    watched = FolderWatch(database, tmp_path)
    watched.look()
    watched.look()
    work(database)
    assert submissions.get(database, 1).submission.notified_version == 1

    workspace = tmp_path / "claude_workspaces/eval_1"
    (workspace / "submissions").mkdir(parents=True)
    (workspace / "submissions/submission_v2.py").write_text("def solve():\n    return 2.0\n")
    (workspace / "eval_1_report_success.md").write_text("mended")
    watched.look()
    work(database)
    watched.look()

    assert submissions.get(database, 1).submission.notified_version == 2
    left = {file.name for file in workspace.rglob("*") if file.is_file()}
    assert left == {"submission_v2.py_processed", "eval_1_report_success.md_processed"}
    told = json.loads((tmp_path / "evaluations/evaluation_1.json").read_text())
    # The old system renamed what it had taken, and so lost it from its history.
    assert told["versions"]["v2"]["content"] == "def solve():\n    return 2.0\n"
    assert told["versions"]["v2"]["evaluation_result"]["score"] == 2.0
    assert told["notification"]["version_notified"] == "v2"


def work(database: Database) -> None:
    SubmissionWorker(database, SubmissionOptions(until_empty=True)).run()


def test_an_export_can_be_imported_elsewhere_once(database: Database, tmp_path: Path) -> None:
    append(tmp_path, document(1))
    watched = FolderWatch(database, tmp_path)
    watched.look()
    watched.look()
    submissions.close(database, 1, "cancelled")
    (file,) = submission_folders.export(database, tmp_path / "out", SubmissionFilter())

    first = submission_folders.load(database, file.parent)
    second = submission_folders.load(database, file.parent)
    (file.parent / "evaluation_9.json").write_text("{}")
    third = submission_folders.load(database, file.parent)

    assert (len(first.numbers), second.numbers) == (1, ())
    assert third.problems == ("evaluation_9.json: it holds no original_submission",)
    assert contents(database) == ["x = 1\n", "x = 1\n"]
