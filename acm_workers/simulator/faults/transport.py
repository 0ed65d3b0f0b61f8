"""T: what goes wrong between two machines, whatever they speak."""

import zlib
from functools import lru_cache
from typing import Final

import pydantic_core

from acm_workers.simulator.answer import Answer, Manner, page
from acm_workers.simulator.faults.fault import Case, Fault, impossible

_MEGABYTE: Final = 1024 * 1024
_HUGE_MB: Final = 100
_GZIP_HEADER: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LAST_BLOCK: Final = b"\x03\x00"
_DRIPS_PER_STALL: Final = 20
_GATEWAY: Final = {"502": "Bad Gateway", "503": "Service Unavailable", "504": "Gateway Time-out"}
_REDIRECTS: Final = ("301", "302", "307", "308")


def _silent(case: Case) -> Answer:
    return case.good()._replace(manner=Manner("silent", case.stall_s))


def _drip(case: Case) -> Answer:
    return case.good()._replace(manner=Manner("drip", case.stall_s / _DRIPS_PER_STALL))


def _broken(case: Case) -> Answer:
    return case.good()._replace(manner=Manner("broken"))


def _short(case: Case) -> Answer:
    return case.good()._replace(manner=Manner("short"))


def _proxy_page(case: Case) -> Answer:
    return page(200, "Please sign in to continue")


def _cut_json(case: Case) -> Answer:
    good = case.good()
    return good._replace(body=good.body[: len(good.body) * 4 // 5])


def _nothing(case: Case) -> Answer:
    bodies = {"empty": b"", "null": b"null", "list": b"[]"}
    return Answer(200, bodies[case.variant], case.headers)


def _gateway(case: Case) -> Answer:
    return page(int(case.variant), f"{case.variant} {_GATEWAY[case.variant]}")


def _cloudflare(case: Case) -> Answer:
    return Answer(int(case.variant), f"error code: {case.variant}".encode(), [], b"text/plain")


def _odd_bytes(case: Case) -> Answer:
    good = case.good()
    bodies = {
        "bom": b"\xef\xbb\xbf" + good.body,
        "comments": b": PROCESSING\n\n: PROCESSING\n\n" + good.body,
        "blank": b"\n \n\n" + good.body,
        # Half of a character inside the model's name, which is a part of every dialect's answer.
        "utf8": good.body.replace(
            pydantic_core.to_json(case.asked.model),
            pydantic_core.to_json(case.asked.model)[:-1] + b'\xc3"',
        ),
    }
    return good._replace(body=bodies[case.variant])


def _huge(case: Case) -> Answer:
    return Answer(200, b" " * _MEGABYTE, case.headers, repeats=_HUGE_MB, billed=True)


def _redirect(case: Case) -> Answer:
    host, _, port = case.host.rpartition(":")
    other = "127.0.0.1" if host == "localhost" else "localhost"
    where = f"//{other}:{port}/moved{case.path}"  # with the same scheme
    return page(int(case.variant), "Moved", [(b"location", where.encode())])


def _encoded(case: Case) -> Answer:
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


def _late(case: Case) -> Answer:
    return case.good()._replace(manner=Manner("whole", case.stall_s))


FAULTS: Final = (
    Fault("T1", "connection refused, or no such host", impossible, dialects=()),
    Fault("T2", "connecting takes for ever", impossible, dialects=()),
    Fault("T3", "no byte of an answer, then the connection closes", _silent),
    Fault("T4", "the body comes byte by byte and never ends", _drip),
    Fault("T5", "the connection is reset in mid-body", _broken),
    Fault("T6", "the body ends before its Content-Length", _short),
    Fault("T7", "200 with an HTML page of a proxy", _proxy_page),
    Fault("T8", "200 with JSON that is cut off", _cut_json),
    Fault("T9", "200 without an object", _nothing, variants=("empty", "null", "list")),
    Fault("T10", "an HTML page of a gateway", _gateway, variants=tuple(_GATEWAY)),
    Fault(
        "T11",
        "a status of Cloudflare, in plain text",
        _cloudflare,
        variants=("520", "500", "521", "522", "523", "524", "525", "526", "527", "530"),
    ),
    Fault(
        "T12",
        "odd bytes in or before good JSON",
        _odd_bytes,
        variants=("bom", "comments", "blank", "utf8"),
    ),
    Fault("T13", "a body of 100 MB", _huge),
    Fault("T14", "a redirect to another host", _redirect, variants=_REDIRECTS),
    Fault("T15", "gzip that is none, or a bomb", _encoded, variants=("wrong", "bomb")),
    Fault("T16", "a good answer, but late", _late),
)
