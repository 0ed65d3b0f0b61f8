"""Live pages in Chromium: they go on after the network, the server or the machine was away."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from selenium import webdriver

from acm_workers.store import documents, events, runs
from schemas.run import Run
from schemas.units import Document
from tests.support import api_server, proxy, stored
from tests.support import browser as chromium
from tests.support.api_server import ApiServer
from tests.support.project import wait_until
from tests.support.proxy import Proxy


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with api_server.running(tmp_path_factory.mktemp("live"), dispatch=False) as running:
        yield running


@pytest.fixture(scope="module")
def way(server: ApiServer) -> Iterator[Proxy]:
    """Yield the proxy through which the browser reaches the server."""
    with proxy.running(urlsplit(server.url).port or 0) as running:
        yield running


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with chromium.started(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


class Surroundings(NamedTuple):
    """What an outage can take away."""

    browser: webdriver.Chrome
    way: Proxy


@contextmanager
def offline(around: Surroundings) -> Iterator[None]:
    """Take the network from the browser."""
    fast = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    around.browser.execute_cdp_cmd("Network.enable", {})
    around.browser.execute_cdp_cmd("Network.emulateNetworkConditions", fast | {"offline": True})
    try:
        yield
    finally:
        around.browser.execute_cdp_cmd(
            "Network.emulateNetworkConditions", fast | {"offline": False}
        )


@contextmanager
def stopped(around: Surroundings) -> Iterator[None]:
    """Break the connections and refuse new ones, as a server that is started again."""
    around.way.shut()
    try:
        yield
    finally:
        around.way.open()


@contextmanager
def refused(around: Surroundings) -> Iterator[None]:
    """Answer 503 to everything, as a gateway whose server is away: browsers give a stream up."""
    asked = threading.Event()

    class Refusal(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(503)
            if "/events" in self.path:
                asked.set()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with (
        stopped(around),
        ThreadingHTTPServer(("127.0.0.1", around.way.port), Refusal) as gateway,
    ):
        thread = threading.Thread(target=gateway.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield
            wait_until(asked.is_set)
        finally:
            gateway.shutdown()
            thread.join()


@contextmanager
def asleep(around: Surroundings) -> Iterator[None]:
    """Let an hour pass; the stream is lost afterwards, and nobody is told."""
    around.way.lose(b"/events")
    yield
    around.browser.execute_script(
        "const now = Date.now.bind(Date); Date.now = () => now() + 3600000"
    )


@contextmanager
def hidden(around: Surroundings) -> Iterator[None]:
    """Show another tab: the page gives its connection up."""
    page = around.browser.current_window_handle
    around.browser.switch_to.new_window("tab")
    try:
        wait_until(lambda: around.way.waiting(b"/events") == 0)
        yield
    finally:
        around.browser.close()
        around.browser.switch_to.window(page)


def finish(server: ApiServer, run: Run, document: Document) -> None:
    with server.database.write() as connection:
        ended = document.model_copy(update={"state": "partial", "reason": "a judge was away"})
        documents.finish(connection, ended, (), ())
        events.add(connection, run.id, "document_finished", stored.NOW, document.id)


@pytest.mark.parametrize("outage", [offline, stopped, refused, asleep, hidden])
def test_a_live_page_misses_nothing_of_an_outage_and_goes_on(
    browser: webdriver.Chrome,
    server: ApiServer,
    way: Proxy,
    outage: Callable[[Surroundings], AbstractContextManager[None]],
) -> None:
    with server.database.write() as connection:
        run = stored.run(connection)
        missed = stored.document(connection, run, path="missed.md")
        later = stored.document(connection, run, path="later.md")
    chromium.show(browser, f"http://127.0.0.1:{way.port}/runs/{run.id}", 1280)
    chromium.mark(browser)
    wait_until(lambda: chromium.text(browser, "#connection") == "live")
    chromium.log(browser, "browser")

    with outage(Surroundings(browser, way)):
        finish(server, run, missed)

    wait_until(lambda: chromium.text(browser, "#live").count("a judge was away") == 1)
    wait_until(lambda: chromium.text(browser, "#connection") == "live")
    finish(server, run, later)
    wait_until(lambda: chromium.text(browser, "#live").count("a judge was away") == 2)
    with server.database.write() as connection:
        runs.finish(connection, run.id, "partial", stored.NOW)
    wait_until(lambda: chromium.text(browser, "#live .chip") == "partial")
    wait_until(lambda: chromium.text(browser, "#connection") == "ended")
    assert chromium.is_same_page(browser)
    assert {one["source"] for one in chromium.log(browser, "browser")} <= {"network"}
