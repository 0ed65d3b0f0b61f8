"""An HTTP proxy that connects every CONNECT request to one server on this machine."""

import asyncio
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_CHUNK = 65536
_WITHIN_S = 10.0


class ConnectProxy:
    """Hands bytes to the server on the port ``target``, whatever address was asked for.

    Attributes:
        port: Where it listens.
        target: Of the next connection.
        asked: The heads of what it was asked for.
        pause_s: How long it waits before each byte of an answer, from now on.
    """

    def __init__(self, target: int, tls: ssl.SSLContext | None) -> None:
        self.port = 0
        self.pause_s = 0.0
        self.asked: list[str] = []
        self.ready = threading.Event()
        self.target = target
        self._tls = tls
        self._end: Callable[[], object] = lambda: None

    async def listen(self) -> None:
        """Serve until ``close``."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        self._end = lambda: loop.call_soon_threadsafe(over.set)
        server = await asyncio.start_server(self._open, "127.0.0.1", 0, ssl=self._tls)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await over.wait()
        server.close()

    def close(self) -> None:
        """Listen no longer."""
        self._end()

    async def _open(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            self.asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
            theirs, ours = await asyncio.open_connection("127.0.0.1", self.target)
            try:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(_copy(reader, ours), self._answer(theirs, writer))
            finally:
                ours.transport.abort()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # either side has gone, or we close
        finally:
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(1 if self.pause_s else _CHUNK):
            await asyncio.sleep(self.pause_s)
            writer.write(chunk)
            await writer.drain()
        writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(_CHUNK):
        writer.write(chunk)
        await writer.drain()
    writer.close()


@contextmanager
def running(target: int, tls: ssl.SSLContext | None = None) -> Iterator[ConnectProxy]:
    """Run a proxy in front of the server on port ``target``; it speaks TLS if given a context."""
    tunnel = ConnectProxy(target, tls)
    thread = threading.Thread(target=lambda: asyncio.run(tunnel.listen()), daemon=True)
    thread.start()
    try:
        if not tunnel.ready.wait(_WITHIN_S):
            raise RuntimeError("the proxy does not listen")
        yield tunnel
    finally:
        tunnel.close()
        thread.join()
