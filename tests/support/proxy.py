"""A TCP proxy that can be closed for a while, or lose connections without a word."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from tests.support import silent_port

_CHUNK = 65536
_WITHIN_S = 60.0


class _Passage:
    """A connection through a proxy: the last bytes of its client, and whether it is lost."""

    def __init__(self) -> None:
        self.asked = b""
        self.is_lost = False


class Proxy:
    """Hands bytes to a server on this machine and back.

    Args:
        target: The port of that server, on the loopback interface.
        host: The address to listen on.
        port: Where it listens; kept from all others, also while it is shut.
    """

    def __init__(self, target: int, host: str, port: int) -> None:
        self.port = port
        self._host, self._target = host, target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None
        self._passing: dict[asyncio.Task[None], _Passage] = {}

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()
        self.open()

    def open(self) -> None:
        """Listen again."""
        self._do(self._open())

    def shut(self) -> None:
        """Break every connection, and refuse new ones."""
        self._do(self._shut())

    def lose(self, request: bytes) -> None:
        """Lose the connections that wait for an answer to such a request; break the others.

        A lost one stays open for both sides, and nothing passes any more.
        """
        self._do(self._lose(request))

    def waiting(self, request: bytes) -> int:
        """Return how many connections wait for an answer to such a request."""
        known = list(self._passing.values())
        return sum(request in one.asked and not one.is_lost for one in known)

    def stop(self) -> None:
        """End for good."""
        self.shut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, what: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(what, self._loop).result(_WITHIN_S)

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._pass, self._host, self.port)

    async def _shut(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for task in self._passing:
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    async def _lose(self, request: bytes) -> None:
        for task, passage in self._passing.items():
            passage.is_lost = request in passage.asked
            if not passage.is_lost:
                task.cancel()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task, passage = asyncio.current_task(), _Passage()
        if task is not None:
            self._passing[task] = passage
        try:
            theirs, ours = await asyncio.open_connection("127.0.0.1", self._target)
            try:
                await _both(_copy(reader, ours, passage, asks=True), _copy(theirs, writer, passage))
            finally:
                ours.transport.abort()
        except (OSError, asyncio.CancelledError):
            pass  # either side has gone, or we were told to break it off
        finally:
            writer.transport.abort()
            if task is not None:
                self._passing.pop(task, None)


async def _both(*ways: Coroutine[Any, Any, None]) -> None:
    """Hand over in both directions until either side closes."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _copy(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    passage: _Passage,
    *,
    asks: bool = False,
) -> None:
    while (chunk := await reader.read(_CHUNK)) and not passage.is_lost:
        if asks:
            passage.asked = chunk
        writer.write(chunk)
        await writer.drain()
    if passage.is_lost:
        await asyncio.Event().wait()  # until the task is cancelled


@contextmanager
def running(target: int, host: str = "127.0.0.1") -> Iterator[Proxy]:
    """Run a proxy in front of the server that listens on port ``target``."""
    with silent_port.reserved(host) as port:
        proxy = Proxy(target, host, port)
        proxy.start()
        try:
            yield proxy
        finally:
            proxy.stop()
