"""Providers over HTTP: their pauses are shown to their tenants, and ended by them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from acm_workers.limits import factory
from acm_workers.settings import Settings
from schemas.scope import Scope
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


def test_a_pause_that_workers_share_is_ended_by_an_admin_of_its_tenant_alone(
    tmp_path: Path, redis: str
) -> None:
    path = "/providers/alpha/resume"
    with api_server.running(
        tmp_path, single_user=False, dispatch=False, broker_url=redis
    ) as server:
        owner = api_member.add(server.database, "owner", "admin", "read", tenant_id="default")
        reader = api_member.add(server.database, "reader", "read", tenant_id="default")
        bob = api_member.add(server.database, "bob", "read", "run", "admin")
        with server.database.write() as connection:
            stored.scene(connection)
            bobs = stored.run(connection, scope=Scope(bob.tenant_id))
        names = ["alpha", Scope(bob.tenant_id).qualified("alpha")]
        limiter = factory.limiter(
            dict.fromkeys(names, bobs.config.providers["alpha"]),
            redis,
            prefix=Settings().key_prefix.rstrip(":"),
        )

        def paused() -> list[tuple[Any, Any]]:
            pairs = zip(names, (owner, bob), strict=True)
            return [
                (limiter.state(name)["paused"], paused_at(server, who.headers))
                for name, who in pairs
            ]

        with closing(limiter):
            for name in names:
                limiter.pause(name, _REASON)
            before = paused()
            refused = server.client.post(path, headers=reader.headers).status_code
            unknown = server.client.post("/providers/nobody/resume", headers=owner.headers)
            his = server.client.post(path, headers=bob.headers).status_code
            still = paused()
            resumed = server.client.post(path, headers=owner.headers)
            after = paused()
        audit = server.client.get("/audit", headers=owner.headers).json()["items"]

    assert before == [(_REASON, _REASON)] * 2
    assert (refused, unknown.status_code, his) == (403, 404, 202)
    assert still == [(_REASON, _REASON), (None, None)]
    assert (resumed.status_code, resumed.json()) == (202, {"name": "alpha"})
    assert after == [(None, None)] * 2
    assert ("owner", "resume provider", "alpha") in [
        (one["actor"], one["action"], one["target"]) for one in audit
    ]


def test_without_workers_resuming_a_run_is_what_ends_pauses(tmp_path: Path) -> None:
    with api_server.running(tmp_path, dispatch=False) as server:
        answer = server.client.post("/providers/openai/resume")

    assert (answer.status_code, answer.json()["kind"]) == (409, "conflict")
