"""The pages: a run is started from the form, followed and read; hostile texts stay texts."""

import html
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest
import yaml

from acm_workers.reporting import formatting
from acm_workers.store import calls, events
from tests.support import api_server, simulator, stored, submission_records
from tests.support.api_server import ApiServer
from tests.support.simulator import Simulator

_HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> [a](javascript:alert(3)) {{7*7}}"


class _Dangers(HTMLParser):
    """Collects markup that would run something."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and given.get("src") != "/static/pages.js":
            self.found.append(tag)
        self.found += [name for name in given if name.startswith("on") or name == "style"]
        self.found += [link for link in (given.get("href"),) if link and ":" in link.split("/")[0]
                       and link != "data:,"]  # fmt: skip


def _dangers(page: str) -> list[str]:
    parser = _Dangers()
    parser.feed(page)
    return parser.found


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with api_server.running(tmp_path_factory.mktemp("pages")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(server: ApiServer) -> Iterator[httpx.Client]:
    """Yield a client that sends forms like a browser."""
    headers = {"Origin": server.url}
    with httpx.Client(base_url=server.url, headers=headers, trust_env=False, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def form(provider: Simulator, server: ApiServer, browser: httpx.Client) -> dict[str, str]:
    """Return a form that is filled in with hostile texts."""
    config = api_server.body(provider.url, {})["config"]
    (key,) = re.findall(r'name="key" value="([^"]+)"', browser.get("/new").text)
    return {
        "key": key,
        "title": f"title {_HOSTILE}",
        "instructions": f"Write. {_HOSTILE}",
        "config": yaml.safe_dump(config),
        "name": "notes <b>.md",
        "text": f"# Notes\n\n{_HOSTILE}",
    }


@pytest.fixture(scope="module")
def run_id(server: ApiServer, browser: httpx.Client, form: dict[str, str]) -> str:
    """Return a run that was started from the form and has ended."""
    answer = browser.post("/new", data=form | {"action": "start"})
    assert answer.status_code == 303
    found = answer.headers["location"].rpartition("/")[2]
    assert server.ended(found) == "done"
    return found


def test_the_form_shows_plan_and_price_and_keeps_what_was_typed(
    browser: httpx.Client, form: dict[str, str]
) -> None:
    page = browser.post("/new", data=form | {"action": "plan"})

    assert page.status_code == 200
    assert "at most" in page.text
    assert html.escape(_HOSTILE, quote=False) in page.text.replace("&#34;", '"')


def test_a_form_that_is_sent_twice_starts_one_run(
    browser: httpx.Client, form: dict[str, str], run_id: str
) -> None:
    again = browser.post("/new", data=form | {"action": "start"})

    assert again.headers["location"] == f"/runs/{run_id}"


def test_faults_of_a_form_are_shown_with_their_keys(
    browser: httpx.Client, form: dict[str, str]
) -> None:
    page = browser.post("/new", data=form | {"config": "rnus: []", "action": "plan"})

    assert page.status_code == 400
    assert "did you mean runs?" in page.text


def test_code_that_is_sent_twice_is_submitted_once(
    server: ApiServer, browser: httpx.Client
) -> None:
    with server.database.write() as connection:
        submission_records.add_task(connection)
    sent = {"key": "k" * 20, "task": "circles", "author": "ada", "title": "", "code": "\r\nx = 1"}

    first, again = (browser.post("/submissions/new", data=sent) for _ in range(2))

    assert (first.status_code, again.status_code) == (303, 303)
    assert again.headers["location"] == first.headers["location"]
    number = first.headers["location"].rpartition("/")[2]
    (version,) = server.client.get(f"/submissions/{number}").json()["versions"]
    assert version["content"] == "\nx = 1"


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("task", "squares", "there is no task &#34;squares&#34;"),
        ("author", "", "fill this in"),
        ("title", "x" * 501, "at most 500 characters"),
        ("code", "# nothing", "the submission holds nothing but comments"),
    ],
)
def test_a_fault_of_submitted_code_is_shown_beside_its_field(
    server: ApiServer, browser: httpx.Client, name: str, value: str, fault: str
) -> None:
    with server.database.write() as connection:
        submission_records.add_task(connection)
    sent = {"task": "circles", "author": "ada", "title": "", "code": "x = 1"} | {name: value}

    page = browser.post("/submissions/new", data=sent)

    assert page.status_code == 400
    (told,) = re.findall(rf'id="{name}-fault" role="alert">([^<]*)<', page.text)
    assert told.startswith(fault)


def test_every_page_is_served_and_no_text_becomes_markup(
    server: ApiServer, browser: httpx.Client, run_id: str
) -> None:
    (document,) = server.client.get(f"/runs/{run_id}/documents").json()["items"]
    calls = server.client.get(f"/runs/{run_id}/calls").json()["items"]
    paths = [
        "/runs", f"/runs/{run_id}", f"/runs/{run_id}/documents/{document['id']}",
        f"/runs/{run_id}/calls", *(f"/runs/{run_id}/calls/{one['id']}" for one in calls[:3]),
        f"/runs/{run_id}/documents/{document['id']}/diff", f"/new?like={run_id}", "/providers",
        "/leaderboard",
    ]  # fmt: skip

    pages = {path: browser.get(path) for path in paths}

    for path, page in pages.items():
        assert page.status_code == 200, path
        policy = page.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert _dangers(page.text) == [], path
    winner = f"/runs/{run_id}/documents/{document['id']}?text={document['winner_id']}"
    assert f'<a href="{winner}#chosen">' in pages[f"/runs/{run_id}"].text
    assert '<h2 id="chosen">' in browser.get(winner).text
    # What a run was planned to cost at its start is not what it cost.
    assert '<th class="n">Cost planned at start</th>' in pages["/runs"].text
    assert re.search(r"about \$[\d.]+</td>", pages["/runs"].text)
    listed = re.findall(r'<a href="/runs/(\w{26})">', pages["/runs"].text)
    told = [server.client.get(f"/runs/{one}/status").json()["calls"]["cost_usd"] for one in listed]
    assert run_id in listed
    for spent in (*told, sum(told)):
        assert formatting.dollars(spent) in pages["/runs"].text
    assert f"<b>{formatting.dollars(sum(told))}</b>" in pages["/runs"].text
    assert "{{7*7}}" in pages[f"/runs/{run_id}/documents/{document['id']}"].text
    assert browser.get(f"/runs/{run_id}/report").status_code == 200
    for path in ("/static/pages.css", "/static/pages.js"):
        assert browser.get(path).status_code == 200


def test_a_page_of_another_site_starts_nothing(server: ApiServer, form: dict[str, str]) -> None:
    answer = httpx.post(
        f"{server.url}/new",
        data=form | {"action": "start"},
        headers={"Origin": "http://evil.example"},
        trust_env=False,
    )

    assert answer.status_code == 403


def test_viewing_a_folder_without_runs_shows_how_to_start_one(tmp_path: Path) -> None:
    with api_server.running(tmp_path, dispatch=False) as server:
        page = httpx.get(f"{server.url}/runs", trust_env=False)
        home = httpx.get(server.url, trust_env=False)
        path = f"{server.url}/runs/01ARZ3NDEKTSV4RRFFQ69G5FAV"
        lost = httpx.get(path, headers={"Accept": "text/html"}, trust_env=False)

    assert "acm run --demo" in page.text
    assert (lost.status_code, "<h1>Not Found</h1>" in lost.text) == (404, True)
    assert home.headers["location"] == "/runs"


def test_a_run_whose_process_fails_says_why(tmp_path: Path) -> None:
    with api_server.running(tmp_path, dispatch=False) as server:
        with server.database.write() as connection:
            run = stored.run(connection)
            data = {"kind": "acm_error", "message": "<b>no</b> disk"}
            events.add(connection, run.id, "execution_failed", stored.NOW, data=data)
        page = httpx.get(f"{server.url}/runs/{run.id}", trust_env=False)

    assert "Its process failed: &lt;b&gt;no&lt;/b&gt; disk." in page.text


def test_the_sum_of_the_listed_runs_says_which_calls_it_lacks(tmp_path: Path) -> None:
    with api_server.running(tmp_path, dispatch=False) as running:
        with running.database.write() as connection:
            units = [
                stored.candidates(connection, stored.document(connection, stored.run(connection)))[
                    0
                ]
                for _ in range(2)
            ]
            ended = (
                stored.call(units[0], state="done", cost_usd=0.25, ended_at=stored.at(2)),
                stored.call(units[0], state="done", cost_usd=None, ended_at=stored.at(2)),
                stored.call(units[1], state="uncertain", ended_at=stored.at(2)),
            )
            for call in ended:
                calls.start(connection, call)
        page = httpx.get(f"{running.url}/runs", trust_env=False)

    told = re.search(r'<p class="hint">(Spent on .*)</p>', page.text)
    assert told is not None
    assert told[1] == (
        "Spent on these 2 runs: <b>$0.2500</b>, and 1 call of unknown price;"
        " 1 uncertain call may have cost more."
    )
