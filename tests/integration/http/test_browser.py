"""The pages in Chromium: a run from form to report by keyboard, and no barrier on any page."""

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi.routing import APIRoute
from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from sqlalchemy import update

from acm_api import submissions
from acm_api.http.pages import views
from acm_workers.engine.submission_worker import SubmissionOptions, SubmissionWorker
from acm_workers.store import submission_versions
from acm_workers.store.submission_tables import SubmissionVersionRow
from schemas.submissions import Evaluator, SubmissionTask
from tests.support import (
    api_member,
    api_server,
    hostile_runs,
    keyboard,
    stored_records,
    submission_records,
)
from tests.support import browser as chromium
from tests.support.api_server import ApiServer
from tests.support.project import wait_until
from tests.support.simulator import Simulator
from tests.support.submission_records import NOW

_EVALUATOR = Evaluator(source="def evaluate(submission):\n    return submission.result\n")


@pytest.fixture(scope="module")
def downloads(browser: webdriver.Chrome, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which the browser downloads."""
    folder = tmp_path_factory.mktemp("downloads")
    where = {"behavior": "allow", "downloadPath": str(folder)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    return folder


@contextmanager
def halted(provider: Simulator) -> Iterator[None]:
    """Keep a provider from answering: calls stay in flight, and no run ends."""
    os.kill(provider.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(provider.pid, signal.SIGCONT)


def state(browser: webdriver.Chrome) -> str:
    return chromium.text(browser, "#live .chip")


def facts(browser: webdriver.Chrome) -> str:
    return chromium.text(browser, "#live")


@pytest.fixture(scope="module")
def run_id(browser: webdriver.Chrome, server: ApiServer, provider: Simulator) -> str:
    """Return a run that was started from the form, cancelled, resumed and watched to its end."""
    config = json.dumps(api_server.body(provider.url, {})["config"] | {"budget_usd": 5})
    chromium.show(browser, server.url, 1280)
    chromium.log(browser, "browser")

    keyboard.go(browser, "a[href='/new']", "/new")
    keyboard.type_in(browser, "#title", "Two briefings")
    keyboard.type_in(browser, "#instructions", "Write a briefing.")
    keyboard.type_in(browser, "#config", config)
    keyboard.type_in(browser, "[name=name]", "notes/first.md")
    keyboard.type_in(browser, "[name=text]", "# First\n\nWhat happened.")
    keyboard.press(browser, "button[value=plan]")
    wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "section[aria-label=Plan]"))
    assert "at most" in browser.find_element(By.CSS_SELECTOR, "section[aria-label=Plan]").text

    with halted(provider):
        keyboard.press(browser, "button[value=start]")
        wait_until(lambda: re.search(r"/runs/\w{26}$", browser.current_url))
        chromium.mark(browser)
        wait_until(lambda: re.search(r"[1-9]\d* in flight", facts(browser)))
        assert state(browser) == "running"
        keyboard.press(browser, "button[data-post$='/cancel']")
        keyboard.accept(browser)
        wait_until(
            lambda: not chromium.is_same_page(browser) and "being cancelled" in facts(browser)
        )
        chromium.mark(browser)
    wait_until(lambda: state(browser) == "cancelled")
    assert chromium.is_same_page(browser)

    with halted(provider):
        keyboard.press(browser, "button[data-post$='/resume']")
        wait_until(lambda: state(browser) == "running" and not chromium.is_same_page(browser))
        chromium.mark(browser)
        keyboard.type_in(browser, "#budget", "7")
        keyboard.press(browser, "form.budget button")
        wait_until(lambda: not chromium.is_same_page(browser) and "budget $7.00" in facts(browser))
        chromium.mark(browser)
    wait_until(lambda: state(browser) == "done")
    assert chromium.is_same_page(browser)
    return browser.current_url.rpartition("/")[2]


@pytest.fixture(scope="module")
def document(server: ApiServer, run_id: str) -> str:
    (found,) = server.client.get(f"/runs/{run_id}/documents").json()["items"]
    return f"/runs/{run_id}/documents/{found['id']}"


@pytest.fixture(scope="module")
def paths(server: ApiServer, run_id: str, document: str) -> list[str]:
    """Return the paths of all pages for one user, with something on each."""
    with server.database.write() as connection:
        submission_records.add_task(connection)
        submission_records.add(connection, title="Circles")
    call = server.client.get(f"/runs/{run_id}/calls").json()["items"][-1]["id"]
    return [
        "/runs", f"/runs/{run_id}", document, f"{document}/diff", f"/runs/{run_id}/calls",
        f"/runs/{run_id}/calls/{call}", f"/new?like={run_id}", "/leaderboard", "/submissions",
        "/submissions/new", "/submissions/1", "/submissions/1/diff", "/providers",
        f"/compare?a={run_id}&b={run_id}",
        f"/runs/{run_id}/vote", f"/runs/{run_id}/votes", f"/runs/{run_id}/report",
    ]  # fmt: skip


def test_a_run_is_started_watched_cancelled_resumed_and_read_by_keyboard_alone(
    browser: webdriver.Chrome, server: ApiServer, run_id: str, downloads: Path
) -> None:
    chromium.show(browser, f"{server.url}/runs/{run_id}", 1280)

    keyboard.go(browser, "#live th.name a", r"/documents/\w+")
    assert browser.find_element(By.CSS_SELECTOR, "tr.won .name").text.endswith("★")
    assert browser.find_element(By.CSS_SELECTOR, ".prose").text
    keyboard.go(browser, ".actions a[href$='/diff']", "/diff")
    keyboard.choose(browser, "#left", "source")
    keyboard.go(browser, "form.filters button", "/diff")
    assert browser.find_elements(By.CSS_SELECTOR, ".diff ins")
    assert "the source" in browser.find_element(By.CSS_SELECTOR, ".diff p").text

    keyboard.go(browser, f".kicker a[href='/runs/{run_id}']", run_id)
    keyboard.go(browser, ".actions a[href$='/calls']", "/calls")
    keyboard.go(browser, ".calls tbody a", r"/calls/\w+")
    assert "Write a briefing." in browser.find_element(By.TAG_NAME, "main").text

    chromium.show(browser, f"{server.url}/runs/{run_id}", 1280)
    keyboard.press(browser, "a[href$='/rankings.csv']")
    (table,) = wait_until(lambda: list(downloads.glob("*.csv")))
    assert "notes/first.md" in table.read_text()
    keyboard.go(browser, ".actions a[href$='/report']", "/report")
    assert (
        "is the best of 3 texts for notes/first.md"
        in browser.find_element(By.TAG_NAME, "header").text
    )
    assert chromium.log(browser, "browser") == []


def test_a_person_votes_by_single_keys(
    browser: webdriver.Chrome, server: ApiServer, run_id: str
) -> None:
    def shown() -> str:
        return str(browser.execute_script("return document.querySelector('main')?.innerText || ''"))

    chromium.show(browser, f"{server.url}/runs/{run_id}/vote?voter=ann", 1280)
    assert "0 votes by ann" in shown()

    for key, said in ((Keys.ARROW_LEFT, "1 vote by"), ("t", "2 votes by"), ("u", "1 vote by")):
        webdriver.ActionChains(browser).send_keys(key).perform()
        wait_until(lambda said=said: said in shown())  # type: ignore[misc]

    keyboard.go(browser, ".kicker a[href$='/votes']", "/votes")
    assert "ann" in shown()
    assert chromium.log(browser, "browser") == []


def test_no_page_is_left_out(paths: list[str]) -> None:
    routes = [one for noun in views.NOUNS for one in noun.router.routes]
    own = [one for one in routes if isinstance(one, APIRoute) and "GET" in (one.methods or ())]
    elsewhere = {"/login", "/users"}

    asked = [urlsplit(path).path for path in paths]
    missing = {one.path for one in own if not any(one.path_regex.match(path) for path in asked)}

    assert missing == elsewhere


@pytest.mark.parametrize("dark", [False, True])
def test_no_page_has_a_serious_barrier(
    browser: webdriver.Chrome, server: ApiServer, paths: list[str], dark: bool
) -> None:
    found = {}

    for path in [*paths[1:6], paths[-1]] if dark else paths:
        chromium.show(browser, server.url + path, 1280, dark=dark)
        found[path] = chromium.barriers(browser, contrast_only=dark)

    assert {path: one for path, one in found.items() if one} == {}


def test_pages_fit_a_phone(browser: webdriver.Chrome, server: ApiServer, paths: list[str]) -> None:
    reach = {}

    for path in paths:
        chromium.show(browser, server.url + path, 390)
        reach[path] = browser.execute_script("return document.documentElement.scrollWidth")

    assert {path: width for path, width in reach.items() if width > 390} == {}


@pytest.fixture(scope="module")
def hostile(server: ApiServer, run_id: str) -> list[str]:
    """Return the paths of the pages of a run and a submission whose texts are all hostile."""
    known = hostile_runs.run()
    attack = hostile_runs.ATTACK
    log = f"{attack}\n{hostile_runs.LONG_LINE[:300_000]}"
    with server.database.write() as connection:
        stored_records.put(connection, known)
        submission_records.add_task(connection, "hostile", title=attack, description=attack)
        key = submission_records.add(
            connection, attack, task_key="hostile", title=attack[:400], author=attack[:190],
            tags=("<script>planted=7</script>",), abstract=attack,
        )  # fmt: skip
        claimed = {"state": "running", "epoch": 1, "log": log, "error": attack, "message": attack}
        connection.execute(
            update(SubmissionVersionRow)
            .where(SubmissionVersionRow.submission_id == key.submission_id)
            .values(**claimed)
        )
        content = f"{attack}\n{attack}"
        submission_versions.add(connection, key.submission_id, "hostile", content, NOW)
    run = f"/runs/{known.run.id}"
    first = known.documents[0].id
    own = [one for one in known.artifacts if one.document_id == first]
    pages = [f"{run}/documents/{first}?text={one.id}" for one in own]
    return [
        "/runs?q=<script>planted%3D8</script>", "/runs", run, *pages,
        f"{run}/documents/{known.documents[1].id}",
        f"{run}/documents/{first}/diff?left={own[0].id}&right={own[2].id}",
        f"{run}/documents/{first}/diff?left=source&right={own[1].id}",
        f"{run}/vote", f"{run}/calls", f"{run}/calls/{known.calls[0].id}",
        f"/new?like={known.run.id}",
        "/leaderboard?q=<img src=x onerror=planted%3D9>", "/leaderboard", "/submissions",
        "/submissions/new?task=<script>planted%3D10</script>",
        f"/submissions/{key.submission_id}?version=1", f"/submissions/{key.submission_id}",
        f"/submissions/{key.submission_id}/diff", f"/compare?a={known.run.id}&b={known.run.id}",
        f"{run}/vote", f"{run}/votes",
    ]  # fmt: skip


def test_nothing_that_was_planted_is_executed_or_breaks_a_page(
    browser: webdriver.Chrome, server: ApiServer, hostile: list[str]
) -> None:
    browser.get("about:blank")
    chromium.log(browser, "browser")
    chromium.log(browser, "performance")
    widths, links, planted = {}, set(), []

    for path in hostile:
        chromium.show(browser, server.url + path, 390)
        browser.execute_script("document.querySelectorAll('details').forEach(one => one.open = 1)")
        widths[path] = browser.execute_script("return document.documentElement.scrollWidth")
        planted += browser.execute_script("return [window.planted, document.scripts.length]")
        links |= set(browser.execute_script("return [...document.links].map(one => one.protocol)"))
        assert browser.find_elements(By.TAG_NAME, "h1"), path

    with pytest.raises(NoAlertPresentException):
        browser.switch_to.alert.accept()
    assert planted == [None, 1] * len(hostile)
    assert {path: width for path, width in widths.items() if width > 390} == {}
    assert links <= {"http:", "https:"}
    assert chromium.log(browser, "browser") == []
    asked = chromium.every_request(browser)
    assert [one for one in asked if not one.startswith((server.url, "data:", "about:"))] == []


def test_a_log_is_shown_as_it_grows_and_stays_a_text(
    browser: webdriver.Chrome, server: ApiServer
) -> None:
    with server.database.write() as connection:
        submission_records.add_task(connection, "growing")
        key = submission_records.add(connection, task_key="growing")
    row = SubmissionVersionRow
    this = update(row).where(row.submission_id == key.submission_id)
    chromium.show(browser, f"{server.url}/submissions/{key.submission_id}", 1280)
    chromium.mark(browser)

    with server.database.write() as connection:
        connection.execute(this.values(state="running", log="\x1b[31m<b>one</b>\n"))
    log = browser.find_element(By.ID, "log")
    wait_until(lambda: log.text == "<b>one</b>")
    with server.database.write() as connection:
        ended = {"state": "scored", "score": 3.5, "finished_at": NOW}
        connection.execute(this.values(log="<b>one</b>\ntwo", **ended))

    wait_until(lambda: "3.500" in browser.find_element(By.ID, "live").text)
    wait_until(lambda: log.text == "<b>one</b>\ntwo")
    assert chromium.is_same_page(browser)


def test_code_is_submitted_from_the_form_and_its_log_is_followed(
    browser: webdriver.Chrome, server: ApiServer, tmp_path: Path
) -> None:
    tasks = [SubmissionTask(key=key, evaluator=_EVALUATOR) for key in ("decoy", "numbers")]
    submissions.register(server.database, tasks)
    file = tmp_path / "mine.py"
    file.write_text("def solve():\n    print('so far')\n    return 2.5\n")
    chromium.show(browser, f"{server.url}/submissions", 390)
    chromium.log(browser, "browser")

    keyboard.go(browser, "a[href='/submissions/new']", "/new")
    keyboard.choose(browser, "#task", "numbers")
    keyboard.type_in(browser, "#author", " ")
    keyboard.reach(browser, "#file").send_keys(str(file))
    wait_until(lambda: browser.execute_script("return document.getElementById('code').value"))
    keyboard.press(browser, "button.primary")
    wait_until(lambda: chromium.text(browser, "#author-fault"))
    assert chromium.text(browser, "#author-fault") == "a submission has an author"
    assert browser.switch_to.active_element.get_attribute("id") == "author"
    assert browser.find_element(By.ID, "code").get_attribute("value") == file.read_text()
    assert chromium.barriers(browser) == []

    keyboard.type_in(browser, "#author", "ada")
    keyboard.go(browser, "button.primary", r"/submissions/\d+")
    chromium.mark(browser)
    assert "Waits for a worker" in facts(browser)
    SubmissionWorker(server.database, SubmissionOptions(until_empty=True)).run()
    wait_until(lambda: "2.500" in facts(browser))
    wait_until(lambda: chromium.text(browser, "#log") == "so far\n")
    assert chromium.is_same_page(browser)
    (refused,) = chromium.log(browser, "browser")  # the browser's own word for the refused form
    assert "400 (Bad Request)" in refused["message"]


def test_an_admin_manages_users_and_keys_by_keyboard(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    with api_server.running(tmp_path, single_user=False, dispatch=False) as server:
        chief = api_member.add(server.database, "chief", "read", "run", "admin")
        chromium.show(browser, f"{server.url}/users", 390)
        chromium.log(browser, "browser")
        assert chromium.barriers(browser) == []

        keyboard.type_in(browser, "#key", chief.key)
        keyboard.go(browser, "button.primary", "/runs")
        keyboard.go(browser, "nav a[href='/users']", "/users")
        keyboard.type_in(browser, "#name", "ann")
        keyboard.press(browser, "form[action='/users/add'] button")
        wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "[aria-label='Disable ann']"))
        keyboard.choose(browser, "#user", "ann")
        keyboard.type_in(browser, "#key-name", "notebook")
        keyboard.press(browser, "form[action='/users/add-key'] button")
        wait_until(lambda: browser.find_elements(By.ID, "secret"))
        secret = browser.find_element(By.ID, "secret").text
        headers = {"Authorization": f"Bearer {secret}"}
        assert server.client.get("/runs", headers=headers).status_code == 200
        found = chromium.barriers(browser)
        width = browser.execute_script("return document.documentElement.scrollWidth")
        keyboard.press(browser, "[aria-label^='Revoke the key'][aria-label$='of ann']")
        keyboard.accept(browser)
        wait_until(lambda: "revoked" in browser.find_element(By.TAG_NAME, "main").text)

        assert server.client.get("/runs", headers=headers).status_code == 401
        assert (found, width) == ([], 390)
        assert chromium.log(browser, "browser") == []
