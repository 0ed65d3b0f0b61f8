"""The transport over TLS and through proxies, as it goes to every provider on the internet."""

import ssl
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import trustme

from acm_workers.errors import ProviderPaused, ProviderRejected, ProviderUnavailable
from acm_workers.limits.memory import MemoryLimiter
from acm_workers.providers import completion
from acm_workers.providers.http import endpoints
from acm_workers.runtime import Runtime
from acm_workers.store.connection.database import Database
from schemas.calls import Completion, Message, Request
from schemas.config.provider import Provider
from tests.support import connect_proxy
from tests.support.project import PATIENCE_S
from tests.support.provider_calls import ASK, CHAT, FIT, complete
from tests.support.scripted_server import Hang, Raw, Reply, ScriptedServer, Trickle, running

pytestmark = pytest.mark.usefixtures("closed")

HOST = "api.provider.example"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
LONG = "Häuser und Gärten. " * 60_000
"""More than sockets take at a time."""

_SLOW_S = 10.0
"""The body of an answer takes longer, at one byte every 50 ms."""


class Certified:
    """A maker of certificates that this process trusts."""

    def __init__(self, folder: Path) -> None:
        self._maker = trustme.CA()
        self.file = folder / "ca.pem"
        self._maker.cert_pem.write_to_path(str(self.file))

    def server(self) -> ssl.SSLContext:
        """Return what a server on this machine needs, which may also be called ``HOST``."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._maker.issue_cert("127.0.0.1", HOST).configure_cert(context)
        return context


@pytest.fixture
def certified(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    made = Certified(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    endpoints.shared_tls_context.cache_clear()
    yield made
    endpoints.shared_tls_context.cache_clear()


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def port_of(server: ScriptedServer) -> int:
    return urlsplit(server.base_url).port or 0


def ask_host(scheme: str, content: str = "?", **beside: Any) -> Completion:
    """Ask a provider that only a proxy can find."""
    base_url = f"{scheme}://{HOST}/v1"
    there = Provider(dialect="openai_chat", base_url=base_url, key_env="ALPHA_KEY", **beside)
    message = Message(role="user", content=content)
    return completion.complete(
        there, "alpha", ASK.model_copy(update={"messages": (message,)}), "c-1"
    )


def test_long_questions_and_answers_pass_through_tls(certified: Certified) -> None:
    said = {**CHAT, "choices": [{**CHAT["choices"][0]}]}
    said["choices"][0]["message"] = {"role": "assistant", "content": LONG}
    question = Request(provider="a", model="m1", messages=(Message(role="user", content=LONG),))

    with running(Reply(body=said), tls=certified.server()) as server:
        there = Provider(dialect="openai_chat", base_url=server.base_url)
        answer = completion.complete(there, "alpha", question, "call-1")

    assert answer.text == LONG
    assert server.seen[0].body["messages"][0]["content"] == LONG


def test_a_connection_with_tls_is_kept(certified: Certified) -> None:
    with running(FIT, tls=certified.server()) as server:
        for _ in range(3):
            assert complete(server).text == "Hello"

    assert (len(server.seen), server.connections) == (3, 1)


def test_a_connection_with_tls_that_the_server_gave_up_is_not_used_again(
    certified: Certified,
) -> None:
    last = Reply(body=CHAT, headers={"Connection": "close"})

    with running(last, tls=certified.server()) as server:
        for _ in range(2):
            assert complete(server).text == "Hello"
            assert server.closed.acquire(timeout=PATIENCE_S)

    assert server.connections == 2


@pytest.mark.parametrize(
    "slow",
    [Hang(), Trickle(HEAD + b"Content-Length: 500000\r\n\r\n"), Trickle(HEAD + b"X-Slow: ")],
    ids=["silent", "slow body", "slow header"],
)
def test_no_answer_over_tls_takes_longer_than_allowed(
    certified: Certified, slow: Hang | Trickle
) -> None:
    with running(FIT, slow, tls=certified.server()) as server:
        complete(server)
        began = time.monotonic()
        with pytest.raises(ProviderUnavailable, match="no whole answer within") as caught:
            complete(server, timeout_seconds=0.3)
        took_s = time.monotonic() - began

    assert 0.25 < took_s < PATIENCE_S
    assert caught.value.maybe_billed


@pytest.mark.usefixtures("no_proxies")
def test_a_record_of_tls_that_comes_byte_by_byte_takes_no_longer_than_allowed(
    monkeypatch: pytest.MonkeyPatch, certified: Certified
) -> None:
    monkeypatch.setenv("ALPHA_KEY", "hush-hush-1")
    with (
        running(FIT, tls=certified.server()) as server,
        connect_proxy.running(port_of(server)) as proxy,
    ):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        ask_host("https")
        proxy.pause_s = 0.05
        began = time.monotonic()
        with pytest.raises(ProviderUnavailable, match="no whole answer within"):
            ask_host("https", timeout_seconds=0.3)
        took_s = time.monotonic() - began

    assert 0.25 < took_s < _SLOW_S


def test_an_answer_that_breaks_off_within_tls_is_none(certified: Certified) -> None:
    broken = Raw(HEAD + b'Content-Length: 500\r\n\r\n{"id":', reset=True)

    with (
        running(broken, tls=certified.server()) as server,
        pytest.raises(ProviderUnavailable) as caught,
    ):
        complete(server)

    assert caught.value.maybe_billed


def test_a_certificate_that_nobody_vouches_for_is_refused(certified: Certified) -> None:
    stranger = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(stranger)

    with (
        running(FIT, tls=stranger) as server,
        pytest.raises(ProviderRejected, match="TLS certificate cannot be verified") as caught,
    ):
        complete(server)

    assert server.seen == []
    assert not caught.value.maybe_billed


def test_where_no_certificates_can_be_read_the_provider_rests(
    monkeypatch: pytest.MonkeyPatch, certified: Certified, sqlite_database: Database
) -> None:
    certified.file.unlink()
    there = Provider(dialect="openai_chat", base_url=f"https://{HOST}/v1", key_env="ALPHA_KEY")
    monkeypatch.setenv("ALPHA_KEY", "hush-hush-1")
    live = Runtime(sqlite_database, MemoryLimiter({"alpha": there}))

    with pytest.raises(ProviderPaused, match=r"^SSL_CERT_FILE: .* holds no certificates"):
        live.call_context.require_access("run", "alpha", there)

    assert live.limiter.state("alpha")["paused"].startswith("SSL_CERT_FILE: ")


def test_a_server_that_does_not_shake_hands_is_not_waited_for(certified: Certified) -> None:
    with connect_proxy.running(0) as without_tls:
        there = Provider(
            dialect="openai_chat",
            base_url=f"https://127.0.0.1:{without_tls.port}/v1",
            timeout_seconds=0.3,
        )
        with pytest.raises(ProviderUnavailable, match="no connection within") as caught:
            completion.complete(there, "alpha", ASK, "call-1")

    assert not caught.value.maybe_billed


@pytest.mark.usefixtures("no_proxies")
@pytest.mark.parametrize("secured", [False, True], ids=["http", "https"])
def test_a_proxy_is_asked_for_a_way_that_only_tls_passes(
    monkeypatch: pytest.MonkeyPatch, certified: Certified, secured: bool
) -> None:
    monkeypatch.setenv("ALPHA_KEY", "hush-hush-1")
    with (
        running(FIT, tls=certified.server()) as server,
        connect_proxy.running(port_of(server), certified.server() if secured else None) as proxy,
    ):
        scheme = "https" if secured else "http"
        monkeypatch.setenv("HTTPS_PROXY", f"{scheme}://me:pass@127.0.0.1:{proxy.port}")

        answers = [ask_host("https", LONG).text, ask_host("https").text]

    assert answers == ["Hello", "Hello"]
    assert [seen.headers["host"] for seen in server.seen] == [HOST, HOST]
    assert len(proxy.asked) == server.connections == 1
    head = proxy.asked[0]
    assert head.startswith(f"CONNECT {HOST}:443 HTTP/1.1\r\n")
    assert "proxy-authorization: basic bwu6cgfzcw==" in head.lower()
    assert "hush" not in head


@pytest.mark.usefixtures("no_proxies")
def test_a_way_on_which_no_tls_came_about_is_not_taken_again(
    monkeypatch: pytest.MonkeyPatch, certified: Certified
) -> None:
    monkeypatch.setenv("ALPHA_KEY", "hush-hush-1")
    with (
        running(FIT) as without_tls,
        running(FIT, tls=certified.server()) as server,
        connect_proxy.running(port_of(without_tls)) as proxy,
    ):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.port}")
        with pytest.raises(ProviderUnavailable) as caught:
            ask_host("https")
        proxy.target = port_of(server)

        assert ask_host("https").text == "Hello"

    assert not caught.value.maybe_billed


@pytest.mark.usefixtures("no_proxies")
def test_a_proxy_is_given_requests_without_tls_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALPHA_KEY", "hush-hush-1")
    with running(FIT) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port_of(proxy)}")

        answers = [ask_host("http").text, ask_host("http").text]

    assert answers == ["Hello", "Hello"]
    assert [seen.path for seen in proxy.seen] == [f"http://{HOST}/v1/chat/completions"] * 2
    assert proxy.connections == 1


def test_threads_share_no_connection_with_tls(certified: Certified) -> None:
    with running(FIT, tls=certified.server()) as server:
        threads = [threading.Thread(target=complete, args=(server,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert (len(server.seen), server.connections) == (8, 8)
