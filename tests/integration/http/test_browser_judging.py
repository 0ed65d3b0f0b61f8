"""Settling a run and comparing two in Chromium, by keyboard."""

from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from acm_workers.simulator.quality import phrases_for
from tests.support import (
    api_server,
    configs,
    intercepting_proxy,
    keyboard,
    stored,
    stored_records,
)
from tests.support import browser as chromium
from tests.support.api_server import ApiServer
from tests.support.project import wait_until
from tests.support.records_builder import RecordsBuilder
from tests.support.simulator import Simulator


@pytest.fixture(scope="module")
def compared(server: ApiServer) -> tuple[str, str]:
    """Return two runs over the same documents, of which the second writes better."""
    found = []
    for seed, quality, model in ((2, 5.5, "small-1"), (3, 7.5, "large-9")):
        made = RecordsBuilder(seed, f"R{seed:025d}")
        runs = [one.model_copy(update={"model": model}) for one in made.config.runs]
        made.config = made.config.model_copy(update={"runs": tuple(runs)})
        for number in range(8):
            document = made.document(f"notes/{number}.md")
            for place in (1, 2):
                text = made.artifact(document, f"Text {place} by {model}.", place)
                made.evaluate(text, quality)
            made.rank(document)
        records = made.material(title=f"with {model}", state="done")
        with server.database.write() as connection:
            stored_records.put(connection, records)
        found.append(records.run.id)
    return found[0], found[1]


def test_two_runs_are_chosen_and_compared_by_keyboard(
    browser: webdriver.Chrome, server: ApiServer, compared: tuple[str, str]
) -> None:
    first, second = compared
    told = server.client.get(f"/runs/{first}/difference/{second}").json()
    winners = told["measures"][0]
    chromium.show(browser, f"{server.url}/runs/{second}", 390)
    chromium.log(browser, "browser")

    keyboard.go(browser, ".actions a[href^='/compare']", "/compare")
    keyboard.choose(browser, "#a", first)
    keyboard.go(browser, "form.filters button", "/compare")
    wait_until(lambda: chromium.text(browser, "main h2"))

    assert chromium.text(browser, "main h2") == "B is better"
    row = chromium.text(browser, "[aria-label=Differences] tbody tr")
    assert row.startswith(winners["name"])
    for value in (winners["difference"], winners["low"], winners["high"]):
        assert f"{value:+.2f}" in row
    changes = chromium.text(browser, "[aria-label='Values that differ']")
    assert "small-1" in changes
    assert "large-9" in changes
    assert chromium.text(browser, "[aria-label=Documents] tbody").count("notes/") == 8
    assert browser.execute_script("return document.documentElement.scrollWidth") == 390
    assert chromium.barriers(browser) == []
    assert chromium.log(browser, "browser") == []


def test_a_run_in_progress_is_settled_from_its_page(
    browser: webdriver.Chrome, server: ApiServer, provider: Simulator
) -> None:
    with intercepting_proxy.holding(provider.url, "The two candidates") as held:
        run = api_server.body(held.url, {"notes.md": "What happened."})
        run_id = server.client.post("/runs", json=run).raise_for_status().json()["run_id"]

        def status() -> Any:
            return server.client.get(f"/runs/{run_id}/status").json()

        wait_until(lambda: status()["units"].get("evaluation", {}).get("done") == 2)
        wait_until(lambda: status()["calls"]["in_flight"] == 2)  # both orders of the pair
        chromium.show(browser, f"{server.url}/runs/{run_id}", 1280)
        chromium.log(browser, "browser")
        assert chromium.text(browser, "#live .chip") == "running"
        chromium.mark(browser)
        keyboard.press(browser, "button[data-post$='/settle']")
        keyboard.accept(browser)
        wait_until(lambda: not chromium.is_same_page(browser))
        wait_until(lambda: chromium.text(browser, "#live .chip"))
        chromium.mark(browser)
        held.open()
        wait_until(lambda: chromium.text(browser, "#live .chip") == "done")

    assert chromium.is_same_page(browser)
    (document,) = server.client.get(f"/runs/{run_id}").json()["documents"]
    assert document["settled"]
    assert (document["artifacts"], document["evaluations"], document["comparisons"]) == (2, 2, 2)
    winner = document["winner"]
    row = chromium.text(browser, "[aria-label=Documents] tbody tr")
    assert f"{winner['model']} #{winner['number']}{winner['overall']:.2f}" in row
    assert row.endswith("donesettled early")
    assert status()["calls"]["sent"] == 6  # those that were sent before: nothing was added
    assert not browser.find_elements(By.CSS_SELECTOR, "button[data-post]")
    assert chromium.log(browser, "browser") == []


def test_judges_compare_winners_from_the_page_that_tells_what_it_costs(
    browser: webdriver.Chrome, server: ApiServer, provider: Simulator
) -> None:
    config = stored.config(providers={"alpha": configs.provider(provider.url, "m1", "j1")})
    with server.database.write() as connection:
        a, b = (
            stored.decided(connection, text, config=config).id
            for text in (" ".join(phrases_for(quality)) for quality in (0.1, 0.9))
        )
    chromium.show(browser, f"{server.url}/compare?a={a}&b={b}", 390)
    chromium.log(browser, "browser")
    before = provider.stats()["requests"]

    keyboard.type_in(browser, "#documents", "3")
    keyboard.press(browser, "form[action='/compare#judging'] button")
    wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "form[method=post] button"))
    priced = browser.current_url
    facts = chromium.text(browser, "dl.facts")
    assert "Documents1" in facts
    assert "Calls2" in facts
    assert chromium.barriers(browser) == []
    assert provider.stats()["requests"] == before

    keyboard.go(browser, "form[method=post] button", r"/runs/\w+")
    run_id = browser.current_url.rpartition("/")[2]
    wait_until(lambda: chromium.text(browser, "#live .chip") == "done")
    assert provider.stats()["requests"] == before + 2
    chromium.show(browser, priced, 390)
    win_rate = chromium.text(browser, "[aria-label=Differences] tbody tr:last-child")
    assert win_rate == "win rate0.001.00+1.001"  # of A, of B, difference, documents
    assert browser.find_elements(By.CSS_SELECTOR, f"a[href='/runs/{run_id}']")
    assert not browser.find_elements(By.CSS_SELECTOR, "form[method=post] button")
    assert chromium.log(browser, "browser") == []
