"""The simulator over real connections: what only shows on the wire."""

import json
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import pytest

from tests.support import abandoned_request, simulated
from tests.support.project import PATIENCE_S
from tests.support.simulated import DIALECTS, DialectName, Wanted
from tests.support.simulator import Simulator, running

STALL_S = 1.0


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with running(latency_s=0, background_latency_s=0.3, stall_s=STALL_S) as started:
        yield started


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, timeout=PATIENCE_S) as opened:
        yield opened


def ask(
    client: httpx.Client,
    simulator: Simulator,
    model: str,
    dialect: DialectName = "openai_chat",
    **changes: Any,
) -> httpx.Response:
    request = simulated.arrived(dialect, Wanted(model=model, **changes))
    headers = {name: value for name, value in request.headers if name != b"host"}
    return client.post(simulator.root + request.path, content=request.body, headers=headers)


def text(answer: httpx.Response) -> str:
    return simulated.text("openai_chat", answer.json())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_has_its_own_address(
    simulator: Simulator, client: httpx.Client, dialect: DialectName
) -> None:
    answer = ask(client, simulator, "m1", dialect)

    assert simulated.text(dialect, answer.raise_for_status().json()).startswith("# ")
    assert any(name in answer.headers for name in ("x-request-id", "request-id", "server-timing"))


def test_t3_says_nothing_and_hangs_up(simulator: Simulator, client: httpx.Client) -> None:
    began = time.monotonic()

    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        ask(client, simulator, "m1@T3")

    assert time.monotonic() - began >= 0.9 * STALL_S


def test_t4_drips_without_an_end(simulator: Simulator, client: httpx.Client) -> None:
    request = simulated.arrived("openai_chat", Wanted(model="m1@T4"))
    url = simulator.root + request.path

    with client.stream("POST", url, content=request.body) as answer:
        bytes_ = answer.iter_raw(1)
        begun = b"".join(next(bytes_) for _ in range(5))

    assert answer.status_code == 200
    assert begun == b'{"id"'


@pytest.mark.parametrize("dialect", DIALECTS)
def test_t5_resets_in_mid_body(
    simulator: Simulator, client: httpx.Client, dialect: DialectName
) -> None:
    request = simulated.arrived(dialect, Wanted(model="m1@T5"))
    headers = [header for header in request.headers if header[0] != b"host"]

    with client.stream(
        "POST", simulator.root + request.path, content=request.body, headers=headers
    ) as answer:
        chunks = answer.iter_raw()
        got = next(chunks)
        with pytest.raises(httpx.ReadError):
            next(chunks)

    assert 0 < len(got) < int(answer.headers["content-length"])


def test_t6_ends_before_its_length(simulator: Simulator, client: httpx.Client) -> None:
    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete message body"):
        ask(client, simulator, "m1@T6")


def test_t7_and_t9_are_no_answers(simulator: Simulator, client: httpx.Client) -> None:
    page = ask(client, simulator, "m1@T7")
    bodies = [ask(client, simulator, f"m1@T9.{kind}").content for kind in ("empty", "null", "list")]

    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert bodies == [b"", b"null", b"[]"]


def test_t8_is_whole_for_http_and_cut_for_json(simulator: Simulator, client: httpx.Client) -> None:
    answer = ask(client, simulator, "m1@T8")

    assert int(answer.headers["content-length"]) == len(answer.content)
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(answer.content)


@pytest.mark.parametrize(
    ("fault", "status", "kind"),
    [
        ("T10", 502, "text/html"),
        ("T10.503", 503, "text/html"),
        ("T10.504", 504, "text/html"),
        ("T11", 520, "text/plain"),
        ("T11.530", 530, "text/plain"),
    ],
)
def test_t10_and_t11_speak_for_a_gateway(
    simulator: Simulator, client: httpx.Client, fault: str, status: int, kind: str
) -> None:
    answer = ask(client, simulator, f"m1@{fault}")

    assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (status, kind)


