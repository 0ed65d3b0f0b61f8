"""Sockets that ask the system as seldom as may be.

Each time a thread does so it gives up the interpreter's lock and has to win it back. To set a
time limit, to wait and to read are three times with Python's own limits, and two here; to write
is one instead of three.
"""

import math
import select
import ssl
import time
from typing import Any

import httpcore

_LONGEST_MS = 2**31 - 1  # more cannot be waited for at a time: 24 days
_NOT_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


def quick(plain: httpcore.NetworkStream) -> httpcore.NetworkStream:
    """Return a faster way to read and write what ``plain`` is connected to, if there is one."""
    # TLS within TLS has no socket of its own.
    nested = isinstance(plain.get_extra_info("ssl_object"), ssl.SSLObject)
    return plain if nested else _Socket(plain)


class _Socket(httpcore.NetworkStream):
    """A connection of httpcore's whose socket never waits by itself."""

    def __init__(self, plain: httpcore.NetworkStream) -> None:
        self._plain = plain
        self._socket = plain.get_extra_info("socket")
        self._socket.setblocking(False)
        self._tls = isinstance(self._socket, ssl.SSLSocket)
        self._readable = _poll(self._socket, select.POLLIN)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        within = _Within(timeout, httpcore.ReadTimeout)
        if not (self._tls and self._socket.pending()):
            within.wait(self._readable)
        while True:
            try:
                received: bytes = self._socket.recv(max_bytes)
            except ssl.SSLWantWriteError:
                within.wait(_poll(self._socket, select.POLLOUT))
            except _NOT_YET:  # what came was no data, or not all of it
                within.wait(self._readable)
            except OSError as error:
                raise httpcore.ReadError(str(error)) from error
            else:
                return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        within = _Within(timeout, httpcore.WriteTimeout)
        left = memoryview(buffer)
        while left:
            try:
                left = left[self._socket.send(left) :]
            except ssl.SSLWantReadError:
                within.wait(self._readable)
            except _NOT_YET:
                within.wait(_poll(self._socket, select.POLLOUT))
            except OSError as error:
                raise httpcore.WriteError(str(error)) from error

    def close(self) -> None:
        self._plain.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return quick(self._plain.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._plain.get_extra_info(info)


class _Within:
    """A time limit over all waits of one operation: TLS may come byte by byte.

    Args:
        too_late: Raised when it is over.
    """

    def __init__(self, timeout: float | None, too_late: type[Exception]) -> None:
        self._until = math.inf if timeout is None else time.monotonic() + timeout
        self._too_late = too_late

    def wait(self, poll: Any) -> None:
        left_s = self._until - time.monotonic()
        if not poll.poll(min(max(1000 * left_s, 0), _LONGEST_MS)):
            raise self._too_late("timed out") from None


def _poll(socket: Any, event: int) -> Any:
    found = select.poll()  # select itself knows no numbers above 1023
    found.register(socket, event)
    return found
