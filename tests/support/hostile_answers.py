"""Answers of a provider that attacks its clients."""

import gzip

from tests.support.scripted_server import Reply

MB = 2**20


def gzipped(plain: bytes, layers: int = 1, encoding: str | None = None) -> Reply:
    """Return ``plain`` under ``layers`` of gzip, announced as ``encoding``."""
    body = plain
    for _ in range(layers):
        body = gzip.compress(body)
    named = ", ".join(["gzip"] * layers) if encoding is None else encoding
    return Reply(200, body, {"Content-Encoding": named})
