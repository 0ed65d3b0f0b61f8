"""A TCP proxy that can be closed for a while: it drops connections and refuses new ones."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

_CHUNK = 65536
_WITHIN_S = 10.0


class Proxy:
    """Hands bytes to a server on this machine and back.

    Args:
        target: The port of that server, on the loopback interface.
        host: The address to listen on.

    Attributes:
        port: Where it listens; the same after each ``open``.
    """

    def __init__(self, target: int, host: str = "127.0.0.1") -> None:
        self.port = 0
        self._host, self._target = host, target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None
        self._passing: set[asyncio.Task[None]] = set()

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
        self.port = self._server.sockets[0].getsockname()[1]

    async def _shut(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for task in self._passing:
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._passing.add(task)
        try:
            theirs, ours = await asyncio.open_connection("127.0.0.1", self._target)
            try:
                await _both(_copy(reader, ours), _copy(theirs, writer))
            finally:
                ours.transport.abort()
        except (OSError, asyncio.CancelledError):
            pass  # either side has gone, or we were told to break it off
        finally:
            writer.transport.abort()
            if task is not None:
                self._passing.discard(task)


async def _both(*ways: Coroutine[Any, Any, None]) -> None:
    """Hand over in both directions until either side closes."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(_CHUNK):
        writer.write(chunk)
        await writer.drain()


@contextmanager
def running(target: int, host: str = "127.0.0.1") -> Iterator[Proxy]:
    """Run a proxy in front of the server that listens on port ``target``."""
    proxy = Proxy(target, host)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()
