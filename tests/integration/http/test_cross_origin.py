"""Pages of another origin call the API with a key, and with nothing else."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support import api_member, api_server
from tests.support.api_member import Member
from tests.support.api_server import ApiServer

_ELSEWHERE = "https://app.example"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    home = tmp_path_factory.mktemp("api")
    with api_server.running(
        home, single_user=False, dispatch=False, origins=[_ELSEWHERE]
    ) as running:
        yield running


@pytest.fixture(scope="module")
def ann(server: ApiServer) -> Member:
    return api_member.add(server.database, "ann")


def preflight(origin: str) -> dict[str, str]:
    """Return what a browser asks before it sends a request of a page of that origin."""
    wanted = {"Method": "POST", "Headers": "authorization, content-type, idempotency-key"}
    return {"Origin": origin} | {f"Access-Control-Request-{k}": v for k, v in wanted.items()}


def test_pages_of_a_named_origin_call_the_api_with_a_key(server: ApiServer, ann: Member) -> None:
    asked = server.client.options("/runs", headers=preflight(_ELSEWHERE))
    listed = server.client.get("/runs", headers=ann.headers | {"Origin": _ELSEWHERE})
    key = {"Authorization": "Bearer acm_wrong"}
    wrong = server.client.get("/runs", headers=key | {"Origin": _ELSEWHERE})

    assert [asked.status_code, listed.status_code, wrong.status_code] == [200, 200, 401]
    assert "POST" in asked.headers["access-control-allow-methods"]
    assert "RateLimit" in listed.headers["access-control-expose-headers"]
    for answer in (asked, listed, wrong):
        assert answer.headers["access-control-allow-origin"] == _ELSEWHERE
        assert "access-control-allow-credentials" not in answer.headers


def test_other_origins_pages_and_sessions_from_elsewhere_are_refused(
    server: ApiServer, ann: Member
) -> None:
    with httpx.Client(base_url=server.url, trust_env=False) as browser:
        login = browser.post("/login", data={"key": ann.key}, headers={"Origin": server.url})
        mine = browser.get("/api/v1/runs")
        session = browser.get("/api/v1/runs", headers={"Origin": _ELSEWHERE})
        page = browser.get("/runs", headers=ann.headers | {"Origin": _ELSEWHERE})
    refused = [session, page] + [
        server.client.request(method, "/runs", headers=headers)
        for method, headers in (
            ("GET", {"Origin": _ELSEWHERE}),
            ("OPTIONS", {"Origin": _ELSEWHERE}),
            *(
                ("GET", ann.headers | {"Origin": origin})
                for origin in ("https://evil.example", f"{_ELSEWHERE}.evil.example", "null")
            ),
            ("OPTIONS", preflight("https://evil.example")),
        )
    ]

    assert (login.status_code, mine.status_code) == (303, 200)
    assert [one.status_code for one in refused] == [403] * 8
    assert all("access-control-allow-origin" not in one.headers for one in refused)
    assert "send a key" in session.text
