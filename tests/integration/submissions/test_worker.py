"""The life of a submission: run, repaired, cancelled, given back, told of."""

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acm_api import submissions
from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
from acm_workers.store import debug_sessions, outbox
from acm_workers.store.connection.database import Database
from acm_workers.store.submissions import NewSubmission
from schemas.submissions import (
    DebuggerSpec,
    Evaluator,
    ExecutionLimits,
    NoticeTarget,
    SubmissionTask,
)
from tests.support.project import PATIENCE_S, wait_until

EVALUATOR = "def evaluate(submission):\n    return submission.result\n"
GOOD = "def solve():\n    return 2.5\n"
BAD = "def solve():\n    return 1 / 0\n"
SLOW = "import time\ndef solve():\n    print('begun', flush=True)\n    time.sleep(60)\n"

DEBUGGERS = {
    "4 repairs at version 2": ("write(2, GOOD); wait(2); report('success')", 2, True),
    "5 repairs at version 3": (
        "write(2, BAD); wait(2); write(3, GOOD); wait(3); report('success')", 3, True,
    ),
    "6 gives up": ("report('failed')", 1, True),
    "7 is wrong about its success": ("write(2, BAD); wait(2); report('success')", 1, False),
    "8 leaves no report": ("write(2, GOOD); wait(2)", 1, False),
    "9 reports before its version ran": ("write(2, GOOD); report('success')", 2, True),
    "10 spoils a good version": (
        "write(2, GOOD); wait(2); write(3, BAD); wait(3); report('success')", 2, True,
    ),
    "12 writes one that runs out of time": (
        "write(2, SLOW); wait(2); report('success')", 2, True,
    ),
    "13 hangs": ("write(2, GOOD); wait(2); report('success'); time.sleep(99)", 1, False),
    "writes more than it may": (
        "[write(n, BAD) or wait(n) for n in (2, 3)]; write(4, GOOD); wait(4); report('success')",
        1, False,
    ),
}  # fmt: skip
TOOLS = f"""
import os, sys, time, pathlib
GOOD, BAD, SLOW = {GOOD!r}, {BAD!r}, {SLOW!r}
def write(number, code):
    pathlib.Path('tmp/part').write_text(code)
    os.rename('tmp/part', f'submissions/submission_v{{number}}.py')
def wait(number):
    while not os.path.exists(f'results/v{{number}}.json'):
        time.sleep(0.02)
def report(kind):
    pathlib.Path(f'report_{{kind}}.md').write_text('what I did')
"""


@pytest.fixture
def told(tmp_path: Path) -> Callable[[], list[dict[str, Any]]]:
    folder = tmp_path / "notices"
    return lambda: [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]


@pytest.fixture
def submit(sqlite_database: Database, tmp_path: Path) -> Callable[..., int]:
    def submitted(code: str, author: str = "ada", no_debugger: bool = False, **task: Any) -> int:
        base = {
            "key": "numbers",
            "evaluator": Evaluator(source=EVALUATOR),
            "limits": ExecutionLimits(wall_s=60, memory_mb=512),
            "notify": (NoticeTarget(channel="file", path=str(tmp_path / "notices")),),
        }
        submissions.register(sqlite_database, [SubmissionTask(**{**base, **task})])
        new = NewSubmission("numbers", author, no_debugger=no_debugger)
        return submissions.submit(sqlite_database, new, code)

    return submitted


def debugger(script: str, **values: Any) -> DebuggerSpec:
    command = (sys.executable, "-c", TOOLS + script)
    return DebuggerSpec(**{"kind": "command", "command": command, "wall_s": 30, **values})


def work(database: Database, **options: Any) -> None:
    SubmissionWorker(database, SubmissionOptions(until_empty=True, **options)).run()


