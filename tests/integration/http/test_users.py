"""Users of a server for many: keys, scopes, sessions, quotas, and tenants that see nothing else."""

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from acm_api.http.request_limit import RequestLimit
from acm_workers import runtime
from acm_workers.store import accounts
from acm_workers.store.accounts import KeyScope
from tests.support import api_member, api_server, intercepting_proxy, simulator, submission_records
from tests.support.api_member import Member
from tests.support.api_server import ApiServer
from tests.support.intercepting_proxy import HeldRequests
from tests.support.simulator import Simulator
from tests.support.texts import first

_UNKNOWN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as running:
        yield running


@pytest.fixture(scope="module")
def held(provider: Simulator) -> Iterator[HeldRequests]:
    """Yield a proxy that forwards everything until it is asked to hold it."""
    with intercepting_proxy.holding(provider.url, passes=math.inf) as found:
        yield found


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, provider: Simulator, held: HeldRequests
) -> Iterator[ApiServer]:
    hosts = ",".join(httpx.URL(one.url).netloc.decode() for one in (provider, held))
    home = tmp_path_factory.mktemp("api")
    with api_server.running(home, single_user=False, provider_hosts=hosts) as running:
        yield running


def member(server: ApiServer, name: str, *scopes: KeyScope, days: int = 1) -> Member:
    """Add a tenant with a user and a key."""
    return api_member.add(server.database, name, *scopes, days=days)


@pytest.fixture(scope="module")
def ann(server: ApiServer) -> Member:
    return member(server, "ann")


@pytest.fixture(scope="module")
def bob(server: ApiServer) -> Member:
    return member(server, "bob")


def start(
    server: ApiServer, who: Member, provider: Simulator | HeldRequests, **more: Any
) -> httpx.Response:
    body = api_server.body(provider.url, first(1), **more)
    return server.client.post("/runs", json=body, headers=who.headers)


def ended(server: ApiServer, who: Member, run_id: str) -> str:
    from tests.support.project import wait_until

    def state() -> str:
        answer = server.client.get(f"/runs/{run_id}/status", headers=who.headers).json()
        return "" if answer["state"] == "running" else str(answer["state"])

    return wait_until(state)


@pytest.fixture(scope="module")
def run_id(server: ApiServer, ann: Member, provider: Simulator) -> str:
    """Return a run of ann that has ended."""
    found: str = start(server, ann, provider).json()["run_id"]
    assert ended(server, ann, found) == "done"
    return found


def test_without_a_key_nothing_is_told(server: ApiServer, run_id: str) -> None:
    for path in ("/runs", f"/runs/{run_id}", "/providers"):
        answer = server.client.get(path)
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"] == "Bearer"
    page = httpx.get(f"{server.url}/runs", trust_env=False)
    assert (page.status_code, page.headers["location"]) == (303, "/login")


def test_a_key_is_refused_when_wrong_expired_revoked_or_its_user_disabled(
    server: ApiServer,
) -> None:
    late = member(server, "late", days=-1)
    gone, off = member(server, "gone"), member(server, "off")
    with server.database.write() as connection:
        newest = {key.user: key.id for key in accounts.keys(connection)}
        accounts.revoke_key(connection, newest["gone"], runtime.utc_now())
        accounts.disable_user(connection, "off", runtime.utc_now())
    wrong = {"Authorization": "Bearer acm_wrong"}

    for headers in (late.headers, gone.headers, off.headers, wrong):
        assert server.client.get("/runs", headers=headers).status_code == 401


def test_a_key_does_only_what_its_scopes_say(server: ApiServer, provider: Simulator) -> None:
    reader = member(server, "reader", "read")

    refused = start(server, reader, provider)

    assert (refused.status_code, refused.json()["kind"]) == (403, "not_allowed")
    assert server.client.get("/runs", headers=reader.headers).status_code == 200


def test_the_store_has_no_key_in_clear(server: ApiServer, ann: Member) -> None:
    secret = ann.headers["Authorization"].removeprefix("Bearer ")
    with server.database.read() as connection:
        kept = connection.exec_driver_sql("select * from api_keys").all()

    assert secret not in str(kept)
    assert len(secret) > 40


