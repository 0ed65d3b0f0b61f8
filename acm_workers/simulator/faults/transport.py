"""Faults T1 to T20: broken transfers, and headers about retries."""

import zlib
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache
from typing import Final

import pydantic_core

from acm_workers.simulator.faults.fault import FaultDefinition, FaultyRequest, impossible
from acm_workers.simulator.messages import JSON, Delivery, HttpAnswer, RequestRefused, html_page

_MEGABYTE: Final = 1024 * 1024
_HUGE_MB: Final = 100
_GZIP_HEADER: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LAST_BLOCK: Final = b"\x03\x00"
_DRIPS_PER_STALL: Final = 20
_GATEWAY: Final = {"502": "Bad Gateway", "503": "Service Unavailable", "504": "Gateway Time-out"}
_REDIRECTS: Final = ("301", "302", "307", "308")


_WAIT_S: Final = 1
_SKEW_S: Final = 3600
_RETRY_AFTER: Final = ("seconds", "date", "float", "zero", "negative", "nonsense", "day")


def _silent(case: FaultyRequest) -> HttpAnswer:
    return case.good()._replace(manner=Delivery("silent", case.stall_s))


def _drip(case: FaultyRequest) -> HttpAnswer:
    return case.good()._replace(manner=Delivery("drip", case.stall_s / _DRIPS_PER_STALL))


def _broken(case: FaultyRequest) -> HttpAnswer:
    return case.good()._replace(manner=Delivery("broken"))


def _short(case: FaultyRequest) -> HttpAnswer:
    return case.good()._replace(manner=Delivery("short"))


def _proxy_page(case: FaultyRequest) -> HttpAnswer:
    return html_page(200, "Please sign in to continue")


