"""Submissions and slots over HTTP: submit, follow, change; each tenant sees its own."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from acm_api import Client, submissions
from acm_api.cli import main
from acm_workers import runtime
from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
from acm_workers.errors import Conflict, NotFound
from acm_workers.store import accounts
from acm_workers.store.accounts import KeyScope
from schemas.submissions import Evaluator, SubmissionTask
from tests.support import api_server
from tests.support.api_server import ApiServer

EVALUATOR = "SECRET = 17\ndef evaluate(submission):\n    return submission.result\n"
GOOD = "def solve():\n    print('so far')\n    return 2.5\n"
SLOW = (
    "import time\ndef solve():\n    print('begun', flush=True)\n    time.sleep(4)\n"
    "    print('done')\n    return 1.0\n"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    home = tmp_path_factory.mktemp("api")
    with api_server.running(home, single_user=False) as running:
        task = SubmissionTask(key="numbers", evaluator=Evaluator(source=EVALUATOR))
        submissions.register(running.database, [task])
        yield running


def key(server: ApiServer, name: str, *scopes: KeyScope, tenant_id: str | None = None) -> str:
    """Return a key of a new user, in a tenant of its own unless one is named."""
    now = runtime.utc_now()
    with server.database.write() as connection:
        tenant = tenant_id or accounts.add_tenant(connection, f"{name}s", now).id
        user = accounts.add_user(connection, tenant, name, now)
        until = now + timedelta(days=1)
        return accounts.add_key(connection, user, "test", scopes, now, until).secret


@pytest.fixture(scope="module")
def ann(server: ApiServer) -> str:
    return key(server, "ann", "read", "run")


@pytest.fixture(scope="module")
def bob(server: ApiServer) -> str:
    return key(server, "bob", "read", "run", "admin")


@pytest.fixture
def work(server: ApiServer) -> Callable[[], None]:
    return SubmissionWorker(server.database, SubmissionOptions(until_empty=True)).run


def call(server: ApiServer, secret: str, method: str, path: str, **more: object) -> httpx.Response:
    headers = {"Authorization": f"Bearer {secret}"}
    return server.client.request(method, path, headers=headers, **more)  # type: ignore[arg-type]


def test_code_is_submitted_run_and_shown_with_its_notice(
    server: ApiServer, ann: str, work: Callable[[], None]
) -> None:
    client = Client(server.url, ann)

    number = client.submit_code("numbers", GOOD, author="ada", title="Mine", tags=["a_b"])
    work()

    shown = client.submission(number)
    (version,) = shown["versions"]
    assert (version["state"], version["score"], version["content"]) == ("scored", 2.5, GOOD)
    assert (shown["submission"]["tags"], shown["submission"]["state"]) == (["a-b"], "finished")
    assert shown["notices"][0]["text"] == "Your submission succeeded with score 2.5."
    assert client.submission_log(number, 1) == "so far\n"
    best = client.top_submissions("numbers")
    assert best[0]["version"]["score"] == 2.5
    assert best[0]["version"]["content"] == ""
    assert number in [one["submission"]["id"] for one in client.submissions("numbers")]
    assert client.change_submission(number, "resend") == "finished"
    assert client.change_submission(number, "void") == "void"
    with pytest.raises(Conflict):
        client.change_submission(number, "cancel")


def test_a_tenant_sees_no_submission_of_another(server: ApiServer, ann: str, bob: str) -> None:
    number = Client(server.url, ann).submit_code("numbers", GOOD, author="ada")

    other = Client(server.url, bob)

    with pytest.raises(NotFound):
        other.submission(number)
    with pytest.raises(NotFound):
        other.change_submission(number, "cancel")
    assert call(server, bob, "GET", f"/submissions/{number}/versions/1/log").status_code == 404
    assert call(server, bob, "GET", f"/submissions/{number}/versions/1/events").status_code == 404
    assert list(other.submissions()) == []
    assert other.top_submissions("numbers") == []
    Client(server.url, ann).change_submission(number, "cancel")


def test_what_a_running_version_prints_is_streamed_to_its_end(
    server: ApiServer, ann: str, work: Callable[[], None]
) -> None:
    number = Client(server.url, ann).submit_code("numbers", SLOW, author="ada")
    worker = threading.Thread(target=work)
    worker.start()

    path = f"/submissions/{number}/versions/1/events"
    headers = {"Authorization": f"Bearer {ann}"}
    with server.client.stream("GET", path, headers=headers) as stream:
        lines = [line for line in stream.iter_lines() if line]
    worker.join()

    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    told = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert kinds[-1] == "end"
    assert told[-1]["score"] == 1.0
    assert told[-2]["log"] == "begun\ndone\n"
    assert any(one.get("state") == "running" and "begun" in one["log"] for one in told[:-1])


def test_the_same_request_sent_twice_submits_once(server: ApiServer, ann: str) -> None:
    body = {"task": "numbers", "code": GOOD, "author": "ada"}
    headers = {"Authorization": f"Bearer {ann}", "Idempotency-Key": "one"}

    first, second = (
        server.client.post("/submissions", json=body, headers=headers) for _ in range(2)
    )

    assert (first.status_code, first.json()) == (201, second.json())
    assert first.headers["location"] == f"/api/v1/submissions/{first.json()['number']}"


def test_lists_are_paged(server: ApiServer, ann: str) -> None:
    client = Client(server.url, ann)
    mine = [client.submit_code("numbers", GOOD, author="pat") for _ in range(3)]

    page = call(server, ann, "GET", "/submissions?author=pat&limit=2").json()
    rest = call(server, ann, "GET", f"/submissions?author=pat&limit=2&cursor={page['next']}").json()

    found = [one["submission"]["id"] for one in (*page["items"], *rest["items"])]
    assert (found, rest["next"]) == (mine[::-1], None)


def test_commands_at_a_server_do_what_they_do_here(
    server: ApiServer,
    ann: str,
    work: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACM_API_URL", server.url)
    monkeypatch.setenv("ACM_API_KEY", ann)
    Path("good.py").write_text(GOOD)

    def acm(words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["acm", "submissions", *words.split()])
        code = main._run()
        said = capfd.readouterr()
        assert code == 0, said.err
        return said.out

    sent = acm("submit numbers good.py --author cleo --tag a --tick 7 --json")
    (number,) = json.loads(sent)["submitted"]
    listed = json.loads(acm("list --author cleo --state open --json"))["submissions"]
    work()
    capfd.readouterr()
    shown = json.loads(acm(f"show {number} --json"))
    best = json.loads(acm("top numbers --limit 500 --json"))["top"]
    views = acm(f"show {number}") + acm("list --author cleo") + acm("top numbers")
    logged = acm(f"logs {number}"), acm(f"logs {number} --version 1 --follow")
    void = acm(f"void {number}")

    assert [(one["id"], one["title"]) for one in listed] == [(number, "good")]
    assert (shown["state"], shown["tick"], shown["tags"]) == ("finished", 7, ["a"])
    assert [one["score"] for one in shown["versions"]] == [2.5]
    assert number in [one["id"] for one in best]
    assert views.count("cleo") == 3
    assert logged == ("so far\n", "so far\n")
    assert void == f"submission {number}: declared void\n"
    assert [path.name for path in tmp_path.iterdir()] == ["good.py"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"task": "nothing", "code": GOOD, "author": "ada"}, 404),
        ({"task": "numbers", "code": "# only this", "author": "ada"}, 400),
        ({"task": "numbers", "code": "a\0b", "author": "ada"}, 400),
        ({"task": "numbers", "author": "ada"}, 422),
        ({"task": "numbers", "code": GOOD, "author": " "}, 400),
    ],
)
def test_what_is_no_submission_is_a_problem(
    server: ApiServer, ann: str, body: dict[str, str], status: int
) -> None:
    answer = call(server, ann, "POST", "/submissions", json=body)

    assert (answer.status_code, answer.headers["content-type"]) == (
        status,
        "application/problem+json",
    )


def test_a_task_is_shown_without_its_evaluator(server: ApiServer, ann: str) -> None:
    answer = call(server, ann, "GET", "/submission-tasks")

    assert [one["key"] for one in answer.json()] == ["numbers"]
    assert "SECRET" not in answer.text


def test_slots_are_the_owners_and_everybody_sees_them(
    server: ApiServer, ann: str, bob: str
) -> None:
    owner = key(server, "owner", "read", "run", "admin", tenant_id="default")
    body = {"pool": "gpu", "names": ["0", "1"], "host": "box", "variable": "CUDA_VISIBLE_DEVICES"}

    assert call(server, ann, "POST", "/resources", json=body).status_code == 403
    assert call(server, bob, "POST", "/resources", json=body).status_code == 403
    added = call(server, owner, "POST", "/resources", json=body)
    drained = call(server, owner, "POST", "/resources/gpu:0@box/drain")
    seen = call(server, ann, "GET", "/resources").json()
    freed = call(server, owner, "POST", "/resources/gpu:0@box/release")
    missing = call(server, owner, "POST", "/resources/gpu:7@box/drain")

    assert [one["id"] for one in added.json()] == ["gpu:0@box", "gpu:1@box"]
    assert drained.json()["drained"]
    assert [one["drained"] for one in seen] == [True, False]
    assert not freed.json()["drained"]
    assert missing.status_code == 404
