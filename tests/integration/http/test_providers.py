"""Providers over HTTP: their pauses are shown, and ended by the owner of the server alone."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from acm_workers.limits import factory
from acm_workers.settings import Settings
from schemas.scope import LOCAL
from tests.support import api_member, api_server, redis_server, stored
from tests.support.api_server import ApiServer

_REASON = "no money left"


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    with redis_server.running() as url:
        yield url


def paused_at(server: ApiServer, headers: dict[str, str]) -> Any:
    """Return why the limits of alpha are paused, by the list of providers."""
    found = {one["name"]: one for one in server.client.get("/providers", headers=headers).json()}
    return found["alpha"]["limits"]["paused"]


def test_a_pause_that_workers_share_is_ended_by_the_owner_and_by_nobody_else(
    tmp_path: Path, redis: str
) -> None:
    path = "/providers/alpha/resume"
    with api_server.running(
        tmp_path, single_user=False, dispatch=False, broker_url=redis
    ) as server:
        owner = api_member.add(
            server.database, "owner", "read", "admin", tenant_id=LOCAL.tenant_id
        ).headers
        reader = api_member.add(
            server.database, "reader", "read", tenant_id=LOCAL.tenant_id
        ).headers
        bob = api_member.add(server.database, "bob", "read", "run", "admin").headers
        with server.database.write() as connection:
            stored.scene(connection)
        limiter = factory.limiter(
            stored.config().providers, redis, prefix=Settings().key_prefix.rstrip(":")
        )
        with closing(limiter):
            limiter.pause("alpha", _REASON)
            before = limiter.state("alpha")["paused"], paused_at(server, owner)
            refused = [
                server.client.post(path, headers=headers).status_code for headers in (reader, bob)
            ]
            still = limiter.state("alpha")["paused"]
            unknown = server.client.post("/providers/nobody/resume", headers=owner)
            resumed = server.client.post(path, headers=owner)
            after = limiter.state("alpha")["paused"], paused_at(server, owner)
        audit = server.client.get("/audit", headers=owner).json()["items"]

    assert before == (_REASON, _REASON)
    assert (refused, still) == ([403, 403], _REASON)
    assert unknown.status_code == 404
    assert (resumed.status_code, resumed.json()) == (202, {"name": "alpha"})
    assert after == (None, None)
    assert ("owner", "resume provider", "alpha") in [
        (one["actor"], one["action"], one["target"]) for one in audit
    ]


def test_without_workers_resuming_a_run_is_what_ends_pauses(tmp_path: Path) -> None:
    with api_server.running(tmp_path, dispatch=False) as server:
        answer = server.client.post("/providers/openai/resume")

    assert (answer.status_code, answer.json()["kind"]) == (409, "conflict")
