"""Values that Postgres cannot hold or compare are refused, and never fail the server."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from acm_workers.store.connection.database import Database
from acm_workers.store.ids import new_id
from tests.support import api_server, stored, submission_records
from tests.support.api_server import ApiServer

CODE = {"task": "circles", "code": "def solve():\n    return 1.0\n", "author": "ada"}


@pytest.fixture
def server(tmp_path: Path, postgres_database: Database) -> Iterator[ApiServer]:
    url = postgres_database.url.render_as_string(hide_password=False)
    with api_server.running(tmp_path, dispatch=False, database_url=url) as running:
        yield running


def test_a_zero_byte_in_any_text_of_a_request_is_refused(server: ApiServer) -> None:
    with server.database.write() as connection:
        submission_records.add_task(connection)
    text = "a\0b"
    answers = {
        path: server.client.get(path)
        for path in (
            "/runs?q=%00", "/leaderboard?title=%00", "/submissions?task=%00",
            "/submissions?author=%00", "/submission-tasks/%00/top",
        )
    }  # fmt: skip
    for name, value in {"task": text, "author": text, "title": text, "tags": [text]}.items():
        answers[name] = server.client.post("/submissions", json={**CODE, name: value})
    run = api_server.body("http://127.0.0.1:9/v1", {"a.md": "A text."})
    for name in ("instructions", "guidelines", "title"):
        answers[f"run {name}"] = server.client.post("/runs", json={**run, name: text})
    page = httpx.get(f"{server.url}/runs?q=%00", trust_env=False)

    assert {name: one.status_code for name, one in answers.items()} == dict.fromkeys(answers, 422)
    assert (page.status_code, page.json()["kind"]) == (400, "request_error")
    assert server.client.get("/runs").json()["items"] == []


def test_a_cursor_beyond_all_ids_is_the_end_of_a_log(server: ApiServer) -> None:
    with server.database.write() as connection:
        run = stored.run(connection, new_id(), state="done", finished_at=stored.at(60))

    page = server.client.get(f"/runs/{run.id}/logs?cursor={'9' * 18}")
    with server.client.stream("GET", f"/runs/{run.id}/events?after={2**53}") as stream:
        told = "".join(stream.iter_text())

    assert (page.status_code, page.json()["items"]) == (200, [])
    assert told.endswith("event: end\ndata: {}\n\n")