@pytest.mark.parametrize(("script", "version", "reported"), DEBUGGERS.values(), ids=DEBUGGERS)
def test_a_debugger_repairs_a_crash_and_the_notice_is_about_the_right_version(
    sqlite_database: Database,
    submit: Callable[..., int],
    told: Callable[[], list[dict[str, Any]]],
    script: str,
    version: int,
    reported: bool,
) -> None:
    hangs, slow = "sleep(99)" in script, "SLOW" in script
    # Long enough for the original to end by itself on a machine that stands still for a while.
    limits = ExecutionLimits(wall_s=5 if slow else 60, memory_mb=512)
    repairs = debugger(script, attempts=2, wall_s=4 if hangs else 30)
    submit(BAD, debugger=repairs, limits=limits)

    work(sqlite_database)

    (notice,) = told()
    assert (notice["version"], notice["report"]) == (version, "what I did" if reported else None)
    assert ("failed after automatic debugging" in notice["text"]) is slow
    if version == 3:  # each version that was taken up is kept as it was written
        kept = submissions.get(sqlite_database, 1).versions
        assert [(one.version, one.content) for one in kept] == [(1, BAD), (2, BAD), (3, GOOD)]
        assert [one.state for one in kept] == ["failed", "failed", "scored"]


def test_an_author_who_wants_no_debugger_is_told_of_the_original_at_once(
    sqlite_database: Database,
    submit: Callable[..., int],
    told: Callable[[], list[dict[str, Any]]],
) -> None:
    repairs = debugger("write(2, GOOD); wait(2); report('success')")
    number = submit(BAD, debugger=repairs, no_debugger=True)

    work(sqlite_database)

    (notice,) = told()
    assert (notice["version"], notice["report"], notice["state"]) == (1, None, "failed")
    assert [one.version for one in submissions.get(sqlite_database, number).versions] == [1]
    with sqlite_database.read() as connection:
        assert debug_sessions.of_submission(connection, number) == []


def test_the_author_system_is_told_nothing(
    sqlite_database: Database,
    submit: Callable[..., int],
    told: Callable[[], list[dict[str, Any]]],
) -> None:
    submit(GOOD, author="System")

    work(sqlite_database)

    assert told() == []
    assert submissions.get(sqlite_database, 1).submission.state == "finished"


def test_a_notice_is_sent_again_only_when_asked_and_a_restart_ends_in_another(
    sqlite_database: Database,
    submit: Callable[..., int],
    told: Callable[[], list[dict[str, Any]]],
) -> None:
    number = submit(GOOD)
    work(sqlite_database)
    work(sqlite_database)
    assert len(told()) == 1

    submissions.resend(sqlite_database, number)
    work(sqlite_database)
    assert len(told()) == 2

    submissions.restart(sqlite_database, number)
    work(sqlite_database)
    assert sorted(notice["round"] for notice in told()) == [1, 1, 2]


def test_what_runs_is_ended_when_it_is_cancelled(
    sqlite_database: Database, submit: Callable[..., int]
) -> None:
    number = submit(SLOW)
    worker = SubmissionWorker(sqlite_database, SubmissionOptions(until_empty=True))
    thread = threading.Thread(target=worker.run)
    thread.start()
    wait_until(lambda: "begun" in latest(sqlite_database, number).log)

    submissions.close(sqlite_database, number, "cancelled")
    thread.join(PATIENCE_S)

    assert not thread.is_alive()
    found = submissions.get(sqlite_database, number)
    assert (found.submission.state, found.versions[0].state) == ("cancelled", "cancelled")


def test_a_worker_that_stops_gives_back_what_runs(
    sqlite_database: Database, submit: Callable[..., int]
) -> None:
    number = submit(SLOW)
    worker = SubmissionWorker(sqlite_database, SubmissionOptions())
    thread = threading.Thread(target=worker.run)
    thread.start()
    wait_until(lambda: latest(sqlite_database, number).state == "running")

    worker.stop()
    thread.join(PATIENCE_S)

    found = latest(sqlite_database, number)
    assert (found.state, found.attempts, found.epoch) == ("queued", 0, 1)


def test_a_notice_that_does_not_arrive_is_kept_and_costs_no_run(
    sqlite_database: Database, submit: Callable[..., int]
) -> None:
    webhook = NoticeTarget(channel="webhook", url="http://127.0.0.1:9/nobody")
    number = submit(GOOD, notify=(webhook,))

    work(sqlite_database)

    with sqlite_database.read() as connection:
        (message,) = outbox.of_submission(connection, number)
        assert debug_sessions.open_count(connection) == 0
    assert (message.state, message.tries) == ("pending", 1)
    assert message.error is not None
    assert latest(sqlite_database, number).epoch == 1


def latest(database: Database, number: int) -> Any:
    return submissions.get(database, number).versions[-1]
