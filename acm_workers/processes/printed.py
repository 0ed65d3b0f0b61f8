"""Readers of a child's output whose memory is bounded."""

import json
from collections import deque
from collections.abc import Iterator
from typing import Any

from acm_workers.processes.spec import CapturedOutput


class BoundedText:
    """Keeps the beginning and the end of a stream."""

    def __init__(self, kept_bytes: int) -> None:
        self._kept = kept_bytes
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._size = 0

    def add(self, data: bytes) -> None:
        """Add the next bytes of the stream."""
        self._size += len(data)
        room = self._kept - len(self._head)
        self._head += data[:room]
        rest = data[room:]
        if rest:
            self._tail.append(rest)
            self._tail_size += len(rest)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._kept:
            self._tail_size -= len(self._tail.popleft())

    def printed(self) -> CapturedOutput:
        """Return the kept output."""
        tail = b"".join(self._tail)[-self._kept :]
        head = bytes(self._head)
        if len(head) + len(tail) == self._size:  # nothing is missing between them
            head, tail = head + tail, b""
        return CapturedOutput(
            size=self._size,
            head=head.decode(errors="replace"),
            tail=tail.decode(errors="replace"),
        )


class EventReader:
    """Splits a stream into lines with one JSON object each, and other lines.

    Attributes:
        unreadable: Number of lines that were too long or did not contain a JSON object.
    """

    def __init__(self, line_bytes: int, other: BoundedText) -> None:
        self.unreadable = 0
        self._line_bytes = line_bytes
        self._other = other
        self._unread = bytearray()
        self._too_long = False

    def add(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Add the next bytes of the stream, and yield the events that they complete."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._unread += line
            yield from self._line()
        self._unread += rest
        if len(self._unread) > self._line_bytes:
            self._other.add(bytes(self._unread))
            self._unread.clear()
            self._too_long = True

    def end(self) -> Iterator[dict[str, Any]]:
        """Yield the last event if its line has no line break."""
        if self._unread or self._too_long:
            yield from self._line()

    def _line(self) -> Iterator[dict[str, Any]]:
        line = bytes(self._unread)
        self._unread.clear()
        event = None if self._too_long or len(line) > self._line_bytes else _object(line)
        self._too_long = False
        if event is not None:
            yield event
        elif line.strip():
            self.unreadable += 1
            self._other.add(line + b"\n")


def _object(line: bytes) -> dict[str, Any] | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
