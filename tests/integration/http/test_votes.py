"""Voting over HTTP, with the client, in the terminal and in a page that needs no script."""

import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest

import acm_api
from tests.support import api_server, simulator
from tests.support.api_server import ApiServer
from tests.support.project import Project
from tests.support.simulator import Simulator
from tests.support.texts import first

_NAMES = re.compile(r"sim-|alpha|beta|openai|generator", re.IGNORECASE)


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, provider: Simulator) -> Iterator[ApiServer]:
    with api_server.running(tmp_path_factory.mktemp("api")) as running:
        yield running


@pytest.fixture(scope="module")
def run_id(server: ApiServer, provider: Simulator) -> str:
    body = api_server.body(provider.url, first(1))
    found: str = server.client.post("/runs", json=body).json()["run_id"]
    server.ended(found)
    return found


def read_from(file: Path) -> None:
    """Have a command read what a person would write."""
    sys.stdin = file.open()


def test_votes_are_given_taken_back_and_counted_over_http(server: ApiServer, run_id: str) -> None:
    url = f"/runs/{run_id}/votes"
    shown = server.client.post(f"{url}/next?voter=ann")
    ballot = shown.json()["ballot"]
    again = server.client.post(f"{url}/next?voter=ann").json()["ballot"]
    missing = server.client.post(f"{url}/{ballot['vote_id']}?voter=ann", json={})
    other = server.client.post(f"{url}/{ballot['vote_id']}?voter=bob", json={"choice": "left"})

    cast = server.client.post(f"{url}/{ballot['vote_id']}?voter=ann", json={"choice": "left"})
    changed = server.client.post(f"{url}/{ballot['vote_id']}?voter=ann", json={"choice": "tie"})
    counted = server.client.get(url).json()
    undone = server.client.post(f"{url}/undo?voter=ann").json()

    assert ballot == again
    assert not _NAMES.search(ballot["left"] + ballot["right"])
    assert (missing.status_code, other.status_code) == (422, 404)
    assert cast.json() == {"vote_id": ballot["vote_id"], "choice": "left", "votes": 1}
    assert changed.status_code == 409
    assert (counted["votes"], [one["name"] for one in counted["people"]]) == (1, ["ann"])
    assert (undone["choice"], undone["votes"]) == (None, 0)


def test_the_client_shows_each_pair_once_and_votes_are_in_report_and_exports(
    server: ApiServer, run_id: str
) -> None:
    client = acm_api.Client(server.url)
    pairs = set()
    while (ballot := client.next_vote(run_id, voter="bob")) is not None:
        pairs.add(frozenset((ballot.left, ballot.right)))
        client.cast_vote(run_id, ballot.vote_id, "left", voter="bob")

    found = client.votes(run_id)
    report = httpx.get(f"{server.url}/runs/{run_id}/report", trust_env=False).text
    results = server.client.get(f"/runs/{run_id}/results").json()

    bob = next(one for one in found.people if one.name == "bob")
    assert bob.votes == bob.left == len(pairs) > 1
    assert found.winners[0].votes >= len(pairs)
    assert {one.judge for one in found.judges} == {
        one["name"] for one in results["judges"]["figures"]
    }
    assert 'id="people"' in report
    assert results["people"]["votes"] == found.votes
    assert len([one for one in results["votes"] if one["voter"] == "bob"]) == len(pairs)


def test_the_page_works_without_a_script(server: ApiServer, run_id: str) -> None:
    page = f"{server.url}/runs/{run_id}/vote"
    with httpx.Client(trust_env=False, follow_redirects=True) as browser:
        shown = browser.get(page, params={"voter": "eve"}).text
        vote_id = re.search(r'name="vote_id" value="(\w+)"', shown)
        assert vote_id is not None
        form = {"vote_id": vote_id[1], "voter": "eve"}
        wrong = browser.post(page, data={**form, "choice": "best"}).text
        after = browser.post(page, data={**form, "choice": "right"}).text
        back = browser.post(page, data={"voter": "eve", "choice": "undo"}).text
        told = browser.get(f"{server.url}/runs/{run_id}/votes").text
        run_page = browser.get(f"{server.url}/runs/{run_id}").text

    main = shown.partition('<div class="sides">')[2].partition("<details")[0]
    assert main
    assert not _NAMES.search(main)
    assert "choose one of the answers" in wrong
    assert "1 vote by" in after
    assert "0 votes by" in back
    assert vote_id[1] in back
    assert "What people say" in told
    assert f"/runs/{run_id}/vote" in run_page


def test_the_command_votes_at_a_server(server: ApiServer, run_id: str, tmp_path: Path) -> None:
    project = Project(tmp_path, {})
    answers = project.write("answers", "x\nu\nl\nd\nq\n")
    at = {"ACM_API_URL": server.url}
    give = partial(read_from, answers)
    with project.started("vote", run_id, "--as", "joe", env=at, before=give) as command:
        voted = command.end()
    told = project.acm("vote", run_id, "--json", env=at)
    shown = project.acm("show", run_id, env=at)

    assert (voted.code, told.code) == (0, 0)
    assert "'x' is not an answer" in voted.out
    assert "has no vote" in voted.out
    assert "left; votes so far: 1" in voted.out
    assert "INSTRUCTIONS" in voted.out
    assert "they change the winner of" in shown.out
    assert "joe" in {one["name"] for one in told.last["people"]}
