"""A provider that attacks: what its answers may cost in memory, and how they are booked."""

import gzip
import json
import tracemalloc
from collections.abc import Callable

import pytest

from acm_workers.errors import AcmError, ProviderRejected, ProviderUnavailable
from acm_workers.providers.http import transport
from tests.support.hostile_answers import MB, gzipped
from tests.support.provider_calls import CHAT, complete
from tests.support.scripted_server import Flood, Raw, Reply, running

pytestmark = pytest.mark.usefixtures("closed")

ORDINARY = json.dumps(CHAT).encode()


def peak_bytes(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_answer_that_grows_when_inflated_is_refused_within_the_limit(layers: int) -> None:
    bomb = gzipped(b" " * (64 * MB), layers)

    def attack() -> None:
        with pytest.raises(ProviderRejected) as caught:
            complete(server)
        assert caught.value.maybe_billed

    with running(bomb) as server:
        assert peak_bytes(attack) < 3 * transport.MAX_RESPONSE_BYTES


@pytest.mark.parametrize("encoding", ["gzip, gzip", "deflate", "br", "zstd", "gzip, identity, br"])
def test_only_one_layer_of_gzip_is_accepted(encoding: str) -> None:
    reply = gzipped(ORDINARY, encoding=encoding)

    with running(reply) as server, pytest.raises(ProviderRejected, match="encoded") as caught:
        complete(server)

    assert caught.value.maybe_billed


@pytest.mark.parametrize("encoding", ["gzip", "GZIP", "x-gzip", "identity, gzip"])
def test_answer_in_one_layer_of_gzip_is_read(encoding: str) -> None:
    with running(gzipped(ORDINARY, encoding=encoding)) as server:
        assert complete(server).text == "Hello"


def test_broken_gzip_is_an_answer_that_may_be_billed() -> None:
    cut = Reply(200, gzip.compress(ORDINARY)[:-12], {"Content-Encoding": "gzip"})

    with running(cut) as server, pytest.raises(ProviderUnavailable) as caught:
        complete(server)

    assert caught.value.maybe_billed


def test_status_of_a_failure_counts_whatever_its_encoding_is() -> None:
    failure = Reply(503, b"busy", {"Content-Encoding": "br"})

    with running(failure) as server, pytest.raises(ProviderUnavailable) as caught:
        complete(server)

    assert not caught.value.maybe_billed


def test_bytes_behind_the_end_of_a_gzip_body_count_too() -> None:
    trailing = gzip.compress(ORDINARY) + b"\0" * (transport.MAX_RESPONSE_BYTES + 1)
    reply = Reply(200, trailing, {"Content-Encoding": "gzip"})

    with running(reply) as server, pytest.raises(ProviderRejected, match="longer than"):
        complete(server)


def test_lack_of_memory_for_an_answer_may_be_billed(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(raw: bytes) -> None:
        raise MemoryError

    monkeypatch.setattr(transport, "parse_json", exhausted)

    with running(Reply(200, CHAT)) as server, pytest.raises(AcmError, match="memory") as caught:
        complete(server)

    assert caught.value.maybe_billed


HINTS = b"HTTP/1.1 103 Early Hints\r\nX-Hint: " + b"h" * 9000 + b"\r\n\r\n"


@pytest.mark.parametrize("head", [b"HTTP/1.1 100 Continue\r\n\r\n", HINTS], ids=["100", "103"])
def test_informational_responses_are_few(head: bytes) -> None:
    with running(Flood(head * 20)) as server, pytest.raises(ProviderUnavailable) as caught:
        complete(server, timeout_seconds=10)

    assert "informational responses" in str(caught.value)
    assert caught.value.maybe_billed


def test_answer_after_some_informational_responses_is_read() -> None:
    head = b"HTTP/1.1 100 Continue\r\n\r\n" * 20 + b"HTTP/1.1 200 OK\r\n"
    answer = Raw(head + b"Content-Length: %d\r\n\r\n" % len(ORDINARY) + ORDINARY)

    with running(answer) as server:
        assert complete(server).text == "Hello"


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 700 + b"]" * 700,
        b'{"error":' * 700 + b"{}" + b"}" * 700,
        b'{"choices":' * 190 + b"{}" + b"}" * 190,
        b'\xef\xbb\xbf{"error":{"details":' + b"[" * 300 + b"]" * 300 + b"}}",
        b"[" * 1_000_000,
    ],
    ids=["lists", "errors", "choices", "details", "open"],
)
def test_deep_json_becomes_one_of_our_errors(body: bytes, status: int) -> None:
    with running(Reply(status, body)) as server, pytest.raises(AcmError):
        complete(server)