def _cut_json(case: FaultyRequest) -> HttpAnswer:
    good = case.good()
    return good._replace(body=good.body[: len(good.body) * 4 // 5])


def _nothing(case: FaultyRequest) -> HttpAnswer:
    bodies = {"empty": b"", "null": b"null", "list": b"[]"}
    return HttpAnswer(200, bodies[case.variant], case.headers)


def _gateway(case: FaultyRequest) -> HttpAnswer:
    return html_page(int(case.variant), f"{case.variant} {_GATEWAY[case.variant]}")


def _cloudflare(case: FaultyRequest) -> HttpAnswer:
    return HttpAnswer(int(case.variant), f"error code: {case.variant}".encode(), [], b"text/plain")


def _odd_bytes(case: FaultyRequest) -> HttpAnswer:
    good = case.good()
    bodies = {
        "bom": b"\xef\xbb\xbf" + good.body,
        "comments": b": PROCESSING\n\n: PROCESSING\n\n" + good.body,
        "blank": b"\n \n\n" + good.body,
        # Half of a character inside the model's name, which is a part of every dialect's answer.
        "utf8": good.body.replace(
            pydantic_core.to_json(case.request.model),
            pydantic_core.to_json(case.request.model)[:-1] + b'\xc3"',
        ),
    }
    return good._replace(body=bodies[case.variant])


def _huge(case: FaultyRequest) -> HttpAnswer:
    return HttpAnswer(200, b" " * _MEGABYTE, case.headers, repeats=_HUGE_MB, billed=True)


def _redirect(case: FaultyRequest) -> HttpAnswer:
    host, _, port = case.host.rpartition(":")
    other = "127.0.0.1" if host == "localhost" else "localhost"
    where = f"//{other}:{port}/moved{case.path}"  # with the same scheme
    return html_page(int(case.variant), "Moved", [(b"location", where.encode())])


def _encoded(case: FaultyRequest) -> HttpAnswer:
    good = case.good()
    body = good.body if case.variant == "wrong" else _bomb()
    return good._replace(body=body, headers=[*good.headers, (b"content-encoding", b"gzip")])


@lru_cache(maxsize=1)
def _bomb() -> bytes:
    """Return 100 kB of gzip that unpack to 100 MB.

    A block that refers to none before it may be repeated as it is: packing all of it would hold
    up every other request for half a second.
    """
    plain = b" " * _MEGABYTE
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    block = packer.compress(plain) + packer.flush(zlib.Z_FULL_FLUSH)
    crc = 0
    for _ in range(_HUGE_MB):
        crc = zlib.crc32(plain, crc)
    size = (_HUGE_MB * _MEGABYTE) % 2**32
    ending = _LAST_BLOCK + crc.to_bytes(4, "little") + size.to_bytes(4, "little")
    return _GZIP_HEADER + block * _HUGE_MB + ending


def _late(case: FaultyRequest) -> HttpAnswer:
    return case.good()._replace(manner=Delivery("whole", case.stall_s))


def _limited(case: FaultyRequest, *headers: tuple[bytes, bytes]) -> HttpAnswer:
    body = case.dialect.error(
        RequestRefused("Rate limit reached.", 429, "requests", "rate_limit_exceeded"),
        case.request_id,
    )
    return case.refused(429, body, list(headers))


def _retry_after(case: FaultyRequest) -> HttpAnswer:
    told = {
        "seconds": f"{_WAIT_S}",
        "date": _date(case.wall + _WAIT_S + 1),  # dates have no fractions: at least a second
        "float": "0.5",
        "zero": "0",
        "negative": "-5",
        "nonsense": "abc",
        "day": "86400",
    }[case.variant]
    return _limited(case, (b"retry-after", told.encode()))


def _untold(case: FaultyRequest) -> HttpAnswer:
    return _limited(case)


def _should_retry(case: FaultyRequest) -> HttpAnswer:
    status = 500 if case.variant == "false" else 400
    kind = "server_error" if status == 500 else "invalid_request_error"
    body = case.dialect.error(
        RequestRefused("Something went wrong.", status, kind), case.request_id
    )
    return case.refused(status, body, [(b"x-should-retry", case.variant.encode())])


def _skewed(case: FaultyRequest) -> HttpAnswer:
    theirs = case.wall + (_SKEW_S if case.variant == "ahead" else -_SKEW_S)
    answer = _limited(
        case,
        (b"content-type", JSON),
        (b"date", _date(theirs).encode()),
        (b"retry-after", _date(theirs + _WAIT_S).encode()),
    )
    return answer._replace(manner=Delivery("raw"))


def _date(wall: float) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(wall))
    return format_datetime(moment, usegmt=True)


FAULTS: Final = (
    FaultDefinition("T1", "connection refused, or no such host", impossible, dialects=()),
    FaultDefinition("T2", "the connection is never established", impossible, dialects=()),
    FaultDefinition("T3", "no byte of an answer, then the connection closes", _silent),
    FaultDefinition("T4", "the body arrives byte by byte and never ends", _drip),
    FaultDefinition("T5", "the connection is reset in mid-body", _broken),
    FaultDefinition("T6", "the body ends before its Content-Length", _short),
    FaultDefinition("T7", "200 with an HTML page of a proxy", _proxy_page),
    FaultDefinition("T8", "200 with truncated JSON", _cut_json),
    FaultDefinition("T9", "200 without an object", _nothing, variants=("empty", "null", "list")),
    FaultDefinition("T10", "an HTML page of a gateway", _gateway, variants=tuple(_GATEWAY)),
    FaultDefinition(
        "T11",
        "a status of Cloudflare, in plain text",
        _cloudflare,
        variants=("520", "500", "521", "522", "523", "524", "525", "526", "527", "530"),
    ),
    FaultDefinition(
        "T12",
        "odd bytes in or before good JSON",
        _odd_bytes,
        variants=("bom", "comments", "blank", "utf8"),
    ),
    FaultDefinition("T13", "a body of 100 MB", _huge),
    FaultDefinition("T14", "a redirect to another host", _redirect, variants=_REDIRECTS),
    FaultDefinition("T15", "invalid gzip, or a gzip bomb", _encoded, variants=("wrong", "bomb")),
    FaultDefinition("T16", "a good answer, but late", _late),
    FaultDefinition(
        "T17", "429 with Retry-After in different forms", _retry_after, variants=_RETRY_AFTER
    ),
    FaultDefinition("T18", "429 without Retry-After", _untold),
    FaultDefinition(
        "T19", "x-should-retry contradicts the status", _should_retry, variants=("false", "true")
    ),
    FaultDefinition(
        "T20", "429 from a server whose clock is wrong", _skewed, variants=("behind", "ahead")
    ),
)
