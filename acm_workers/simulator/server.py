"""The simulator as a listening process, and answers that break the rules of HTTP."""

import asyncio
import contextlib
import signal
import socket
import struct
import threading
from asyncio import Transport
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Final

import uvicorn
from starlette.types import Receive
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from acm_workers.simulator import app
from acm_workers.simulator.messages import Headers, HttpAnswer
from acm_workers.simulator.service import Service
from acm_workers.simulator.settings import SimulatorSettings

TRANSPORT: Final = "transport"
_LINGER_NONE: Final = struct.pack("ii", 1, 0)
_RECEIVED_WITHIN_S: Final = 0.05
_ENDLESS: Final = 2**30


class SimulatorProtocol(HttpToolsProtocol):
    """uvicorn's connection, which hands its transport to the application."""

    def on_message_begin(self) -> None:
        """Begin a request, as the parser calls it."""
        super().on_message_begin()
        self.scope["state"][TRANSPORT] = self.transport


async def play(
    answer: HttpAnswer, headers: Headers, transport: Transport, receive: Receive
) -> None:
    """Put ``answer`` on the wire in its own manner, past uvicorn, and end the connection."""
    way, seconds = answer.manner
    head = _head(answer, headers)
    body = answer.body
    if way == "silent":
        await _sleep(seconds, transport)
    elif way == "drip":
        transport.write(head)
        await _drip(body, seconds, transport)
    elif way == "raw":
        transport.write(head + body)
    elif way in ("broken", "short"):
        transport.write(head + body[: len(body) // 2])
    if way == "broken":
        # A reset would overtake what is still on its way to the client.
        await asyncio.sleep(_RECEIVED_WITHIN_S)
    if way in ("reset", "broken"):
        _reset(transport)
    else:
        transport.close()
    while (await receive())["type"] != "http.disconnect":
        pass


def _head(answer: HttpAnswer, headers: Headers) -> bytes:
    phrase = HTTPStatus(answer.status).phrase if answer.status else ""
    lines = [b"HTTP/1.1 %d %s" % (answer.status, phrase.encode())]
    length = _ENDLESS if answer.manner.way == "drip" else len(answer.body)
    all_headers = [*headers, (b"content-length", b"%d" % length), (b"connection", b"close")]
    lines += [name + b": " + value for name, value in all_headers]
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def _drip(body: bytes, pause_s: float, transport: Transport) -> None:
    place = 0
    while not transport.is_closing():
        # The end of the answer is never sent: blanks follow what comes before its last byte.
        transport.write(body[place : place + 1] if place < len(body) - 1 else b" ")
        place += 1
        await asyncio.sleep(pause_s)


async def _sleep(seconds: float, transport: Transport) -> None:
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while loop.time() < until and not transport.is_closing():
        await asyncio.sleep(min(0.2, until - loop.time()))


def _reset(transport: Transport) -> None:
    raw = transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NONE)
    transport.abort()


def serve(settings: SimulatorSettings, ready: Callable[[int], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        settings: What the provider is like.
        ready: Called with the real port once requests are taken.

    Raises:
        OSError: The port is taken, the log cannot be written, or the certificate not be used.
    """
    with contextlib.ExitStack() as stack:
        log = None
        if settings.log_file is not None:
            log = stack.enter_context(settings.log_file.open("a", buffering=1)).write
        listener = stack.enter_context(_listener(settings))
        config = uvicorn.Config(
            app.build(Service(settings), log),
            loop="uvloop",
            http=SimulatorProtocol,
            ws="none",
            lifespan="off",
            access_log=False,
            log_level="critical",
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=75,  # longer than clients keep idle connections, as real ones do
            timeout_graceful_shutdown=1,
            ssl_certfile=settings.tls_cert,
            ssl_keyfile=settings.tls_key,
        )
        server = _Server(config, ready)
        stack.enter_context(_ends_quietly(server))
        server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """uvicorn's server, which tells when it takes requests."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._ready is not None and sockets:
            self._ready(sockets[0].getsockname()[1])


def _listener(settings: SimulatorSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    listener.setblocking(False)
    return listener


@contextlib.contextmanager
def _ends_quietly(server: uvicorn.Server) -> Iterator[None]:
    """Let a signal end the server and not the process, as uvicorn would, by raising it again."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ends = (signal.SIGTERM, signal.SIGINT)
    former = {which: signal.signal(which, server.handle_exit) for which in ends}
    try:
        yield
    finally:
        for which, handler in former.items():
            signal.signal(which, handler)
