"""A total time limit under every network operation of a client.

httpx has limits for single reads and writes only: a server that sends one byte a second would
hold a thread for ever, in the headers even before our code sees anything.
"""

import contextlib
import time
from collections.abc import Iterable
from typing import Any

import httpcore

from acm_workers.providers.http import sockets


class Deadline:
    """When everything must be over; one for each client, set anew for each request."""

    def __init__(self) -> None:
        self._at = float("inf")

    def set(self, seconds: float) -> None:
        """Let everything be over in ``seconds`` from now."""
        self._at = time.monotonic() + seconds

    def left(self, timeout: float | None) -> float:
        """Return how long the next operation may take: ``timeout`` or what is left in all."""
        rest = max(self._at - time.monotonic(), 0.0)
        return rest if timeout is None else min(timeout, rest)


class Backend(httpcore.NetworkBackend):
    """Opens connections that keep to ``deadline``."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect; see the base class."""
        allowed = self._deadline.left(timeout)
        if allowed <= 0.0:
            raise httpcore.ConnectTimeout("out of time")
        stream = self._plain.connect_tcp(host, port, allowed, local_address, socket_options)
        return _Stream(sockets.quick(stream), self._deadline)


class _Stream(httpcore.NetworkStream):
    """A connection that keeps to ``deadline`` and sends head and body of a request as one."""

    def __init__(self, plain: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._plain = plain
        self._deadline = deadline
        self._unsent: list[bytes] = []
        self._write_timeout: float | None = None

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._unsent:
            # A server may refuse a request before it has read all of it: its answer counts.
            with contextlib.suppress(httpcore.WriteError):
                self._send()
        allowed = self._deadline.left(timeout)
        if allowed <= 0.0:
            raise httpcore.ReadTimeout("out of time")
        return self._plain.read(max_bytes, allowed)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # Each send gives up the interpreter lock and must win it back: one instead of two takes
        # a fifth off the CPU of a call with 64 threads.
        self._unsent.append(buffer)
        self._write_timeout = timeout

    def _send(self) -> None:
        whole = b"".join(self._unsent)
        self._unsent.clear()
        allowed = self._deadline.left(self._write_timeout)
        if allowed <= 0.0:
            raise httpcore.WriteTimeout("out of time")
        self._plain.write(whole, allowed)

    def close(self) -> None:
        self._plain.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        allowed = self._deadline.left(timeout)
        if allowed <= 0.0:
            raise httpcore.ConnectTimeout("out of time")
        return _Stream(self._plain.start_tls(ssl_context, server_hostname, allowed), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._plain.get_extra_info(info)
