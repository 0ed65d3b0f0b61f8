"""Judges that score a submission as a text, and a model that repairs one."""

import functools
import importlib
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acm_api import submission_configs, submissions
from acm_api.files import task_files
from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
from acm_workers.errors import RequestError
from acm_workers.runtime import utc_now
from acm_workers.settings import Settings
from acm_workers.store import budgets, calls, debug_sessions, outbox, schema, submission_tasks
from acm_workers.store.connection.database import Database
from acm_workers.store.submissions import NewSubmission
from schemas.calls import Call
from schemas.submissions import DebugSession, Version
from tests.support import configs, scripted_server
from tests.support.project import Project, wait_until
from tests.support.scripted_server import Hang, Reply, ScriptedServer

BAD = "def solve():\n    return 1 / 0\n"
GOOD = "def solve():\n    return 2.5\n"
EVALUATOR = "def evaluate(submission):\n    return submission.result\n"
USAGE = {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150}
Program = functools.partial("I mended it.\n```python\n{}```".format)


def said(text: str) -> Reply:
    choice = {
        "index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text},
    }  # fmt: skip
    return Reply(body={"id": "x", "model": "m", "choices": [choice], "usage": USAGE})


def scored(value: int) -> Reply:
    return said(f'{{"form": {{"reason": "it rhymes", "score": {value}}}}}')


def registered(database: Database, folder: Path, url: str, **config: Any) -> None:
    """Register a task with a judge and one with a debugger that is a model."""
    made = Project(folder, {}, {})
    made.write("ev.py", EVALUATOR)
    made.configure(
        {
            "providers": {"alpha": configs.provider(url, "m1", "j1")},
            "judges": [configs.judge()],
            "criteria": ["form"],
            "retries": {"attempts": 2, "base_delay_seconds": 0.01},
            **config,
        }
    )
    made.write(
        "tasks.yaml",
        """
tasks:
  haiku: {evaluator: judge, config: config.yaml, description: A haiku about rain}
  numbers:
    evaluator: ev.py
    config: config.yaml
    debugger: {kind: llm, model: "alpha:m1", attempts: 2, wall_s: 60}
""",
    )
    filed = task_files.load(folder / "tasks.yaml")
    found = {
        one.task.key: submission_configs.load(one.task, one.config, Settings()) for one in filed
    }
    submissions.register(database, [one.task for one in filed], found)


def submit(database: Database, task: str, code: str) -> int:
    return submissions.submit(database, NewSubmission(task, "ada"), code)


def work(database: Database) -> SubmissionWorker:
    worker = SubmissionWorker(database, SubmissionOptions(until_empty=True))
    worker.run()
    return worker


def versions(database: Database, number: int) -> tuple[Version, ...]:
    return submissions.get(database, number).versions


def session(database: Database, number: int) -> DebugSession:
    with database.read() as connection:
        return debug_sessions.of_submission(connection, number)[-1]


def notice(database: Database, number: int) -> dict[str, Any]:
    with database.read() as connection:
        (message,) = outbox.of_submission(connection, number)
    return message.payload


def ledger(database: Database, task: str) -> list[Call]:
    with database.read() as connection:
        run_id = submission_tasks.get(connection, task).run_id
        assert run_id is not None
        return calls.of_run(connection, run_id)


@contextmanager
def working(database: Database) -> Iterator[SubmissionWorker]:
    worker = SubmissionWorker(database, SubmissionOptions())
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield worker
    finally:
        worker.stop()
        thread.join()


def test_judges_score_a_text_and_their_calls_are_in_the_ledger(
    sqlite_database: Database, tmp_path: Path
) -> None:
    with scripted_server.running(scored(7)) as server:
        judge = configs.judge(iterations=2)
        registered(sqlite_database, tmp_path / "p", server.base_url, judges=[judge])
        number = submit(sqlite_database, "haiku", "Rain on the tin roof")

        work(sqlite_database)

    (found,) = versions(sqlite_database, number)
    assert (found.state, found.score, found.isolation) == ("scored", 7.0, None)
    assert found.metrics == {"form": 7.0, "judgements": 2}
    assert found.message == "form: it rhymes"
    booked = ledger(sqlite_database, "haiku")
    assert [call.state for call in booked] == ["done", "done"]
    assert sum(call.cost_usd or 0 for call in booked) == pytest.approx(2 * (100 + 4 * 50) / 1e6)
    assert all("Rain on the tin roof" in str(one.body) for one in server.seen)
    assert all("ada" not in str(one.body) for one in server.seen)


