"""The transport over real HTTP, against a server that answers as it is told."""

import json
import threading
import time
from typing import Any

import pytest

from acm_workers.errors import (
    AcmError,
    ProviderPaused,
    ProviderRejected,
    ProviderUnavailable,
    RateLimited,
    RequestError,
)
from acm_workers.providers import completion
from acm_workers.providers.http import transport
from schemas.config.provider import Provider
from tests.support import silent_port
from tests.support.project import PATIENCE_S, wait_until
from tests.support.provider_calls import ASK, CHAT, FIT, complete, provider
from tests.support.scripted_server import Hang, Raw, Reply, Trickle, running

pytestmark = pytest.mark.usefixtures("closed")

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def test_local_server_without_a_key_is_sent_none() -> None:
    with running(FIT) as server:
        complete(server)

    assert "authorization" not in server.seen[0].headers


def test_key_is_sent_and_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALPHA_KEY", "hush-hush-1")
    refusal = Reply(401, {"error": {"message": "bad key hush-hush-1", "code": "invalid_api_key"}})

    with running(refusal) as server, pytest.raises(ProviderPaused) as caught:
        complete(server, key_env="ALPHA_KEY")

    assert server.seen[0].headers["authorization"] == "Bearer hush-hush-1"
    assert "hush" not in repr(caught.value) + str(caught.value)
    assert "invalid_api_key" in str(caught.value)


def test_missing_key_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALPHA_KEY", raising=False)

    with running(FIT) as server, pytest.raises(RequestError, match="ALPHA_KEY"):
        complete(server, key_env="ALPHA_KEY")

    assert server.seen == []


def test_proxy_of_the_environment_is_not_asked_for_local_servers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    with running(FIT) as server:
        assert complete(server).text == "Hello"


def test_one_thread_keeps_its_connection_and_shares_it_with_nobody() -> None:
    with running(FIT) as server:
        for _ in range(3):
            complete(server)
        other = threading.Thread(target=complete, args=(server,))
        other.start()
        other.join()

    assert len(server.seen) == 4
    assert server.connections == 2


def test_connection_that_the_server_gave_up_is_not_used_again() -> None:
    body = json.dumps(CHAT).encode()
    last = Raw(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)

    with running(last) as server:
        for _ in range(3):
            assert complete(server).text == "Hello"
            assert server.closed.acquire(timeout=PATIENCE_S)

    assert server.connections == 3


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(429, {"error": {"message": "", "code": "insufficient_quota"}}), ProviderPaused),
        (Reply(400, {"error": {"message": "", "code": "unsupported_value"}}), ProviderRejected),
        (Reply(503, b"<html>busy</html>"), ProviderUnavailable),
        (Reply(200, b"<html>log in</html>"), ProviderUnavailable),
        (Reply(200, b""), ProviderUnavailable),
        (Reply(200, b"null"), ProviderUnavailable),
        (Reply(200, b"[]"), ProviderUnavailable),
        (Reply(200, json.dumps(CHAT).encode()[:-40]), ProviderUnavailable),
        (Reply(200, {"error": {"code": 502, "message": "upstream"}}), ProviderUnavailable),
        (Reply(307, b"", {"Location": "http://127.0.0.1:9/"}), ProviderRejected),
        (Reply(200, b"no gzip", {"Content-Encoding": "gzip"}), ProviderUnavailable),
        (Raw(), ProviderUnavailable),
        (Raw(b"SSH-2.0-OpenSSH\r\n"), ProviderUnavailable),
        (Raw(reset=True), ProviderUnavailable),
        (Raw(HEAD + b'Content-Length: 500\r\n\r\n{"id":'), ProviderUnavailable),
        (Raw(HEAD + b'Content-Length: 500\r\n\r\n{"id":', reset=True), ProviderUnavailable),
    ],
)
def test_every_fault_becomes_one_of_our_errors(reply: Reply | Raw, kind: type[AcmError]) -> None:
    with running(reply) as server, pytest.raises(AcmError) as caught:
        complete(server)

    assert type(caught.value) is kind
    assert str(caught.value).startswith("alpha")
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(503, b""), False),
        (Reply(200, b"<html>log in</html>"), True),
        (Reply(200, json.dumps(CHAT).encode()[:-40]), True),
        (Raw(), True),
        (Raw(HEAD + b'Content-Length: 500\r\n\r\n{"id":', reset=True), True),
        (Hang(), True),
    ],
)
def test_answer_that_was_lost_may_have_been_billed(reply: Any, expected: bool) -> None:
    patience: dict[str, Any] = {"timeout_seconds": 0.3} if isinstance(reply, Hang) else {}
    with running(reply) as server, pytest.raises(ProviderUnavailable) as caught:
        complete(server, **patience)

    assert caught.value.maybe_billed is expected


