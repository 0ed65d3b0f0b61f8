"""Notices to a webhook: signed, tried again, sent once, and never to another address."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from acm_api import submissions
from acm_workers import runtime
from acm_workers.engine import submission_worker
from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
from acm_workers.store import outbox
from acm_workers.store.connection.database import Database
from acm_workers.store.outbox import OutboxNotice
from acm_workers.store.submissions import NewSubmission
from schemas.submissions import Evaluator, NoticeTarget, SubmissionTask
from tests.support import scripted_server
from tests.support.scripted_server import ReceivedRequest, Reply

SECRET = "a secret that nobody may see"  # noqa: S105  of the test
EVALUATOR = "def evaluate(submission):\n    return submission.result\n"


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody try again before the test says so, however slow the machine is."""
    monkeypatch.setattr(outbox, "_FIRST_WAIT_S", 600.0)


@contextmanager
def later(seconds: float) -> Iterator[None]:
    """Let the store's clock be ahead."""
    runtime.set_clock(timedelta(seconds=seconds), timedelta(seconds=seconds))
    try:
        yield
    finally:
        runtime.set_clock(timedelta(), timedelta())


def finished(database: Database, *urls: str) -> int:
    """Submit and run a program whose notice goes to webhooks; return its number."""
    targets = tuple(
        NoticeTarget(channel="webhook", url=url, secret_env="HOOK_SECRET")  # noqa: S106  its name
        for url in urls
    )
    task = SubmissionTask(key="numbers", evaluator=Evaluator(source=EVALUATOR), notify=targets)
    submissions.register(database, [task])
    number = submissions.submit(
        database, NewSubmission("numbers", "ada"), "def solve():\n    return 2.5\n"
    )
    SubmissionWorker(database, SubmissionOptions(until_empty=True)).run()
    return number


def messages(database: Database, number: int) -> list[OutboxNotice]:
    with database.read() as connection:
        return outbox.of_submission(connection, number)


def send_all(database: Database) -> None:
    while submission_worker.send_one_notice(database):
        pass


def is_signed(request: ReceivedRequest) -> bool:
    """Check the signature as a receiver would, by the documentation."""
    fields = dict(part.split("=", 1) for part in request.headers["acm-signature"].split(","))
    signed = fields["t"].encode() + b"." + request.raw
    return hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest() == fields["v1"]


def test_a_notice_is_signed_tried_again_after_a_failure_and_arrives_once(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    with scripted_server.running(Reply(500), Reply(200)) as server:
        number = finished(sqlite_database, server.base_url + "/hook")
        (failed,) = messages(sqlite_database, number)
        assert (failed.state, failed.tries) == ("pending", 1)
        assert "500" in (failed.error or "")

        with later(700):
            send_all(sqlite_database)
        with later(4000):
            send_all(sqlite_database)

    (sent,) = messages(sqlite_database, number)
    assert (sent.state, sent.tries, len(server.seen)) == ("sent", 2, 2)
    assert all(map(is_signed, server.seen))
    assert {one.headers["acm-message-id"] for one in server.seen} == {sent.id}
    told = json.loads(server.seen[-1].raw)
    assert (told["id"], told["submission_id"], told["score"]) == (sent.id, number, 2.5)
    printed = capsys.readouterr()
    assert SECRET not in printed.out + printed.err
    assert SECRET not in str(messages(sqlite_database, number))


def test_a_notice_that_is_sent_again_on_request_has_an_id_of_its_own(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    with scripted_server.running(Reply(200)) as server:
        number = finished(sqlite_database, server.base_url)

        submissions.resend(sqlite_database, number)
        send_all(sqlite_database)

    ids = [one.headers["acm-message-id"] for one in server.seen]
    assert ids == [one.id for one in messages(sqlite_database, number)]
    assert len(set(ids)) == 2


def test_a_redirect_is_a_failure_and_is_not_followed(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    with scripted_server.running(Reply(200)) as other:
        moved = Reply(307, headers={"Location": other.base_url})
        with scripted_server.running(moved) as server:
            number = finished(sqlite_database, server.base_url)

    (message,) = messages(sqlite_database, number)
    assert (message.state, len(server.seen), len(other.seen)) == ("pending", 1, 0)
    assert "307" in (message.error or "")


def test_a_receiver_that_fails_delays_no_other_and_is_given_up_after_many_tries(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    with (
        scripted_server.running(Reply(500)) as broken,
        scripted_server.running(Reply(200)) as working,
    ):
        number = finished(sqlite_database, broken.base_url, working.base_url)
        assert len(working.seen) == 1
        for hours in range(1, 20):
            with later(3700.0 * hours):
                send_all(sqlite_database)

    states = sorted(one.state for one in messages(sqlite_database, number))
    assert states == ["failed", "sent"]
    assert (len(broken.seen), len(working.seen)) == (outbox.MOST_TRIES, 1)


def test_without_the_secret_nothing_is_sent(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOOK_SECRET", raising=False)
    with scripted_server.running(Reply(200)) as server:
        number = finished(sqlite_database, server.base_url)

    (message,) = messages(sqlite_database, number)
    assert (message.state, server.seen) == ("pending", [])
    assert "HOOK_SECRET" in (message.error or "")
