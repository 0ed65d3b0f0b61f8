"""Connections with a deadline for all operations and a size limit for response heads."""

import time
from collections.abc import Iterable
from typing import Any

import httpcore

MAX_HEAD_BYTES = 256 * 1024
"""Maximum size of the headers, in bytes, including those of informational responses."""

_WRITE_BYTES = 64 * 1024


class Deadline:
    """The moment at which the current request of a connection must be complete.

    Also counts the bytes before the body, because httpcore skips informational responses without a
    limit.
    """

    def __init__(self) -> None:
        self._at = float("inf")
        self._head_bytes: int | None = None

    def set(self, seconds: float) -> None:
        """Move the deadline to ``seconds`` from now, and expect the head of a response."""
        self._at = time.monotonic() + seconds
        self._head_bytes = 0

    def head_received(self) -> None:
        """Stop counting, because the body follows."""
        self._head_bytes = None

    def count(self, size: int) -> None:
        """Count received bytes.

        Raises:
            httpcore.RemoteProtocolError: The head is longer than ``MAX_HEAD_BYTES``.
        """
        if self._head_bytes is None:
            return
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES:
            raise httpcore.RemoteProtocolError("too many headers or informational responses")

    def left(self, timeout: float | None, expired: type[Exception]) -> float:
        """Return the time limit of the next operation: ``timeout`` or less.

        Raises:
            Exception: An exception of type ``expired``, when no time is left.
        """
        left = self._at - time.monotonic()
        if left <= 0.0:
            raise expired("out of time")
        return left if timeout is None else min(timeout, left)


class DeadlineBackend(httpcore.NetworkBackend):
    """Opens connections whose operations end at a deadline.

    The timeouts of httpcore limit single reads and writes: a server that sends one byte a second
    would hold a thread forever.
    """

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect before the deadline."""
        timeout = self._deadline.left(timeout, httpcore.ConnectTimeout)
        stream = self._backend.connect_tcp(host, port, timeout, local_address, socket_options)
        return _DeadlineStream(stream, self._deadline)


class _DeadlineStream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, self._deadline.left(timeout, httpcore.ReadTimeout))
        self._deadline.count(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # In pieces: httpcore starts its timeout again after each partial write.
        for start in range(0, len(buffer), _WRITE_BYTES):
            left = self._deadline.left(timeout, httpcore.WriteTimeout)
            self._stream.write(buffer[start : start + _WRITE_BYTES], left)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(timeout, httpcore.ConnectTimeout)
        stream = self._stream.start_tls(ssl_context, server_hostname, left)
        return _DeadlineStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
