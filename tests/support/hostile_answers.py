"""Answers of a provider that attacks its clients."""

import gzip
import json
from collections.abc import Callable
from typing import Any

from tests.support.scripted_server import Flood, Raw, Reply, Step

MB = 2**20
_FULL = 4 * MB - 200
"""Bytes of a body that is not too long."""

_VERDICT = '{"reasoning": "", "winner": "a", "confidence": 1}'
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def gzipped(plain: bytes, layers: int = 1, encoding: str | None = None) -> Reply:
    """Return ``plain`` under ``layers`` of gzip, announced as ``encoding``."""
    body = plain
    for _ in range(layers):
        body = gzip.compress(body)
    named = ", ".join(["gzip"] * layers) if encoding is None else encoding
    return Reply(200, body, {"Content-Encoding": named})


def saying(text: str) -> Reply:
    """Return an ordinary answer with ``text``, as much of it as a body may have."""
    message = {"role": "assistant", "content": text[: _FULL - text.count('"')]}
    return Reply(200, {"choices": [{"finish_reason": "stop", "message": message}]})


def _repeated(piece: bytes, last: bytes, opened: bytes = b"[", closed: bytes = b"]") -> Reply:
    return Reply(200, opened + piece * (_FULL // len(piece)) + last + closed)


def _keys() -> Reply:
    return Reply(200, json.dumps({f"{number:032x}": 1 for number in range(49_000)}).encode())


def _refusal(**error: Any) -> Reply:
    return Reply(400, {"error": error})


# Also those of `ops/bench hostile`.
ANSWERS: dict[str, Callable[[], Step]] = {
    "256 MB in gzip": lambda: gzipped(b" " * (256 * MB)),
    "64 MB in two layers of gzip": lambda: gzipped(b" " * (64 * MB), 2),
    "64 MB in three layers of gzip": lambda: gzipped(b" " * (64 * MB), 3),
    "body without an end": lambda: Flood(b"a" * 65536, _HEAD + b"\r\n"),
    "chunks without an end": lambda: Flood(b"5\r\naaaaa\r\n" * 4096, _CHUNKED),
    "chunks of one byte": lambda: Raw(_CHUNKED + b"1\r\na\r\n" * 300_000 + b"0\r\n\r\n"),
    "many headers": lambda: Flood(b"X-Header: a\r\n" * 4096, _HEAD),
    "one long header": lambda: Flood(b"a" * 65536, _HEAD + b"X-Header: "),
    "100 Continue without an end": lambda: Flood(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "tiny objects": lambda: _repeated(b"{},", b"{}"),
    "as many objects as are read": lambda: Reply(200, b"[" + b"{}," * 49_990 + b"{}]"),
    "tiny lists": lambda: _repeated(b"[],", b"[]"),
    "numbers": lambda: _repeated(b"1,", b"1"),
    "fractions": lambda: _repeated(b"1e-5,", b"1"),
    "empty texts": lambda: _repeated(b'"",', b'""'),
    "as many keys as are read": _keys,
    "one number": lambda: Reply(200, b"1" * _FULL),
    "escapes": lambda: _repeated(b"\\u00e9", b"", b'["', b'"]'),
    "deep lists": lambda: Reply(200, b"[" * _FULL),
    "deep objects": lambda: _repeated(b'{"a":', b"", b"", b""),
    "colons before the object": lambda: _repeated(b": x\n", b"{}", b"", b""),
    "text of fences": lambda: saying("~~~" + " " * _FULL + "`"),
    "text of thoughts": lambda: saying("<think>" * (_FULL // 7)),
    "text of braces": lambda: saying("{" * 99_000),
    "text of objects": lambda: saying("{x}" * 99_000),
    "text of verdicts": lambda: saying(_VERDICT * 40_000),
    "text of one large object": lambda: saying('{"a": [' + "[], " * 49_000 + "[]]}"),
    "text of ends of sentences": lambda: saying(".)" * (_FULL // 2)),
    "text of list items": lambda: saying("\n- a" * (_FULL // 5)),
    "message of an error": lambda: _refusal(message="bearer " * (_FULL // 7)),
    "parameter of an error": lambda: _refusal(code="unsupported_value", param="." * _FULL),
    "codes of an error": lambda: _refusal(
        details=[{"reason": "r", "fieldViolations": [{"field": "f"}] * 100}] * 400
    ),
    "page of an error": lambda: Reply(502, b"<p>" * (_FULL // 3)),
}