def test_judgements_that_are_there_are_not_paid_again_when_a_submission_is_restarted(
    sqlite_database: Database, tmp_path: Path
) -> None:
    with scripted_server.running(scored(7)) as server:
        registered(sqlite_database, tmp_path / "p", server.base_url)
        number = submit(sqlite_database, "haiku", "Rain")
        work(sqlite_database)

        submissions.restart(sqlite_database, number)
        work(sqlite_database)

    assert versions(sqlite_database, number)[0].score == 7.0
    assert len(server.seen) == 1


def test_a_text_that_no_judge_can_score_has_no_score_and_says_why(
    sqlite_database: Database, tmp_path: Path
) -> None:
    with scripted_server.running(said("I like it.")) as server:
        registered(sqlite_database, tmp_path / "p", server.base_url)
        number = submit(sqlite_database, "haiku", "Rain")

        work(sqlite_database)

    (found,) = versions(sqlite_database, number)
    assert (found.state, found.cause, found.score) == ("failed", "evaluator", None)
    assert "cannot be used" in (found.error or "")


def test_a_spent_budget_keeps_submissions_queued_until_the_task_is_registered_with_more(
    sqlite_database: Database, tmp_path: Path
) -> None:
    with scripted_server.running(scored(7)) as server:
        registered(sqlite_database, tmp_path / "p", server.base_url, budget_usd=0.00001)
        number = submit(sqlite_database, "haiku", "Rain")

        worker = work(sqlite_database)

        (found,) = versions(sqlite_database, number)
        assert (found.state, found.attempts) == ("queued", 0)
        assert "budget" in worker.waiting[0].reason
        assert server.seen == []
        registered(sqlite_database, tmp_path / "p", server.base_url, budget_usd=1.0)
        work(sqlite_database)

    (found,) = versions(sqlite_database, number)
    assert found.score == 7.0
    with sqlite_database.read() as connection:
        run_id = submission_tasks.get(connection, "haiku").run_id
        assert budgets.committed_usd(connection, run_id or "") == pytest.approx(0.0003)


def test_a_refused_key_keeps_submissions_queued_and_costs_no_attempt(
    sqlite_database: Database, tmp_path: Path
) -> None:
    refused = Reply(401, {"error": {"message": "wrong key"}})
    with scripted_server.running(refused, scored(7)) as server:
        registered(sqlite_database, tmp_path / "p", server.base_url)
        number = submit(sqlite_database, "haiku", "Rain")
        worker = work(sqlite_database)
        assert versions(sqlite_database, number)[0].state == "queued"
        assert "wrong key" in worker.waiting[0].reason

        registered(sqlite_database, tmp_path / "p", server.base_url)
        work(sqlite_database)

    assert versions(sqlite_database, number)[0].score == 7.0


KILLED = {
    "after its judges answered": ("haiku", "Rain", scored(7), "_raise_if_held_up", 7.0),
    "after its model answered": ("numbers", BAD, said(Program(GOOD)), "answer", 2.5),
}


@pytest.mark.parametrize(("task", "code", "reply", "point", "score"), KILLED.values(), ids=KILLED)
def test_a_worker_that_is_killed_pays_for_no_answer_twice(
    tmp_path: Path, task: str, code: str, reply: Reply, point: str, score: float
) -> None:
    database = Database(f"sqlite:///{tmp_path / 'p' / '.acm' / 'acm.db'}")
    schema.upgrade(database)
    with scripted_server.running(reply) as server:
        registered(database, tmp_path / "p", server.base_url)
        number = submit(database, task, code)
        made = Project(tmp_path / "p", {}, {})
        die = functools.partial(die_at, "acm_workers.engine.submission_models", point)
        with made.started("submissions", "work", before=die) as command:
            assert command.end().code == -signal.SIGKILL
        assert len(server.seen) == 1

        work(database)

        assert len(server.seen) == 1
    assert versions(database, number)[-1].score == score
    assert [call.state for call in ledger(database, task)] == ["done"]
    database.close()


def die_at(module: str, name: str) -> None:
    """Let this process be killed when it calls a function."""
    setattr(importlib.import_module(module), name, lambda *_: os.kill(os.getpid(), signal.SIGKILL))


REPAIRS = {
    "repairs it at once": ([Program(GOOD)], "success", 2, "scored"),
    "repairs it at the second attempt": (
        [Program(BAD + "#2\n"), Program(GOOD)], "success", 3, "scored",
    ),
    "uses up its attempts": (
        [Program(BAD + "#2\n"), Program(BAD + "#3\n"), Program(GOOD)], "failed", 1, "failed",
    ),
    "gives up": (["It cannot be repaired."], "failed", 1, "failed"),
    "repeats the program": ([Program(BAD)], "failed", 1, "failed"),
}  # fmt: skip


@pytest.mark.parametrize(("answers", "kind", "about", "state"), REPAIRS.values(), ids=REPAIRS)
def test_a_model_repairs_a_crash_and_the_notice_is_about_the_right_version(
    sqlite_database: Database,
    tmp_path: Path,
    answers: list[str],
    kind: str,
    about: int,
    state: str,
) -> None:
    with scripted_server.running(*map(said, answers)) as server:
        registered(sqlite_database, tmp_path / "p", server.base_url)
        number = submit(sqlite_database, "numbers", BAD)

        work(sqlite_database)

    ended, told = session(sqlite_database, number), notice(sqlite_database, number)
    assert (ended.report_kind, told["version"], told["state"]) == (kind, about, state)
    assert told["report"] == ended.report
    assert len(server.seen) == min(len(answers), 2)
    assert len(ledger(sqlite_database, "numbers")) == len(server.seen)
    assert "ZeroDivisionError" in str(server.seen[0].body)
    if len(server.seen) == 2:
        assert "#2" in str(server.seen[1].body)


def test_a_model_that_does_not_answer_in_time_leaves_no_report(
    sqlite_database: Database, tmp_path: Path
) -> None:
    with scripted_server.running(Hang()) as server:
        registered(sqlite_database, tmp_path / "p", server.base_url)
        with sqlite_database.write() as connection:
            task = submission_tasks.get(connection, "numbers")
            assert task.debugger is not None
            shorter = task.debugger.model_copy(update={"wall_s": 1.0})
            hurried = task.model_copy(update={"debugger": shorter})
            submission_tasks.put(connection, hurried, utc_now())
        number = submit(sqlite_database, "numbers", BAD)

        work(sqlite_database)

    told = notice(sqlite_database, number)
    assert (told["version"], told["report"]) == (1, None)
    assert session(sqlite_database, number).log != ""


def test_a_spent_budget_ends_a_repair_and_the_author_is_told_of_the_original(
    sqlite_database: Database, tmp_path: Path
) -> None:
    with scripted_server.running(said(Program(GOOD))) as server:
        registered(sqlite_database, tmp_path / "p", server.base_url, budget_usd=0.00001)
        number = submit(sqlite_database, "numbers", BAD)

        work(sqlite_database)

    assert server.seen == []
    assert "budget" in session(sqlite_database, number).log
    assert notice(sqlite_database, number)["version"] == 1


def test_a_worker_that_stops_in_a_repair_gives_it_back_and_another_one_ends_it(
    sqlite_database: Database, tmp_path: Path
) -> None:
    def asked(server: ScriptedServer) -> bool:
        return len(server.seen) == 1

    with scripted_server.running(Hang(), said(Program(GOOD))) as server:
        url = server.base_url
        retries = {"attempts": 2, "base_delay_seconds": 0.01}
        slow = {"alpha": configs.provider(url, "m1", "j1", timeout_seconds=2)}
        registered(sqlite_database, tmp_path / "p", url, providers=slow, retries=retries)
        number = submit(sqlite_database, "numbers", BAD)
        with working(sqlite_database):
            wait_until(lambda: asked(server))
        assert session(sqlite_database, number).state == "queued"

        work(sqlite_database)

    assert notice(sqlite_database, number)["version"] == 2


def test_a_task_that_is_only_repaired_by_a_model_needs_no_judges(tmp_path: Path) -> None:
    made = Project(tmp_path / "p", {}, {})
    made.write("ev.py", EVALUATOR)
    url = "http://127.0.0.1:9/v1"
    made.configure({"providers": {"alpha": configs.provider(url, "m1")}})
    made.write(
        "tasks.yaml",
        "tasks:\n  numbers:\n    evaluator: ev.py\n    config: config.yaml\n"
        '    debugger: {kind: llm, model: "alpha:m1"}\n',
    )
    (filed,) = task_files.load(made.folder / "tasks.yaml")

    config = submission_configs.load(filed.task, filed.config, Settings())

    assert [(one.provider, one.model) for one in config.writers] == [("alpha", "m1")]


def test_a_task_file_with_a_wrong_model_or_a_useless_config_is_refused(tmp_path: Path) -> None:
    made = Project(tmp_path / "p", {}, {})
    made.write("ev.py", EVALUATOR)
    wrong = {
        "debugger: {kind: llm}": "needs `model`",
        "debugger: {kind: llm, model: m1}": "debugger.model",
        "config: config.yaml": "only a judge or a debugger of kind llm",
        "run_id: x": "unknown key run_id",
        "configg: x": "did you mean config",
    }
    for text, why in wrong.items():
        made.write("tasks.yaml", f"tasks:\n  numbers:\n    evaluator: ev.py\n    {text}\n")
        with pytest.raises(RequestError, match=why):
            task_files.load(made.folder / "tasks.yaml")
