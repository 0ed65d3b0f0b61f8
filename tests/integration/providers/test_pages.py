"""Fetches of web pages from a real server, which is on this machine."""

import time

import pytest

from acm_workers.errors import ProviderRejected, ProviderUnavailable
from acm_workers.providers.http import pages
from tests.support import scripted_server
from tests.support.scripted_server import Flood, Hang, Raw, Reply, Trickle

HTML = {"Content-Type": "Text/HTML; charset=UTF-8"}
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def test_a_page_comes_with_type_and_charset() -> None:
    with scripted_server.running(Reply(200, b"<p>canals</p>", HTML)) as server:
        page = pages.fetch(server.base_url, 10.0, 1000, private=True)

    assert page.content == b"<p>canals</p>"
    assert (page.status, page.media_type, page.charset) == (200, "text/html", "UTF-8")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "127.1"]
)
def test_this_machine_is_not_asked_whatever_it_is_called(host: str) -> None:
    with scripted_server.running(Reply(200, b"secret", HTML)) as server:
        port = server.base_url.rpartition(":")[2]
        with pytest.raises((ProviderRejected, ProviderUnavailable)):
            pages.fetch(f"http://{host}:{port}", 10.0, 1000)

    assert server.connections == 0


def test_redirects_are_followed_and_bounded() -> None:
    there = Reply(302, b"", {"Location": "/v1/other?a=1"})
    with scripted_server.running(there, Reply(200, b"moved", HTML)) as server:
        page = pages.fetch(server.base_url, 10.0, 1000, private=True)

        assert (page.url.endswith("/v1/other?a=1"), page.content) == (True, b"moved")

    with (
        scripted_server.running(there) as server,
        pytest.raises(ProviderRejected, match="more than 5 times"),
    ):
        pages.fetch(server.base_url, 10.0, 1000, private=True)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "javascript:1", "gopher://example.org/"])
def test_a_redirect_to_what_is_no_page_is_refused(target: str) -> None:
    with (
        scripted_server.running(Reply(301, b"", {"Location": target})) as server,
        pytest.raises(ProviderRejected),
    ):
        pages.fetch(server.base_url, 10.0, 1000, private=True)


@pytest.mark.parametrize(
    "step",
    [
        Flood(b"x" * 65536, _HEAD + b"\r\n"),
        Raw(_HEAD + b"Content-Length: 5000\r\n\r\n" + b"x" * 5000),
    ],
    ids=["endless", "long"],
)
def test_a_page_that_is_too_long_is_refused(step: scripted_server.Step) -> None:
    with (
        scripted_server.running(step) as server,
        pytest.raises(ProviderRejected, match="longer than"),
    ):
        pages.fetch(server.base_url, 10.0, 1000, private=True)


@pytest.mark.parametrize(
    "step", [Hang(), Trickle(_HEAD + b"\r\n"), Trickle(b"HTTP/1.1 200 OK\r\nA: ")]
)
def test_a_page_that_takes_too_long_is_given_up(step: scripted_server.Step) -> None:
    with scripted_server.running(step) as server:
        began = time.monotonic()
        with pytest.raises(ProviderUnavailable):
            pages.fetch(server.base_url, 0.3, 1 << 20, private=True)

    assert time.monotonic() - began < 10
