"""Uses a page in a browser as somebody does who has no mouse."""

import re
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.expected_conditions import alert_is_present
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from tests.support.project import PATIENCE_S, wait_until

_MOST_STEPS = 150
_TAB = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}


def reach(browser: webdriver.Chrome, selector: str) -> WebElement:
    """Press Tab until the focus is on what a CSS selector names; return it."""
    for _ in range(_MOST_STEPS):
        for kind in ("rawKeyDown", "keyUp"):
            browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, **_TAB})
        if browser.execute_script("return document.activeElement.matches(arguments[0])", selector):
            return browser.switch_to.active_element
    raise AssertionError(f"no Tab leads to {selector}")


def press(browser: webdriver.Chrome, selector: str) -> None:
    """Reach a link or button and press Enter on it."""
    reach(browser, selector)
    webdriver.ActionChains(browser).send_keys(Keys.ENTER).perform()


def accept(browser: webdriver.Chrome) -> None:
    """Confirm what the page asks."""
    WebDriverWait(browser, PATIENCE_S).until(alert_is_present()).accept()


def type_in(browser: webdriver.Chrome, selector: str, text: str) -> None:
    """Reach a field and replace what it holds."""
    field = reach(browser, selector)
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(text)


def choose(browser: webdriver.Chrome, selector: str, value: str) -> None:
    """Reach a list and go down until a value is chosen."""
    field = reach(browser, selector)
    options = [one.get_attribute("value") for one in Select(field).options]
    field.send_keys(Keys.HOME, *[Keys.ARROW_DOWN] * options.index(value))
    assert field.get_attribute("value") == value


def go(browser: webdriver.Chrome, selector: str, path: str) -> None:
    """Press a link or button, and wait until a page with such a path (a pattern) is loaded."""
    press(browser, selector)
    wait_until(lambda: re.search(f"{path}$", urlsplit(browser.current_url).path))
    wait_until(lambda: browser.execute_script("return document.readyState") == "complete")
