"""Connections that a request can inspect, and answers that break the rules of HTTP."""

import asyncio
import socket
import struct
import time
from asyncio import Transport
from http import HTTPStatus
from typing import Final

from starlette.types import Receive, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from acm_workers.simulator.messages import Headers, HttpAnswer

TRANSPORT: Final = "transport"
_LINGER_NONE: Final = struct.pack("ii", 1, 0)
_RECEIVED_WITHIN_S: Final = 0.05
_ENDLESS: Final = 2**30


class SimulatorProtocol(HttpToolsProtocol):
    """uvicorn's connection, which hands its transport to the application."""

    def on_message_begin(self) -> None:
        """Begin a request; called by the parser."""
        super().on_message_begin()
        self.scope["state"][TRANSPORT] = self.transport


async def play(
    answer: HttpAnswer, headers: Headers, transport: Transport, receive: Receive
) -> None:
    """Send ``answer`` without uvicorn, as its ``manner`` requires, and close the connection."""
    mode, seconds = answer.manner
    head = _head(answer, headers)
    body = answer.body
    if mode == "silent":
        await _sleep(seconds, transport)
    elif mode == "drip":
        transport.write(head)
        await _drip(body, seconds, transport)
    elif mode == "raw":
        transport.write(head + body)
    elif mode in ("broken", "short"):
        transport.write(head + body[: len(body) // 2])
    if mode == "broken":
        # A reset would overtake what is still on its way to the client.
        await asyncio.sleep(_RECEIVED_WITHIN_S)
    if mode in ("reset", "broken"):
        _reset(transport)
    else:
        transport.close()
    while (await receive())["type"] != "http.disconnect":
        pass


async def stream(answer: HttpAnswer, headers: Headers, transport: Transport, send: Send) -> None:
    """Send ``answer`` event by event, at its pace; each event then says when it was sent."""
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    pause_s, began = answer.manner.seconds, time.monotonic()
    if not pause_s:
        await send({"type": "http.response.body", "body": answer.body})
        return
    for number, event in enumerate(answer.body.split(b"\n\n")[:-1]):
        late_s = began + number * pause_s - time.monotonic()
        await asyncio.sleep(max(late_s, 0.0))
        if transport.is_closing():
            return
        sent = b": %.6f\n%b\n\n" % (time.monotonic(), event)
        await send({"type": "http.response.body", "body": sent, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def _head(answer: HttpAnswer, headers: Headers) -> bytes:
    phrase = HTTPStatus(answer.status).phrase if answer.status else ""
    lines = [b"HTTP/1.1 %d %s" % (answer.status, phrase.encode())]
    length = _ENDLESS if answer.manner.mode == "drip" else len(answer.body)
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
