import base64
import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pypdf
import pytest
from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from acm_workers.reporting import report
from schemas.run import RunRecords
from tests.support import browser as chromium
from tests.support import hostile_runs, sample_records
from tests.support.browser import show
from tests.support.project import wait_until

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with chromium.started(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


def written(folder: Path, known: RunRecords) -> str:
    page = folder / "index.html"
    page.write_bytes(report.files(known, generated_at=NOW)["index.html"])
    return page.as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("report"), sample_records.small())


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("hostile"), hostile_runs.run())


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("thousand"), sample_records.large(1, 1000, 1))


def unfold(browser: webdriver.Chrome) -> None:
    browser.execute_script(
        "document.querySelectorAll('details').forEach(fold => { fold.open = true })"
    )


def test_report_loads_nothing_and_reports_no_errors(
    browser: webdriver.Chrome, address: str
) -> None:
    browser.get("about:blank")
    chromium.log(browser, "performance")
    chromium.log(browser, "browser")

    show(browser, address, 1280)
    unfold(browser)

    asked = chromium.requests(browser, address)
    assert [url for url in asked if not url.startswith("data:")] == [address]
    assert chromium.log(browser, "browser") == []


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("page", ["address", "hostile"])
def test_report_fits_the_width_of_the_screen(
    browser: webdriver.Chrome, page: str, width: int, request: pytest.FixtureRequest
) -> None:
    show(browser, request.getfixturevalue(page), width)
    unfold(browser)

    reach: int = browser.execute_script("return document.documentElement.scrollWidth")
    assert reach <= width


def test_nothing_that_was_planted_in_texts_and_names_is_executed(
    browser: webdriver.Chrome, hostile: str
) -> None:
    browser.get("about:blank")
    chromium.log(browser, "performance")
    chromium.log(browser, "browser")

    show(browser, hostile, 1280)
    unfold(browser)
    for mark in browser.find_elements(By.CSS_SELECTOR, "article.verdict, .prose, .why li")[:9]:
        browser.execute_script("arguments[0].scrollIntoView()", mark)
        webdriver.ActionChains(browser).move_to_element(mark).perform()

    with pytest.raises(NoAlertPresentException):
        browser.switch_to.alert.accept()
    assert browser.execute_script("return [window.planted, document.scripts.length]") == [None, 1]
    assert chromium.log(browser, "browser") == []
    asked = chromium.requests(browser, hostile)
    assert [url for url in asked if not url.startswith("data:")] == [hostile]
    links: list[str] = browser.execute_script(
        "return [...document.links].map(link => link.protocol)"
    )
    assert set(links) <= {"file:", "https:", "http:"}
    assert "49" not in browser.find_element(By.TAG_NAME, "h1").text


