"""Every change over HTTP is in the audit log, which is read in pages."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from acm_workers import runtime
from acm_workers.store import submissions
from tests.support import api_server, stored, submission_records
from tests.support.api_server import ApiServer
from tests.support.texts import first

_NOT_AUDITED = {
    "post /plans": "changes nothing",
    "post /uploads/missing": "changes nothing",
    "put /uploads/{digest}": "changes no run; the run that uses the text is audited",
    "post /runs/{run_id}/votes/next": "the pair is stored with the name of the voter",
    "post /runs/{run_id}/votes/{vote_id}": "the vote is stored with the name of the voter",
    "post /runs/{run_id}/votes/undo": "the vote is stored with the name of the voter",
    "post /providers/{name}/resume": "needs workers: test_providers.py looks at its entry",
}


class Change(NamedTuple):
    """A request that changes something, and the audit entry that it should write."""

    route: str
    ids: dict[str, Any]
    action: str
    target: str
    body: dict[str, Any] | None = None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """Yield a server that starts no run by itself."""
    with api_server.running(tmp_path_factory.mktemp("api"), dispatch=False) as running:
        yield running


def each_change(server: ApiServer) -> Iterator[Change]:
    """Yield changes in an order in which each is possible."""
    with server.database.write() as connection:
        a, b = (stored.decided(connection, text).id for text in ("One text.", "Another."))
        going = stored.scene(connection).run.id
        submission_records.add_task(connection)
        number = submission_records.add(connection).submission_id
        sent = submission_records.add(connection, author="bob").submission_id
        submissions.finish(connection, sent, 1, runtime.utc_now())
    run, other, n = {"run_id": going}, {"run_id": a, "other_id": b}, {"number": number}
    of_run, of_code, slot = "post /runs/{run_id}/", "post /submissions/{number}/", "gpu:0@box"
    yield Change(of_run + "pause", run, "pause", going)
    yield Change(of_run + "resume", run, "resume", going)
    yield Change(of_run + "cancel", run, "cancel", going)
    yield Change(of_run + "settle", run, "settle", going)
    yield Change("delete /runs/{run_id}", run, "delete", going)
    yield Change(of_run + "evaluate", {"run_id": a}, "evaluate", "eval_task_id")
    yield Change(of_run + "evaluate/cancel", {"run_id": a}, "cancel evaluation", "eval_task_id")
    cross = of_run + "difference/{other_id}/cross-judging"
    yield Change(cross, other, "run", "run_id")
    new = api_server.body("http://127.0.0.1:1/v1", first(1))
    yield Change("post /runs", {}, "run", "run_id", new)
    code = {"task": "circles", "code": "def solve():\n    return 1\n", "author": "ada"}
    yield Change("post /submissions", {}, "submit", "number", code)
    yield Change(of_code + "cancel", n, "cancel submission", str(number))
    yield Change(of_code + "restart", n, "restart submission", str(number))
    yield Change(of_code + "void", n, "void submission", str(number))
    yield Change(of_code + "resend", {"number": sent}, "resend notice", str(sent))
    slots = {"pool": "gpu", "names": ["0"], "host": "box"}
    yield Change("post /resources", {}, "add slots", "gpu", slots)
    of_slot = "post /resources/{slot_id}/"
    yield Change(of_slot + "drain", {"slot_id": slot}, "drain slot", slot)
    yield Change(of_slot + "release", {"slot_id": slot}, "release slot", slot)


def audited(server: ApiServer, **query: Any) -> Any:
    answer = server.client.get("/audit", params=query)
    assert answer.status_code == 200
    return answer.json()


def test_every_route_that_changes_something_writes_an_audit_entry(server: ApiServer) -> None:
    document = server.client.get("/openapi.json").json()
    routes = {
        f"{method} {path.removeprefix('/api/v1')}"
        for path, methods in document["paths"].items()
        for method in methods
        if method != "get"
    }
    walked = []

    for change in each_change(server):
        before = len(audited(server, limit=500)["items"])
        method, path = change.route.split()
        answer = server.client.request(method, path.format(**change.ids), json=change.body)
        assert answer.is_success, (change.route, answer.text)
        made = answer.json() if isinstance(answer.json(), dict) else {}
        target = made.get(change.target, change.target)
        entries = audited(server, limit=500)["items"]
        newest = {name: entries[0][name] for name in ("actor", "action", "target")}
        expected = {"actor": "local", "action": change.action, "target": str(target)}
        assert (len(entries), newest) == (before + 1, expected), change.route
        walked.append(change.route)

    assert sorted([*walked, *_NOT_AUDITED]) == sorted(routes)


def test_the_audit_is_read_in_pages_from_the_newest_entry_to_the_oldest(server: ApiServer) -> None:
    for name in ("0", "1", "2"):
        body = {"pool": f"pool{name}", "names": [name]}
        assert server.client.post("/resources", json=body).status_code == 201
    everything = audited(server, limit=500)
    assert everything["next"] is None

    pages = [audited(server, limit=2)]
    while pages[-1]["next"] is not None:
        pages.append(audited(server, limit=2, cursor=pages[-1]["next"]))

    assert [one for page in pages for one in page["items"]] == everything["items"]
    newest = [one["target"] for one in everything["items"][:3]]
    assert newest == ["pool2", "pool1", "pool0"]
    assert max(len(page["items"]) for page in pages) == 2
