"""Requests that are valid, and that what is in the store does not allow, are conflicts."""

from collections.abc import Iterator

import pytest

from acm_workers.store.ids import new_id
from schemas.submissions import AuthorLimits
from tests.support import api_server, stored, submission_records
from tests.support.api_server import ApiServer

CODE = {"task": "circles", "code": "def solve():\n    return 1.0\n", "author": "ada"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with api_server.running(tmp_path_factory.mktemp("api"), dispatch=False) as running:
        yield running


@pytest.fixture(scope="module")
def ended(server: ApiServer) -> str:
    """Return the id of a run that has ended without a candidate."""
    with server.database.write() as connection:
        return stored.run(connection, new_id(), state="failed", finished_at=stored.at(60)).id


def refusal(server: ApiServer, path: str, body: object = None) -> tuple[int, str, str]:
    answer = server.client.post(path, json=body)
    problem = answer.json()
    return answer.status_code, problem["kind"], problem["detail"]


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("cancel", "cannot be cancelled"),
        ("pause", "cannot be paused"),
        ("settle", "nothing to settle"),
        ("resume", "nothing left to do"),
        ("evaluate", "has no candidate to judge again"),
        ("evaluate/cancel", "cannot be cancelled"),
    ],
)
def test_a_change_that_the_state_of_a_run_does_not_allow_is_a_conflict(
    server: ApiServer, ended: str, action: str, reason: str
) -> None:
    status, kind, detail = refusal(server, f"/runs/{ended}/{action}")

    assert (status, kind) == (409, "conflict")
    assert reason in detail


def test_a_slot_of_another_kind_than_its_pool_is_a_conflict(server: ApiServer) -> None:
    names = {"pool": "licence", "names": ["0"]}
    assert server.client.post("/resources", json=names).status_code == 201

    status, kind, detail = refusal(server, "/resources", {**names, "host": "box"})

    assert (status, kind) == (409, "conflict")
    assert 'the pool "licence" is shared' in detail


@pytest.mark.parametrize(
    ("task", "limits", "reason"),
    [
        ("busy", AuthorLimits(pending=1), "wait until one is finished"),
        ("slow", AuthorLimits(cooldown_s=3600), "may submit for slow again in"),
    ],
)
def test_an_author_who_has_to_wait_gets_a_conflict(
    server: ApiServer, task: str, limits: AuthorLimits, reason: str
) -> None:
    with server.database.write() as connection:
        submission_records.add_task(connection, task, per_author=limits)
    code = {**CODE, "task": task}
    assert server.client.post("/submissions", json=code).status_code == 201

    status, kind, detail = refusal(server, "/submissions", code)

    assert (status, kind) == (409, "conflict")
    assert reason in detail
