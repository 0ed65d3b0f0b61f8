"""What belongs to one tenant is unknown to another, on every route, page and command."""

import hashlib
import itertools
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer

import acm_api
from acm_api.cli import main
from tests.support import api_member, api_server, simulator, submission_records
from tests.support.api_server import ApiServer
from tests.support.project import wait_until
from tests.support.simulator import Simulator
from tests.support.texts import first

_RUN_IDS = ("run_id", "other_id")
_OWNED = (
    *_RUN_IDS, "document_id", "artifact_id", "call_id", "report_id", "vote_id", "number",
)  # fmt: skip
"""Path parameters that name what belongs to a tenant."""
_SHARED = {"name": "rankings", "version": "1", "task": "circles", "slot_id": "gpu:0", "digest": ""}
"""Those that do not: tables, versions of a submission, the owner's tasks and slots, and texts."""
_BODIES = {"/votes/{vote_id}": {"choice": "tie"}}
_CLIENT_METHODS = (
    "show", "status", "results", "files", "cancel", "pause", "resume", "settle", "delete",
    "explain", "rejudge", "next_vote", "undo_vote", "votes",
)  # fmt: skip
_NO_RUN = frozenset(
    {
        "config", "folders", "paths", "folder", "document", "file", "task", "files", "number",
        "numbers", "pool", "names", "slots", "name", "user", "key_id",
    }
)  # fmt: skip
"""Arguments of commands that name no run of a server."""


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, provider: Simulator) -> Iterator[ApiServer]:
    host = httpx.URL(provider.url).netloc.decode()
    home = tmp_path_factory.mktemp("api")
    with api_server.running(home, single_user=False, provider_hosts=host) as running:
        with running.database.write() as connection:
            submission_records.add_task(connection)
        yield running