def test_t12_puts_odd_bytes_around_good_json(simulator: Simulator, client: httpx.Client) -> None:
    bom, comments, blank, utf8 = (
        ask(client, simulator, f"m1@T12.{kind}").content
        for kind in ("bom", "comments", "blank", "utf8")
    )

    assert bom.startswith(b'\xef\xbb\xbf{"')
    assert comments.startswith(b": PROCESSING\n")
    assert blank.lstrip().startswith(b'{"')
    with pytest.raises(UnicodeDecodeError):
        utf8.decode()
    assert json.loads(utf8.decode(errors="replace"))["choices"]


def test_t13_and_t15_are_more_than_anybody_wants(
    simulator: Simulator, client: httpx.Client
) -> None:
    request = simulated.arrived("openai_chat", Wanted(model="m1@T13"))
    url = simulator.root + request.path

    with client.stream("POST", url, content=request.body) as huge:
        taken = len(next(huge.iter_raw()))
    bomb = ask(client, simulator, "m1@T15.bomb")

    assert int(huge.headers["content-length"]) > 100_000_000 > taken
    assert int(bomb.headers["content-length"]) < 200_000
    assert len(bomb.content) > 100_000_000


def test_t15_says_gzip_of_what_is_none(simulator: Simulator, client: httpx.Client) -> None:
    with pytest.raises(httpx.DecodingError):
        ask(client, simulator, "m1@T15")


def test_t14_leads_to_another_host_that_counts_who_follows(client: httpx.Client) -> None:
    with running(latency_s=0) as simulator:
        answer = ask(client, simulator, "m1@T14.307")
        before = simulator.stats()["by_status"]
        where = client.get("http:" + answer.headers["location"])
        after = simulator.stats()["by_status"]

    assert (answer.status_code, where.status_code) == (307, 404)
    assert answer.headers["location"].startswith("//localhost:")
    assert (before, after) == ({"307": 1}, {"307": 1, "404": 1})


def test_t16_is_late_and_counted_as_abandoned_if_nobody_waits(client: httpx.Client) -> None:
    request = simulated.arrived("openai_chat", Wanted(model="m2@T16"))

    with running(latency_s=0, stall_s=0.5) as simulator:
        late = ask(client, simulator, "m1@T16")
    with running(latency_s=0, stall_s=5) as simulator:
        abandoned_request.send_and_disconnect(simulator, request.path, request.body)
        stats = simulator.stats()

    assert late.elapsed.total_seconds() >= 0.4
    assert text(late)
    assert (stats["abandoned"], stats["faults"]) == (1, {"T16": 1})


@pytest.mark.parametrize("variant", ["seconds", "float", "zero", "negative", "nonsense", "day"])
def test_t17_says_retry_after_in_many_ways(
    simulator: Simulator, client: httpx.Client, variant: str
) -> None:
    told = {"seconds": "1", "float": "0.5", "zero": "0", "negative": "-5", "nonsense": "abc"}

    answer = ask(client, simulator, f"m1@T17.{variant}")

    assert answer.status_code == 429
    assert answer.headers["retry-after"] == told.get(variant, "86400")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_t17_to_t19_are_written_in_the_words_of_each_dialect(
    simulator: Simulator, client: httpx.Client, dialect: DialectName
) -> None:
    dated = ask(client, simulator, "m1@T17.date", dialect)
    untold = ask(client, simulator, "m1@T18", dialect)
    never = ask(client, simulator, "m1@T19.false", dialect)
    again = ask(client, simulator, "m1@T19.true", dialect)

    assert dated.headers["retry-after"].endswith(" GMT")
    assert "retry-after" not in untold.headers
    assert (never.status_code, never.headers["x-should-retry"]) == (500, "false")
    assert (again.status_code, again.headers["x-should-retry"]) == (400, "true")
    assert all(answer.json()["error"]["message"] for answer in (dated, untold, never, again))


@pytest.mark.parametrize(("variant", "later"), [("behind", False), ("ahead", True)])
def test_t20_has_a_clock_of_its_own(
    simulator: Simulator, client: httpx.Client, variant: str, later: bool
) -> None:
    answer = ask(client, simulator, f"m1@T20.{variant}")

    theirs, until = (
        parsedate_to_datetime(answer.headers[name]).timestamp() for name in ("date", "retry-after")
    )
    assert answer.headers.get_list("date") == [answer.headers["date"]]
    assert (theirs > time.time()) is later
    assert until - theirs == 1
