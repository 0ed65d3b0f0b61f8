"""Sockets that ask the system as seldom as may be.

Each time a thread does so it gives up the interpreter's lock and has to win it back. To set a
time limit, to wait and to read are three times with Python's own limits, and two here; to write
is one instead of three.
"""

import select
import ssl
from typing import Any

import httpcore

_WAITS = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


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
        ready = self._tls and self._socket.pending() > 0
        while True:
            if not ready and not self._readable.poll(_ms(timeout)):
                raise httpcore.ReadTimeout("timed out")
            try:
                received: bytes = self._socket.recv(max_bytes)
            except ssl.SSLWantWriteError:
                self._wait_to_write(timeout, httpcore.ReadTimeout)
            except _WAITS:
                ready = False  # what came was no data
            except OSError as error:
                raise httpcore.ReadError(str(error)) from error
            else:
                return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = memoryview(buffer)
        while left:
            try:
                left = left[self._socket.send(left) :]
            except ssl.SSLWantReadError:
                if not self._readable.poll(_ms(timeout)):
                    raise httpcore.WriteTimeout("timed out") from None
            except _WAITS:
                self._wait_to_write(timeout, httpcore.WriteTimeout)
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

    def _wait_to_write(self, timeout: float | None, too_late: type[Exception]) -> None:
        if not _poll(self._socket, select.POLLOUT).poll(_ms(timeout)):
            raise too_late("timed out")


def _poll(socket: Any, event: int) -> Any:
    found = select.poll()  # select itself knows no numbers above 1023
    found.register(socket, event)
    return found


def _ms(timeout: float | None) -> float | None:
    return None if timeout is None else 1000 * timeout
