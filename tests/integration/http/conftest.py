"""What modules with tests of pages in Chromium share, each with its own."""

from collections.abc import Iterator

import pytest
from selenium import webdriver

from tests.support import api_server, simulator
from tests.support import browser as chromium
from tests.support.api_server import ApiServer
from tests.support.simulator import Simulator


@pytest.fixture(scope="module")
def provider() -> Iterator[Simulator]:
    with simulator.running(latency_s=0.02) as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with api_server.running(tmp_path_factory.mktemp("pages")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with chromium.started(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver
