"""Judges compare winners of two runs at a server: priced first, started once, within quotas."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from acm_workers.store import accounts, runs
from acm_workers.store.connection.database import Database
from schemas.scope import LOCAL
from tests.support import api_member, api_server, stored
from tests.support.api_member import Member
from tests.support.api_server import ApiServer

_PRICED = {
    "alpha": {
        "dialect": "openai_chat",
        "base_url": "http://127.0.0.1:1/v1",
        "prices": {"j1": {"input": 1.0, "output": 2.0}},
    }
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """Yield a server that starts no run by itself."""
    home = tmp_path_factory.mktemp("api")
    with api_server.running(home, single_user=False, dispatch=False) as running:
        yield running


@pytest.fixture(scope="module")
def ann(server: ApiServer) -> Member:
    return api_member.add(server.database, "ann", tenant_id=LOCAL.tenant_id)


def decided(database: Database, *texts: str) -> list[str]:
    """Add runs that decided one document, each with its text; return their ids."""
    config = stored.config(providers=_PRICED)
    with database.write() as connection:
        return [stored.decided(connection, text, config=config).id for text in texts]


def ask(server: ApiServer, who: Member, a: str, b: str, **more: Any) -> httpx.Response:
    headers = who.headers | more.pop("headers", {})
    return server.client.post(f"/runs/{a}/difference/{b}/cross-judging", headers=headers, json=more)


def test_the_price_is_told_before_and_a_repeated_request_starts_nothing_again(
    server: ApiServer, ann: Member
) -> None:
    a, b = decided(server.database, "One text.", "Another text.")
    path = f"/runs/{a}/difference/{b}/cross-judging?documents=5"
    once = {"Idempotency-Key": "first"}

    plan = server.client.get(path, headers=ann.headers).json()
    first, again = (ask(server, ann, a, b, documents=5, headers=once) for _ in range(2))
    without_key = ask(server, ann, a, b, documents=5)
    other = ask(server, ann, a, b, documents=6, headers=once)
    known = server.client.get(path, headers=ann.headers).json()

    assert (plan["documents"], plan["judges"], plan["run_id"]) == (1, ["j1"], None)
    assert (plan["expected"]["calls"], plan["expected"]["usd"] > 0) == (2, True)
    assert (first.status_code, again.status_code, without_key.status_code) == (202, 202, 202)
    assert first.json() == again.json() == without_key.json() == known
    assert known["state"] == "running"
    assert other.status_code == 409  # the key belongs to another request
    with server.database.read() as connection:
        waiting = [run.id for run in runs.requested(connection)]
    assert waiting == [known["run_id"]]


def test_only_a_key_that_may_start_runs_has_winners_compared(server: ApiServer) -> None:
    reader = api_member.add(server.database, "reader", "read", tenant_id=LOCAL.tenant_id)
    a, b = decided(server.database, "One.", "Two.")

    refused = ask(server, reader, a, b)
    page = httpx.get(
        f"{server.url}/compare?a={a}&b={b}&documents=3", headers=reader.headers, trust_env=False
    )

    assert (refused.status_code, refused.json()["kind"]) == (403, "not_allowed")
    assert "Compare winners of" not in page.text


def test_a_tenant_pays_no_more_than_its_quota_for_judging_winners(server: ApiServer) -> None:
    dora = api_member.add(server.database, "dora", tenant_id=LOCAL.tenant_id)
    a, b = decided(server.database, "A text.", "Some other text.")
    c, d = decided(server.database, "A third text.", "A fourth text.")
    with server.database.write() as connection:
        accounts.set_quotas(connection, LOCAL.tenant_id, usd_per_day=0.05, runs_at_once=None)

    bound = ask(server, dora, a, b, budget_usd=9).json()["run_id"]
    spent = ask(server, dora, c, d)

    with server.database.write() as connection:
        accounts.set_quotas(connection, LOCAL.tenant_id, usd_per_day=None)
        assert runs.get(connection, bound).config.budget_usd == pytest.approx(0.05)
    assert (spent.status_code, spent.json()["kind"]) == (429, "quota_spent")


def test_a_paused_comparison_of_winners_goes_on_with_the_budget_of_the_new_request(
    server: ApiServer, ann: Member
) -> None:
    a, b = decided(server.database, "Text one.", "Text two.")
    first = ask(server, ann, a, b, budget_usd=0.01).json()["run_id"]
    with server.database.write() as connection:
        assert runs.pause(connection, first, "the budget is spent")
    warned = server.client.get(f"/runs/{a}/difference/{b}", headers=ann.headers).json()

    second = ask(server, ann, a, b, budget_usd=0.5).json()

    assert "is paused: the budget is spent" in " ".join(warned["warnings"])
    assert (second["run_id"], second["state"]) == (first, "running")
    with server.database.read() as connection:
        assert runs.get(connection, first).config.budget_usd == 0.5


def test_a_comparison_of_winners_is_no_evaluation_of_either_run(
    server: ApiServer, ann: Member
) -> None:
    a, b = decided(server.database, "First text.", "Second text.")
    assert ask(server, ann, a, b).status_code == 202

    for one in (a, b):
        status = server.client.get(f"/runs/{one}/evaluate/status", headers=ann.headers).json()
        assert (status["eval_task_id"], status["status"]) == (one, "completed")


def test_the_page_shows_the_price_and_leads_to_the_run_that_compares(
    server: ApiServer, ann: Member
) -> None:
    a, b = decided(server.database, "Page one.", "Page two.")
    form = {"a": a, "b": b, "documents": "5", "budget_usd": "", "key": "k"}

    with httpx.Client(base_url=server.url, headers=ann.headers, trust_env=False) as browser:
        priced = browser.get(f"/compare?a={a}&b={b}&documents=5")
        wrong = browser.post("/compare", data=form | {"budget_usd": "much"})
        sent = browser.post("/compare", data=form)
        after = browser.get(f"/compare?a={a}&b={b}&documents=5")

    assert "Compare winners of 1 document<" in priced.text
    assert wrong.status_code == 400
    assert "not valid" in wrong.text
    run_id = sent.headers["location"].removeprefix("/runs/")
    assert sent.status_code == 303
    assert f'href="/runs/{run_id}"' in after.text
    assert "Compare winners of 1 document<" not in after.text


def test_runs_with_the_same_winners_are_refused_in_one_line(server: ApiServer, ann: Member) -> None:
    a, b = decided(server.database, "Same.", "Same.")

    refused = ask(server, ann, a, b)
    page = httpx.get(
        f"{server.url}/compare?a={a}&b={b}&documents=3", headers=ann.headers, trust_env=False
    )

    assert refused.status_code == 409
    assert "two different winners" in refused.json()["detail"]
    assert "two different winners" in page.text