def test_every_route_wants_a_key_and_each_change_the_scope_to_change(server: ApiServer) -> None:
    reader = member(server, "walker", "read")
    paths = server.client.get("/openapi.json").json()["paths"]
    ids = {"name": "openai", "digest": "0" * 64}
    refused: dict[str, set[int]] = {"unknown": set(), "read": set()}

    for path, methods in paths.items():
        url = server.url + re.sub(r"\{(\w+)\}", lambda found: ids.get(found[1], _UNKNOWN), path)
        for method in methods:
            unknown = httpx.request(method, url, json={}, trust_env=False)
            assert unknown.status_code == 401, (method, path)
            changes = method != "get" and not path.endswith("/plans")
            if changes or path.endswith("/audit"):
                read = httpx.request(method, url, json={}, headers=reader.headers, trust_env=False)
                assert (read.status_code, read.json()["kind"]) == (403, "not_allowed"), path
                refused["read"].add(read.status_code)

    assert refused["read"] == {403}


def test_a_run_may_spend_what_the_quota_of_the_day_leaves_and_no_more(
    server: ApiServer, held: HeldRequests
) -> None:
    dora = member(server, "dora")
    with server.database.write() as connection:
        accounts.set_quotas(connection, dora.tenant_id, usd_per_day=0.05, runs_at_once=1)

    held.hold("")
    run_id = start(server, dora, held, config={"budget_usd": 9}).json()["run_id"]
    second = start(server, dora, held, title="second", config={"seed": 2})
    held.open()
    state = ended(server, dora, run_id)
    shown = server.client.get(f"/runs/{run_id}", headers=dora.headers).json()
    listed = server.client.get("/runs", headers=dora.headers).json()["items"]
    raised = server.client.post(
        f"/runs/{run_id}/resume", json={"budget_usd": 5}, headers=dora.headers
    )

    assert [one["budget_usd"] for one in listed] == [0.05]
    assert second.status_code == 429
    assert state in ("done", "paused")
    assert shown["usd"] <= 0.05
    assert raised.status_code == 429
    assert "quota of the day allows this run a total of 0.05 USD" in raised.json()["detail"]


def test_what_users_change_is_audited_for_their_tenant_alone(
    server: ApiServer, held: HeldRequests
) -> None:
    chief, other = member(server, "chief", "read", "run", "admin"), member(server, "other", "admin")
    held.hold("")
    run_id = start(server, chief, held).json()["run_id"]
    server.client.post(f"/runs/{run_id}/cancel", headers=chief.headers)
    held.open()
    ended(server, chief, run_id)
    server.client.delete(f"/runs/{run_id}", headers=chief.headers)

    own = server.client.get("/audit", headers=chief.headers).json()["items"]
    others = server.client.get("/audit", headers=other.headers).json()["items"]

    assert [(one["actor"], one["action"], one["target"]) for one in own] == [
        ("chief", what, run_id) for what in ("delete", "cancel", "run")
    ]
    assert others == []


