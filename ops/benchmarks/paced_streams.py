"""A client of many concurrent streams, in one thread, which records the arrival of each event.

Each event of the simulator contains its sending time; both use the clock of this machine.
"""

import re
import selectors
import socket
import time
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

_SENT = re.compile(rb"^: (\d+\.\d{6})$", re.MULTILINE)
_LENGTH = re.compile(rb"^content-length: (\d+)", re.MULTILINE | re.IGNORECASE)
_GOOD = b"HTTP/1.1 200"
_LAST_CHUNK = b"\r\n0\r\n\r\n"
_WITHIN_S = 120.0


class Arrivals(NamedTuple):
    """Measurements of all streams, in seconds.

    Attributes:
        first_s: Time from each request to the first event of its answer, which follows the head.
        events_s: Time from the sending of each event to its arrival.
        most_at_once: Maximum number of concurrent streams.
    """

    first_s: list[float]
    events_s: list[float]
    most_at_once: int


class _Stream:
    def __init__(self, connection: socket.socket, request: bytes) -> None:
        self.connection = connection
        self.began = time.monotonic()
        self.first_s: float | None = None
        self.rest = b""
        connection.sendall(request)

    def take(self, data: bytes, now: float, events_s: list[float]) -> bool:
        """Process received bytes; return whether the stream has ended."""
        buffer = self.rest + data
        if self.first_s is None and len(buffer) > 12 and not buffer.startswith(_GOOD):
            raise RuntimeError(f"a stream was answered {data[:200]!r}")
        whole = buffer.rfind(b"\n\n") + 2
        found = _SENT.findall(buffer, 0, whole) if whole > 1 else []
        if found:
            self.rest = buffer[whole:]
            events_s += [now - float(sent) for sent in found]
            if self.first_s is None:
                self.first_s = now - self.began
        else:
            self.rest = buffer
        return buffer.endswith(_LAST_CHUNK)


class StreamClient:
    """A client that reuses its connections, as children do."""

    def __init__(self, port: int) -> None:
        self._where = ("127.0.0.1", port)
        self._idle: list[socket.socket] = []

    def read(self, requests: Sequence[bytes], starts_s: Sequence[float]) -> Arrivals:
        """Send requests, and read all streams to their ends.

        Args:
            starts_s: Seconds from now to each request, in ascending order.

        Raises:
            RuntimeError: A stream ended early, or is not a stream.
        """
        began = time.monotonic()
        waiting = deque(zip((began + start_s for start_s in starts_s), requests, strict=True))
        arrivals = Arrivals([], [], 0)
        most = under_way = 0
        until = began + _WITHIN_S
        with selectors.DefaultSelector() as ready:
            while waiting or under_way:
                now = time.monotonic()
                if now > until:
                    raise RuntimeError("the streams do not end")
                if waiting and now >= waiting[0][0]:
                    stream = _Stream(self._connection(), waiting.popleft()[1])
                    ready.register(stream.connection, selectors.EVENT_READ, stream)
                    under_way += 1
                    most = max(most, under_way)
                for key, _ in ready.select(max(waiting[0][0] - now, 0.0) if waiting else 1.0):
                    if self._take(key.data, arrivals):
                        ready.unregister(key.data.connection)
                        under_way -= 1
        return arrivals._replace(most_at_once=most)

    def close(self) -> None:
        """Close all connections."""
        for connection in self._idle:
            connection.close()

    def _connection(self) -> socket.socket:
        if self._idle:
            return self._idle.pop()
        connection = socket.create_connection(self._where)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _take(self, stream: _Stream, arrivals: Arrivals) -> bool:
        """Receive the available bytes; return whether the stream has ended."""
        data = stream.connection.recv(65536)
        if not data:
            raise RuntimeError("a stream ended early")
        if not stream.take(data, time.monotonic(), arrivals.events_s):
            return False
        arrivals.first_s.append(stream.first_s or 0.0)
        self._idle.append(stream.connection)
        return True


def read_whole(port: int, requests: Sequence[bytes]) -> list[float]:
    """Send requests one after another; return the seconds to each whole answer."""
    took_s: list[float] = []
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in requests:
            began = time.monotonic()
            connection.sendall(request)
            answer = connection.recv(65536)
            head, found, body = answer.partition(b"\r\n\r\n")
            length = _LENGTH.search(head)
            if not (found and length and head.startswith(b"HTTP/1.1 200 ")):
                raise RuntimeError(f"a request was answered {answer[:200]!r}")
            missing = int(length[1]) - len(body)
            while missing:
                missing -= len(connection.recv(missing))
            took_s.append(time.monotonic() - began)
    return took_s
