import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from acm_workers.reporting import report
from tests.support import sample_records
from tests.support.project import wait_until

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # that of a container is too small at times
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is missing: apt-get install chromium chromium-driver")
    return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = program("chromium")
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chromium')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(program("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    page = tmp_path_factory.mktemp("report") / "index.html"
    made = report.files(sample_records.small(), generated_at=datetime(2026, 3, 2, 12, tzinfo=UTC))
    page.write_bytes(made["index.html"])
    return page.as_uri()


def show(browser: webdriver.Chrome, address: str, width: int, *, dark: bool = False) -> None:
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.get(address)
    browser.execute_script(
        "document.querySelectorAll('details').forEach(fold => { fold.open = true })"
    )


def log(browser: webdriver.Chrome, kind: str) -> list[dict[str, Any]]:
    """Return what was logged since the last time."""
    entries: list[dict[str, Any]] = browser.get_log(kind)  # type: ignore[no-untyped-call]
    return entries


def requests(browser: webdriver.Chrome, address: str) -> list[str]:
    """Return what a page asked for since the last time."""
    events = [json.loads(entry["message"])["message"] for entry in log(browser, "performance")]
    sent = [each["params"] for each in events if each["method"] == "Network.requestWillBeSent"]
    # The page of a new tab makes requests of its own, which may be late.
    return [each["request"]["url"] for each in sent if each["documentURL"] == address]


def test_report_loads_nothing_and_reports_no_errors(
    browser: webdriver.Chrome, address: str
) -> None:
    browser.get("about:blank")
    log(browser, "performance")
    log(browser, "browser")

    show(browser, address, 1280)

    assert [url for url in requests(browser, address) if not url.startswith("data:")] == [address]
    assert log(browser, "browser") == []


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_report_fits_the_width_of_the_screen(
    browser: webdriver.Chrome, address: str, width: int
) -> None:
    show(browser, address, width)
    reach: int = browser.execute_script("return document.documentElement.scrollWidth")

    assert reach <= width


def test_dark_screens_get_light_letters_on_dark_paper(
    browser: webdriver.Chrome, address: str
) -> None:
    show(browser, address, 1280, dark=True)

    assert luminance(browser, "color") > 200
    assert luminance(browser, "backgroundColor") < 40


def test_folds_open_by_keyboard(browser: webdriver.Chrome, address: str) -> None:
    show(browser, address, 1280)
    fold = browser.find_element(By.CSS_SELECTOR, "details.winning")

    fold.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)

    wait_until(lambda: fold.get_attribute("open") is None)


def test_winner_is_printed_though_it_is_folded(browser: webdriver.Chrome, address: str) -> None:
    browser.get(address)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})

    height: float = browser.execute_script(
        "return document.querySelector('details.winning .prose').getBoundingClientRect().height"
    )

    assert height > 100


def luminance(browser: webdriver.Chrome, prop: str) -> float:
    script = f"return getComputedStyle(document.body).{prop}.match(/[0-9]+/g).map(Number)"
    parts: list[float] = browser.execute_script(script)
    return sum(parts[:3]) / 3