def test_requests_of_a_key_are_limited_and_headers_say_what_is_left(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, calm = member(server, "busy"), member(server, "calm")
    monkeypatch.setattr(server.app.state.service, "requests", RequestLimit(2, lambda: 6e8))

    answers = [server.client.get("/runs", headers=busy.headers) for _ in range(3)]
    another = server.client.get("/runs", headers=calm.headers)

    assert [one.status_code for one in answers] == [200, 200, 429]
    assert answers[0].headers["ratelimit-policy"] == '"key";q=2;w=60'
    assert [one.headers["ratelimit"].split(";t=")[0] for one in answers] == [
        '"key";r=1', '"key";r=0', '"key";r=0',
    ]  # fmt: skip
    assert int(answers[2].headers["retry-after"]) == 60
    assert another.status_code == 200


def test_two_tenants_share_no_row_answer_or_winner(
    server: ApiServer, ann: Member, bob: Member, run_id: str, provider: Simulator
) -> None:
    before = provider.stats()["requests"]

    other = start(server, bob, provider).json()
    assert ended(server, bob, other["run_id"]) == "done"
    shown = server.client.get(f"/runs/{other['run_id']}", headers=bob.headers).json()

    assert other["run_id"] != run_id
    assert other["skipped"] == []
    assert shown["calls"]["total"] == provider.stats()["requests"] - before == 13
    assert shown["calls"]["cached"] == 0
    tables = ("documents", "artifacts", "eval_results", "pairwise_comparisons", "calls", "events")
    with server.database.read() as connection:
        for table in tables:
            found = connection.exec_driver_sql(
                f"select distinct run_id, tenant_id from {table}"  # noqa: S608  names above
            ).all()
            owners = {run: tenant for run, tenant in found}  # noqa: C416  rows are no pairs to mypy
            assert len(found) == len(owners)
            assert (owners[run_id], owners[other["run_id"]]) == (ann.tenant_id, bob.tenant_id)


def test_users_cannot_have_the_server_call_any_address(server: ApiServer, ann: Member) -> None:
    body = api_server.body("http://127.0.0.1:1/v1", first(1))

    refused = server.client.post("/runs", json=body, headers=ann.headers)

    assert (refused.status_code, refused.json()["kind"]) == (403, "not_allowed")


def test_quotas_refuse_what_is_above_them(server: ApiServer, provider: Simulator) -> None:
    carl = member(server, "carl")
    with server.database.write() as connection:
        accounts.set_quotas(connection, carl.tenant_id, documents_per_run=1)
    body = api_server.body(provider.url, first(2))
    many = server.client.post("/runs", json=body, headers=carl.headers)
    with server.database.write() as connection:
        accounts.set_quotas(connection, carl.tenant_id, documents_per_run=None, usd_per_day=0.0)
    poor = start(server, carl, provider)

    assert (many.status_code, many.json()["kind"]) == (429, "quota_spent")
    assert poor.status_code == 429
    assert "24 hours" in poor.json()["detail"]


def test_a_browser_logs_in_acts_with_its_token_and_logs_out(
    server: ApiServer, ann: Member, run_id: str
) -> None:
    key = ann.headers["Authorization"].removeprefix("Bearer ")
    with httpx.Client(base_url=server.url, trust_env=False) as browser:
        wrong = browser.post("/login", data={"key": "acm_nothing"})
        right = browser.post("/login", data={"key": key})
        cookie = right.headers["set-cookie"]
        page = browser.get(f"/runs/{run_id}")
        (token,) = re.findall(r'<meta name="csrf" content="([^"]+)"', page.text)
        forged = browser.post(f"/api/v1/runs/{run_id}/cancel", json={})
        meant = browser.post(
            f"/api/v1/runs/{run_id}/cancel", json={}, headers={"X-CSRF-Token": token}
        )
        browser.post("/logout", data={"csrf": token})
        after = browser.get("/runs")

    assert wrong.status_code == 401
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert page.status_code == 200
    assert forged.status_code == 403
    assert meant.status_code == 409  # it has ended: the token was right
    assert after.headers["location"] == "/login"


def test_keys_cannot_be_guessed_quickly(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("guessed")
    with api_server.running(home, single_user=False, dispatch=False) as server:
        tried = [
            server.client.get("/runs", headers={"Authorization": f"Bearer acm_{number}"})
            for number in range(12)
        ]

    assert [one.status_code for one in tried] == [401] * 10 + [429] * 2


def _wrong_keys(server: ApiServer, addresses: Sequence[str]) -> list[int]:
    """Send a wrong key for each address that a proxy may have got it from."""
    wrong = {"Authorization": "Bearer acm_wrong"}
    tried = [
        server.client.get("/runs", headers={**wrong, "X-Forwarded-For": address})
        for address in addresses
    ]
    return [one.status_code for one in tried]


@pytest.mark.parametrize("proxies", [(), ("192.0.2.7", "198.51.100.0/24")])
def test_forwarded_headers_of_others_than_the_named_proxies_are_not_believed(
    tmp_path: Path, proxies: tuple[str, ...]
) -> None:
    with api_server.running(tmp_path, single_user=False, proxies=proxies) as server:
        ann = member(server, "ann")
        login = httpx.post(
            f"{server.url}/login",
            data={"key": ann.key},
            headers={"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"},
            trust_env=False,
        )
        tried = _wrong_keys(server, [f"192.0.2.{number}" for number in range(12)])

    assert (login.status_code, "Secure" in login.headers["set-cookie"]) == (303, False)
    assert tried == [401] * 10 + [429] * 2  # all came from one address, whatever they said


@pytest.mark.parametrize("proxy", ["127.0.0.1", "127.0.0.0/8"])
def test_a_named_proxy_tells_who_asks_and_that_the_way_to_it_is_safe(
    tmp_path: Path, proxy: str
) -> None:
    with api_server.running(tmp_path, single_user=False, proxies=(proxy,)) as server:
        many = _wrong_keys(server, [f"192.0.2.{number}" for number in range(12)])
        one = _wrong_keys(server, ["198.51.100.1"] * 12)
        ann = member(server, "ann")
        url, data = f"{server.url}/login", {"key": ann.key}
        safe, plain = (
            httpx.post(
                url, data=data, headers={"X-Forwarded-Proto": scheme}, trust_env=False
            ).headers["set-cookie"]
            for scheme in ("https", "http")
        )

    assert many == [401] * 12
    assert one == [401] * 10 + [429] * 2
    assert ("Secure" in safe, "Secure" in plain) == (True, False)


def test_an_admin_changes_only_users_and_keys_of_the_own_tenant_with_a_token(
    server: ApiServer,
) -> None:
    admin = member(server, "adam", "read", "run", "admin")
    other = member(server, "eve", "read", "run", "admin")
    reader = member(server, "rita", "read")
    with server.database.read() as connection:
        (theirs,) = [key for key in accounts.keys(connection) if key.user == "eve"]
    strange = {"disable": {"name": "eve"}, "revoke-key": {"key": theirs.id}}
    strange["add-key"] = {"user": "eve", "name": "k", "days": "1", "scope": "read"}

    with httpx.Client(base_url=server.url, trust_env=False) as browser:
        unknown = browser.get("/users")
        refused = browser.get("/users", headers=reader.headers)
        browser.post("/login", data={"key": admin.key})
        page = browser.get("/users").text
        (token,) = set(re.findall(r'name="csrf" value="([^"]+)"', page))
        forged = browser.post("/users/add", data={"name": "mallory"})
        answers = [
            browser.post(f"/users/{action}", data=fields | {"csrf": token})
            for action, fields in strange.items()
        ]

    assert (unknown.status_code, unknown.headers["location"]) == (303, "/login")
    assert refused.status_code == 403
    assert ("adam" in page, "eve" in page, theirs.hint in page) == (True, False, False)
    assert forged.status_code == 403
    assert [one.status_code for one in answers] == [400, 400, 400]
    assert server.client.get("/runs", headers=other.headers).status_code == 200
    with server.database.read() as connection:
        assert "mallory" not in {one.name for one in accounts.users(connection)}


def test_submissions_of_another_tenant_are_on_no_page(server: ApiServer) -> None:
    owner, other = member(server, "olga"), member(server, "otto")
    with server.database.write() as connection:
        submission_records.add_task(connection)
    body = {"task": "circles", "code": "def solve():\n    return 1\n", "author": "olga's secret"}
    number = server.client.post("/submissions", json=body, headers=owner.headers).json()["number"]

    def get(who: Member, path: str) -> httpx.Response:
        return httpx.get(server.url + path, headers=who.headers, trust_env=False)

    for path in (f"/submissions/{number}", f"/submissions/{number}/diff"):
        assert (get(owner, path).status_code, get(other, path).status_code) == (200, 404), path
    assert "secret" in get(owner, "/submissions").text
    assert "secret" not in get(other, "/submissions").text