class Owner:
    """A user, and what the user's tenant has in the store: a run, a vote, a submission, a text.

    Attributes:
        ids: By the names of path parameters.
    """

    def __init__(self, server: ApiServer, name: str, provider: Simulator) -> None:
        self.member = api_member.add(server.database, name, "read", "run", "admin")
        self._client = server.client
        self.text = f"the text of {name}"
        self.digest = hashlib.sha256(self.text.encode()).hexdigest()
        self.send("PUT", f"/uploads/{self.digest}", content=self.text.encode())
        code = {"task": "circles", "code": "def solve():\n    return 1\n", "author": name}
        number = self.send("POST", "/submissions", json=code).json()["number"]
        body = api_server.body(provider.url, first(1))
        run_id = str(self.send("POST", "/runs", json=body).json()["run_id"])
        wait_until(lambda: self.send("GET", f"/runs/{run_id}/status").json()["state"] == "done")
        vote = str(self.send("POST", f"/runs/{run_id}/votes/next").json()["ballot"]["vote_id"])
        self.ids = {"run_id": run_id, "other_id": run_id, "report_id": run_id, "vote_id": vote}
        self.ids |= {"number": str(number)}
        for kind in ("document", "artifact", "call"):
            page = self.send("GET", f"/runs/{run_id}/{kind}s").json()
            self.ids[f"{kind}_id"] = str(page["items"][0]["id"])

    def send(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Send a request as this user."""
        return self._client.request(method, path, headers=self.member.headers, **more)

    @property
    def run_id(self) -> str:
        """Return the id of the run."""
        return self.ids["run_id"]


@pytest.fixture(scope="module")
def ann(server: ApiServer, provider: Simulator) -> Owner:
    return Owner(server, "ann", provider)


@pytest.fixture(scope="module")
def bob(server: ApiServer, provider: Simulator) -> Owner:
    return Owner(server, "bob", provider)


def routes(server: ApiServer, who: Owner) -> Iterator[tuple[str, str, list[str]]]:
    """Yield method, path below ``/api/v1`` and path parameters of each route."""
    schema = who.send("GET", "/openapi.json").json()
    for path, methods in schema["paths"].items():
        for method in methods:
            yield method.upper(), path.removeprefix("/api/v1"), re.findall(r"\{(\w+)\}", path)


def filled(path: str, ids: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: ids[found[1]], path)


def body_of(method: str, path: str) -> Any:
    return {} if method == "GET" else {
        "json": next((body for end, body in _BODIES.items() if path.endswith(end)), None)
    }  # fmt: skip


def test_each_path_parameter_is_known_to_belong_to_a_tenant_or_to_nobody(
    server: ApiServer, ann: Owner
) -> None:
    """A new parameter has to be added above, so that the other tests cover its routes."""
    named = {name for _, _, names in routes(server, ann) for name in names}

    assert named == {*_OWNED, *_SHARED}


def test_ids_of_another_tenant_are_unknown_on_every_route_alone_and_beside_own_ones(
    server: ApiServer, ann: Owner, bob: Owner
) -> None:
    asked: set[str] = set()

    for method, path, names in routes(server, bob):
        owned = [name for name in names if name in _OWNED]
        for size in range(1, len(owned) + 1):
            for foreign in itertools.combinations(owned, size):
                ids = {**_SHARED, **bob.ids, **{name: ann.ids[name] for name in foreign}}
                answer = bob.send(method, filled(path, ids), **body_of(method, path))
                where = (method, path, foreign, answer.text[:200])
                assert (answer.status_code, answer.json()["kind"]) == (404, "not_found"), where
                assert answer.headers["content-type"] == "application/problem+json", where
                asked.update(foreign)

    assert asked == set(_OWNED)
    shown = ann.send("GET", f"/submissions/{ann.ids['number']}").json()
    assert shown["submission"]["state"] != "void"
    assert ann.send("GET", f"/runs/{ann.run_id}").json()["state"] == "done"
    assert ann.run_id not in bob.send("GET", "/runs").text


def test_the_owner_of_the_ids_gets_an_answer_on_every_route_that_reads(
    server: ApiServer, ann: Owner
) -> None:
    """So the test above asks for what is there."""
    for method, path, names in routes(server, ann):
        if method != "GET" or not set(names) & set(_OWNED):
            continue
        url = f"/api/v1{filled(path, {**_SHARED, **ann.ids})}"
        with server.client.stream(method, server.url + url, headers=ann.member.headers) as answer:
            assert answer.status_code in ((200, 409) if "other_id" in names else (200,)), path


def test_ids_of_another_tenant_in_queries_and_bodies_bring_nothing(ann: Owner, bob: Owner) -> None:
    run = f"/runs/{bob.run_id}"
    artifacts = bob.send("GET", f"{run}/artifacts?document_id={ann.ids['document_id']}")
    calls = bob.send("GET", f"{run}/calls?unit_id={ann.ids['artifact_id']}")
    evaluated = bob.send("POST", f"{run}/evaluate", json={"artifacts": [ann.ids["artifact_id"]]})

    assert (artifacts.json()["items"], calls.json()["items"]) == ([], [])
    assert evaluated.status_code == 404


def test_a_text_that_another_tenant_uploaded_is_missing(
    ann: Owner, bob: Owner, provider: Simulator
) -> None:
    asked = {"digests": [ann.digest, bob.digest]}
    body = api_server.body(provider.url, {}, uploads={"a.md": ann.digest}, title="stolen")

    missing = bob.send("POST", "/uploads/missing", json=asked).json()["digests"]
    refused = bob.send("POST", "/runs", json=body)

    assert missing == [ann.digest]
    assert (refused.status_code, refused.json()["kind"]) == (404, "not_found")
    assert ann.send("POST", "/uploads/missing", json=asked).json()["digests"] == [bob.digest]


def test_lists_show_nothing_of_another_tenant(server: ApiServer, ann: Owner, bob: Owner) -> None:
    """Keys, users and audit have no ids in paths."""
    theirs = [value for name, value in ann.ids.items() if name != "number" and value != ann.run_id]

    for method, path, names in routes(server, bob):
        if method != "GET" or set(names) - {"task"}:
            continue
        answer = bob.send(method, filled(path, _SHARED))
        assert answer.status_code == 200, path
        for text in (ann.run_id, ann.member.tenant_id, ann.digest, "ann", *theirs):
            assert not re.search(rf"\b{re.escape(text)}\b", answer.text), (path, text)
    numbers = [one["submission"]["id"] for one in bob.send("GET", "/submissions").json()["items"]]
    assert numbers == [int(bob.ids["number"])]


def test_the_key_of_a_user_does_not_open_the_metrics_which_cover_all_tenants(
    server: ApiServer, bob: Owner
) -> None:
    for headers in ({}, bob.member.headers):
        answer = httpx.get(f"{server.url}/metrics", headers=headers, trust_env=False)
        assert (answer.status_code, "ACM_API_TOKEN" in answer.text) == (401, True)


def test_the_client_and_the_pages_of_another_tenant_know_nothing_of_a_run(
    server: ApiServer, ann: Owner, bob: Owner
) -> None:
    other, run_id = acm_api.Client(server.url, bob.member.key), ann.run_id
    for method in _CLIENT_METHODS:
        with pytest.raises(acm_api.NotFound):
            getattr(other, method)(run_id)
    for both in ((run_id, bob.run_id), (bob.run_id, run_id)):
        with pytest.raises(acm_api.NotFound):
            other.compare(*both, cross_judge=1)
        with pytest.raises(acm_api.NotFound):
            other.plan_cross_judging(*both, 1)
        with pytest.raises(acm_api.NotFound):
            other.compare(*both)
    document = f"/runs/{run_id}/documents/{ann.ids['document_id']}"
    own = f"/runs/{bob.run_id}"
    pages = [
        f"/runs/{run_id}", f"/runs/{run_id}/calls", f"/runs/{run_id}/calls/{ann.ids['call_id']}",
        document, f"{document}/diff", f"/runs/{run_id}/report", f"/new?like={run_id}",
        f"/compare?a={run_id}&b={bob.run_id}&documents=1",
        f"/compare?a={bob.run_id}&b={run_id}&documents=1",
        f"/runs/{run_id}/vote", f"/runs/{run_id}/votes",
        f"{own}/documents/{ann.ids['document_id']}", f"{own}/calls/{ann.ids['call_id']}",
        f"/submissions/{ann.ids['number']}", f"/submissions/{ann.ids['number']}/diff",
    ]  # fmt: skip
    for page in pages:
        answer = httpx.get(server.url + page, headers=bob.member.headers, trust_env=False)
        assert answer.status_code == 404, page


def commands() -> Iterator[tuple[list[str], list[str]]]:
    """Yield the words and the names of the arguments of each command."""

    def walk(command: Any, words: list[str]) -> Iterator[tuple[list[str], list[str]]]:
        for name, found in getattr(command, "commands", {}).items():
            yield from walk(found, [*words, name])
        if not hasattr(command, "commands"):
            given = [one.name for one in command.params if one.param_type_name == "argument"]
            yield words, given

    yield from walk(typer.main.get_command(main.app), [])


def with_run() -> list[str]:
    """Return the commands that take runs, and fail for an argument that is not known here."""
    known = _NO_RUN | {"run_id", "run_ids", "a", "b"}
    unknown = {name for _, names in commands() for name in names} - known
    assert not unknown
    return [" ".join(words) for words, names in commands() if set(names) - _NO_RUN]


@pytest.fixture
def at_server(
    server: ApiServer, bob: Owner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., int]:
    """Run a command at the server with bob's key, in an empty folder; return its exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACM_API_URL", server.url)
    monkeypatch.setenv("ACM_API_KEY", bob.member.key)

    def run(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["acm", *words])
        return main._run()

    return run


@pytest.mark.parametrize("command", with_run())
def test_a_command_with_the_run_of_another_tenant_says_that_there_is_no_such_run(
    command: str,
    at_server: Callable[..., int],
    ann: Owner,
    bob: Owner,
    capfd: pytest.CaptureFixture[str],
) -> None:
    given = {
        "compare": [[ann.run_id, bob.run_id], [bob.run_id, ann.run_id]],
        "explain": [[ann.run_id, "a.md"]],
        "export": [[ann.run_id, "--to", "."]],
        "rejudge": [[ann.run_id, "--criteria", "clarity"]],
        "report": [[ann.run_id, "--to", "."]],
    }

    for arguments in given.get(command, [[ann.run_id]]):
        code = at_server(command, *arguments)
        said = capfd.readouterr()

        assert (code, said.out) == (2, ""), said
        assert len(said.err.splitlines()) == 1
        assert said.err.startswith(f'acm: there is no run "{ann.run_id}"'), said.err
    assert list(Path().iterdir()) == []
    assert ann.send("GET", f"/runs/{ann.run_id}").json()["state"] == "done"


def test_a_command_with_a_submission_of_another_tenant_says_that_there_is_none(
    at_server: Callable[..., int], ann: Owner, bob: Owner, capfd: pytest.CaptureFixture[str]
) -> None:
    taking = [words for words, names in commands() if {"number", "numbers"} & set(names)]
    taking.remove(["submissions", "promote"])  # no command of a server

    for words in taking:
        code = at_server(*words, ann.ids["number"])
        said = capfd.readouterr()
        assert (code, said.out) == (2, ""), words
        assert said.err.startswith(f"acm: there is no submission {ann.ids['number']};"), said.err
        assert len(said.err.splitlines()) == 1

    assert len(taking) == 6
    assert at_server("submissions", "list", "--json") == 0
    listed = json.loads(capfd.readouterr().out)["submissions"]
    assert [one["id"] for one in listed] == [int(bob.ids["number"])]
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "words",
    ["resources list", "keys list", "tenants add x", "judge a", "submissions promote 1"],
)
def test_a_command_that_cannot_work_at_a_server_is_refused_instead_of_working_elsewhere(
    words: str, at_server: Callable[..., int], capfd: pytest.CaptureFixture[str]
) -> None:
    code = at_server(*words.split())

    assert (code, "unset ACM_API_URL" in capfd.readouterr().err) == (2, True)
    assert list(Path().iterdir()) == []


def test_the_latest_run_of_a_command_is_of_the_own_tenant(
    at_server: Callable[..., int], ann: Owner, bob: Owner, capfd: pytest.CaptureFixture[str]
) -> None:
    codes = [at_server(command) for command in ("show", "status", "list", "leaderboard")]
    said = capfd.readouterr().out

    assert codes == [0] * 4
    assert bob.run_id in said
    assert ann.run_id not in said
