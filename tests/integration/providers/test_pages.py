"""Fetches of web pages from a real server, which is on this machine."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import httpcore
import pytest

from acm_workers.errors import ProviderRejected, ProviderUnavailable
from acm_workers.providers.http import pages
from tests.support import scripted_server
from tests.support.project import PATIENCE_S
from tests.support.scripted_server import Flood, Hang, Raw, Reply, ScriptedServer, Trickle

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

    assert time.monotonic() - began < PATIENCE_S


PUBLIC, OTHER = "93.184.216.34", "2606:4700::1111"
PRIVATE = "10.0.0.5"


class Internet:
    """Names, and a server behind each public address; nothing leaves this machine.

    Attributes:
        names: Addresses of a name, one list a look-up; the last one again and again.
        asked: Names that were looked up.
        reached: Addresses that were connected to.
    """

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server
        self.names: dict[str, list[list[str]]] = {}
        self.asked: list[str] = []
        self.reached: list[str] = []
        self._resolve, self._connect = socket.getaddrinfo, httpcore.SyncBackend.connect_tcp

    def resolve(self, host: Any, port: Any, *args: Any, **more: Any) -> list[Any]:
        """Look a name up as ``socket.getaddrinfo`` does."""
        name = host.decode() if isinstance(host, bytes) else host
        if name not in self.names:
            return list(self._resolve(host, port, *args, **more))
        self.asked.append(name)
        answers = self.names[name]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            entry for one in found for entry in self._resolve(one, port, type=socket.SOCK_STREAM)
        ]

    def connect(
        self, backend: httpcore.SyncBackend, host: str, port: int, *args: Any
    ) -> httpcore.NetworkStream:
        """Connect to the server, whatever the address."""
        self.reached.append(host)
        there = int(self.server.base_url.rpartition(":")[2].partition("/")[0])
        return self._connect(backend, "127.0.0.1", there, *args)


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch) -> Iterator[Internet]:
    with scripted_server.running(Reply(200, b"a page", HTML)) as server:
        found = Internet(server)
        monkeypatch.setattr(socket, "getaddrinfo", found.resolve)
        monkeypatch.setattr(
            httpcore.SyncBackend, "connect_tcp", lambda *given: found.connect(*given)
        )
        yield found


@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1:8080/admin", "http://intranet.example/", "//intranet.example/",
     "http://169.254.169.254/latest/meta-data/", "http://[::ffff:10.0.0.5]/"],
)  # fmt: skip
def test_a_redirect_from_a_public_to_a_private_address_is_not_followed(
    internet: Internet, target: str
) -> None:
    internet.names = {"open.example": [[PUBLIC]], "intranet.example": [[PRIVATE]]}
    internet.server.steps = [Reply(302, b"", {"Location": target})]

    with pytest.raises(ProviderRejected, match="is not on the public internet"):
        pages.fetch("http://open.example/a", 10.0, 1000)

    assert (internet.reached, len(internet.server.seen)) == ([PUBLIC], 1)


@pytest.mark.parametrize(
    "addresses", [[PUBLIC, PRIVATE], [PRIVATE, PUBLIC], [OTHER, PUBLIC, "::1"]]
)
def test_a_name_with_a_public_and_a_private_address_is_not_asked(
    internet: Internet, addresses: list[str]
) -> None:
    internet.names = {"mixed.example": [addresses]}

    with pytest.raises(ProviderRejected, match=r"mixed\.example is not on the public internet"):
        pages.fetch("http://mixed.example/", 10.0, 1000)

    assert internet.reached == []


def test_the_connection_goes_to_the_checked_address_whatever_the_name_means_later(
    internet: Internet,
) -> None:
    internet.names = {"changing.example": [[PUBLIC], [PRIVATE]]}

    page = pages.fetch("http://changing.example/", 10.0, 1000)

    assert page.content == b"a page"
    assert (internet.asked, internet.reached) == (["changing.example"], [PUBLIC])
    assert internet.server.seen[0].headers["host"] == "changing.example"


def test_a_name_that_changes_is_checked_again_at_a_redirect(internet: Internet) -> None:
    internet.names = {"changing.example": [[PUBLIC], [PRIVATE]]}
    internet.server.steps = [Reply(302, b"", {"Location": "/again"})]

    with pytest.raises(ProviderRejected, match="is not on the public internet"):
        pages.fetch("http://changing.example/", 10.0, 1000)

    assert internet.reached == [PUBLIC]
