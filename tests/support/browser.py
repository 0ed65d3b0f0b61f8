"""A real Chromium, driven by its own driver, for tests of pages."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium_axe_python.axe import Axe

from tests.support import silent_port

_FLAGS = (
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

_SERIOUS = ("serious", "critical")


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is missing: apt-get install chromium chromium-driver")
    return found


@contextmanager
def started(profile: Path) -> Iterator[webdriver.Chrome]:
    """Start a Chromium that logs its console and its requests."""
    options = webdriver.ChromeOptions()
    options.binary_location = _program("chromium")
    for flag in _FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with silent_port.reserved() as port:
        service = Service(_program("chromedriver"), port=port)
        driver = webdriver.Chrome(options=options, service=service)
        try:
            yield driver
        finally:
            driver.quit()


def show(browser: webdriver.Chrome, address: str, width: int, *, dark: bool = False) -> None:
    """Show a page as on a screen of a width."""
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [scheme]})
    browser.get(address)


def mark(browser: webdriver.Chrome) -> None:
    """Mark the page: the mark is lost when it is loaded again."""
    browser.execute_script("window.marked = true")


def is_same_page(browser: webdriver.Chrome) -> bool:
    """Return whether the marked page was not loaded again."""
    return browser.execute_script("return window.marked === true") is True


def text(browser: webdriver.Chrome, selector: str) -> str:
    """Return the text of what a CSS selector names; empty if there is nothing."""
    script = "return document.querySelector(arguments[0])?.textContent || ''"
    found: str = browser.execute_script(script, selector)
    return found


def barriers(browser: webdriver.Chrome, *, contrast_only: bool = False) -> list[str]:
    """Return the serious and critical problems that axe-core finds on a page."""
    axe = Axe(browser)
    axe.inject()  # type: ignore[no-untyped-call]
    options = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
    found = axe.run(options=options if contrast_only else {"resultTypes": ["violations"]})
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in found["violations"]
        if one["impact"] in _SERIOUS
    ]


def log(browser: webdriver.Chrome, kind: str) -> list[dict[str, Any]]:
    """Return what was logged since the last time."""
    entries: list[dict[str, Any]] = browser.get_log(kind)  # type: ignore[no-untyped-call]
    return entries


def requests(browser: webdriver.Chrome, address: str) -> list[str]:
    """Return what a page asked for since the last time."""
    # The page of a new tab makes requests of its own, which may be late.
    return [each["request"]["url"] for each in _sent(browser) if each["documentURL"] == address]


def every_request(browser: webdriver.Chrome) -> list[str]:
    """Return what all pages of servers asked for since the last time."""
    sent = [each for each in _sent(browser) if each["documentURL"].startswith("http")]
    return [each["request"]["url"] for each in sent]


def _sent(browser: webdriver.Chrome) -> list[dict[str, Any]]:
    events = [json.loads(entry["message"])["message"] for entry in log(browser, "performance")]
    return [each["params"] for each in events if each["method"] == "Network.requestWillBeSent"]