def test_a_script_that_is_not_ours_is_refused_even_within_the_page(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    address = written(tmp_path, sample_records.small())
    page = tmp_path / "index.html"
    page.write_text(page.read_text().replace("</main>", "<script>planted = 1</script></main>"))

    show(browser, address, 1280)

    assert browser.execute_script("return window.planted") is None
    assert "Content Security Policy" in json.dumps(chromium.log(browser, "browser"))


def test_dark_screens_get_light_letters_on_dark_paper(
    browser: webdriver.Chrome, address: str
) -> None:
    show(browser, address, 1280, dark=True)

    assert luminance(browser, "color") > 200
    assert luminance(browser, "backgroundColor") < 40


def test_a_link_leads_into_its_fold_by_keyboard(browser: webdriver.Chrome, address: str) -> None:
    show(browser, address, 1280)
    cell = browser.find_element(By.CSS_SELECTOR, ".matrix td a")
    target = browser.find_element(By.ID, (cell.get_attribute("href") or "").rpartition("#")[2])
    assert not target.is_displayed()

    cell.send_keys(Keys.ENTER)

    wait_until(target.is_displayed)


@pytest.mark.parametrize("width", [390, 1280])
def test_a_link_to_a_text_shows_its_name_below_the_menu(
    browser: webdriver.Chrome, address: str, width: int
) -> None:
    show(browser, address, width)
    link = browser.find_element(By.CSS_SELECTOR, ".verdict a[href^='#t-']")
    target = (link.get_attribute("href") or "").rpartition("#")[2]

    link.send_keys(Keys.ENTER)

    def is_in_sight() -> bool:
        # The menu lies above the text only on narrow screens.
        sight: list[float] = browser.execute_script(
            "const name = document.getElementById(arguments[0]).parentElement.firstElementChild,"
            "  box = name.getBoundingClientRect();"
            "return [box.top, box.bottom, innerHeight,"
            "  name.contains(document.elementFromPoint(box.left + 20, box.top + 4))]",
            target,
        )
        top, bottom, height, is_on_top = sight
        return bool(top >= 0 and bottom <= height and is_on_top)

    wait_until(is_in_sight)


def test_long_tables_are_sorted_filtered_and_paged_by_keyboard(
    browser: webdriver.Chrome, thousand: str
) -> None:
    show(browser, thousand, 1280)
    box = browser.find_element(By.CSS_SELECTOR, "#ranking1 + .paged")
    rows = box.find_elements(By.CSS_SELECTOR, "tbody tr")
    assert len(rows) == 50

    box.find_element(By.CSS_SELECTOR, "button.more").send_keys(Keys.ENTER)
    assert len(box.find_elements(By.CSS_SELECTOR, "tbody tr")) == 100

    heading = box.find_element(By.CSS_SELECTOR, "th button.sort")
    heading.send_keys(Keys.ENTER)
    heading.send_keys(Keys.ENTER)
    assert box.find_element(By.CSS_SELECTOR, "tbody th").text.startswith("1000.")

    box.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("#77")
    found = [row.text for row in box.find_elements(By.CSS_SELECTOR, "tbody th")]
    assert len(found) == 11  # 77 and 770 to 779
    assert box.find_element(By.CSS_SELECTOR, "[role=status]").text == "11 of 1000"


def test_a_word_of_the_headline_filters_the_documents_by_how_sure_their_winner_is(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    known = sample_records.large(10, 3, 1)
    counted = report.build(known, NOW).certainty
    show(browser, written(tmp_path, known), 390)
    link = browser.find_element(By.CSS_SELECTOR, ".lead a[data-word=likely]")
    assert link.text == f"{counted.likely} likely"

    link.send_keys(Keys.ENTER)

    rows = browser.find_elements(By.CSS_SELECTOR, ".winners tbody tr")
    assert [row.find_element(By.CSS_SELECTOR, ".pbest em").text for row in rows] == [
        "likely"
    ] * counted.likely
    told = browser.find_element(By.CSS_SELECTOR, "#summary [role=status]").text
    assert told == f"{counted.likely} of 10"


@pytest.mark.parametrize("width", [390, 1280])
def test_a_thousand_candidates_make_no_endless_page(
    browser: webdriver.Chrome, thousand: str, width: int
) -> None:
    show(browser, thousand, width)

    height: int = browser.execute_script("return document.documentElement.scrollHeight")
    assert height < 30_000


def test_everything_is_there_without_the_script(browser: webdriver.Chrome, thousand: str) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        show(browser, thousand, 1280)
        box = browser.find_element(By.CSS_SELECTOR, "#ranking1 + .paged")

        assert len(box.find_elements(By.CSS_SELECTOR, "tbody tr")) == 1000
        assert browser.find_elements(By.CSS_SELECTOR, "button.sort, input") == []
        fold = box.find_element(By.CSS_SELECTOR, "details.more")
        fold.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
        wait_until(lambda: fold.get_attribute("open") is not None)
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_navigation_shows_itself_on_a_phone(browser: webdriver.Chrome, address: str) -> None:
    show(browser, address, 390)
    links = browser.find_elements(By.CSS_SELECTOR, "nav li:not(.one) a")

    assert all(link.is_displayed() for link in links)
    assert all(link.rect["x"] >= 0 and link.rect["x"] + link.rect["width"] <= 390 for link in links)


def test_a_printed_report_has_each_winner_and_its_text(
    browser: webdriver.Chrome, address: str
) -> None:
    show(browser, address, 1280)

    pages = printed(browser)

    assert "2 of 2 documents have a winner" in pages[0]
    assert "notes/intro.md" in pages[0]
    assert sum(text.count("What was found") for text in pages) == 2  # the two winning texts
    assert len(pages) < 40
    # Nothing of what is folded is printed, and no heading of nothing.
    for heading in ("Configuration", "What the judges said"):
        assert sum(text.count(f"{heading}\n") for text in pages) == 0


def test_the_head_of_a_table_is_printed_on_each_of_its_pages(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    show(browser, written(tmp_path, sample_records.large(30, 2, 1)), 1280)

    pages = printed(browser)

    rows = [len(re.findall(r"text-00\d\d", text)) for text in pages]
    heads = [number for number, text in enumerate(pages) if "Document and best text" in text]
    end = next(number for number, text in enumerate(pages) if "Which model writes best" in text)
    assert heads == [number for number, found in enumerate(rows[: end + 1]) if found]
    assert len(heads) > 1


def printed(browser: webdriver.Chrome) -> list[str]:
    """Return the text of each page of a printed report."""
    file = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
    return [one.extract_text() for one in pypdf.PdfReader(io.BytesIO(base64.b64decode(file))).pages]


def luminance(browser: webdriver.Chrome, prop: str) -> float:
    script = f"return getComputedStyle(document.body).{prop}.match(/[0-9]+/g).map(Number)"
    parts: list[float] = browser.execute_script(script)
    return sum(parts[:3]) / 3