def test_rate_limit_says_how_long_to_wait() -> None:
    limited = Reply(429, {"error": {"code": "rate_limit_exceeded"}}, {"Retry-After": "7"})

    with running(limited) as server, pytest.raises(RateLimited) as caught:
        complete(server)

    assert caught.value.retry_after_s == 7.0


@pytest.mark.parametrize(
    "slow",
    [
        Hang(),
        Hang(HEAD + b"Content-Length: 500\r\n\r\n{"),
        Trickle(HEAD + b"Content-Length: 500000\r\n\r\n"),
        Trickle(HEAD + b"X-Slow: "),
        Trickle(),
    ],
    ids=["silent", "stops", "slow body", "slow header", "slow status"],
)
def test_no_answer_takes_longer_than_allowed(slow: Hang | Trickle) -> None:
    with running(slow) as server:
        began = time.monotonic()
        with pytest.raises(ProviderUnavailable, match=r"no whole answer within 0\.3 s"):
            complete(server, timeout_seconds=0.3)
        took_s = time.monotonic() - began

    # All of these servers would go on for ever.
    assert 0.25 < took_s < PATIENCE_S


def test_an_answer_may_be_waited_for_as_long_as_anybody_likes() -> None:
    with running(FIT) as server:
        assert complete(server, timeout_seconds=1e8).text == "Hello"


def test_huge_answer_is_refused() -> None:
    blanks = b" " * (transport.MAX_RESPONSE_BYTES + 1)

    with running(Reply(200, blanks)) as server, pytest.raises(ProviderRejected, match="4 MB"):
        complete(server)


def test_thread_recovers_from_every_fault() -> None:
    faults = (Raw(reset=True), Trickle(), Reply(500, b""))

    with running(*faults, FIT) as server:
        for number, fault in enumerate(faults, 1):
            patience: dict[str, Any] = (
                {"timeout_seconds": 0.2} if isinstance(fault, Trickle) else {}
            )
            with pytest.raises(ProviderUnavailable):
                complete(server, **patience)
            wait_until(lambda: len(server.seen) == number)  # noqa: B023

        assert complete(server).text == "Hello"


def test_server_that_is_not_there_is_unavailable() -> None:
    with silent_port.reserved() as port:
        there = Provider(dialect="openai", base_url=f"http://127.0.0.1:{port}/v1")
        with pytest.raises(ProviderUnavailable, match="cannot connect") as caught:
            completion.complete(there, "alpha", ASK, "call-1")

    assert not caught.value.maybe_billed


def test_header_that_cannot_be_sent_is_our_mistake() -> None:
    with running(FIT) as server, pytest.raises(ProviderRejected):
        completion.complete(provider(server), "alpha", ASK, "call\n1")


@pytest.mark.parametrize("base_url", ["ftp://127.0.0.1/v1", "nowhere", "http://127.0.0.1:x/v1"])
def test_address_that_is_none_is_our_mistake(base_url: str) -> None:
    with pytest.raises((RequestError, ProviderRejected)):
        completion.complete(Provider(dialect="openai", base_url=base_url), "alpha", ASK, "call-1")


def test_connections_end_with_their_thread() -> None:
    with running(FIT) as server:
        for number in range(1, 6):
            thread = threading.Thread(target=complete, args=(server,))
            thread.start()
            thread.join()

            assert server.closed.acquire(timeout=PATIENCE_S)
            assert server.connections == number
