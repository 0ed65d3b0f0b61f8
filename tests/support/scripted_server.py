"""A real HTTP server that plays scripted responses, faults included."""

import contextlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.project import PATIENCE_S

Write = Callable[[bytes], Any]


@dataclass(frozen=True)
class ReceivedRequest:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: Any
    method: str = "POST"
    raw: bytes = b""


@dataclass(frozen=True)
class Reply:
    """An ordinary answer; ``body`` is sent as it is if bytes, else as JSON."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def play(self, handler: "_Handler") -> None:
        """Send it."""
        raw = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        handler.send_response(self.status)
        sent = {"Content-Type": "application/json", "Content-Length": str(len(raw))}
        for name, value in {**sent, **self.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(raw)


@dataclass(frozen=True)
class Raw:
    """Bytes straight onto the connection, which is then closed, or reset."""

    data: bytes = b""
    reset: bool = False

    def play(self, handler: "_Handler") -> None:
        """Send it."""
        handler.wfile.write(self.data)
        handler.wfile.flush()
        handler.close_connection = True
        if self.reset:
            handler.connection.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
            # The reset goes out when the last of the file objects is closed.
            handler.rfile.close()
            handler.wfile.close()
            handler.connection.close()


@dataclass(frozen=True)
class Trickle:
    """``first``, then one more byte again and again until the client or the server gives up."""

    first: bytes = b""
    pause_s: float = 0.02

    def play(self, handler: "_Handler") -> None:
        """Send it."""
        handler.close_connection = True
        handler.wfile.write(self.first)
        while not handler.scripted.over.wait(self.pause_s):
            try:
                handler.wfile.write(b"x")
            except OSError:
                return


@dataclass(frozen=True)
class Flood:
    """``first``, then the same bytes again and again, until the client gives up."""

    piece: bytes
    first: bytes = b""

    def play(self, handler: "_Handler") -> None:
        """Send it."""
        handler.close_connection = True
        handler.wfile.write(self.first)
        while not handler.scripted.over.is_set():
            handler.wfile.write(self.piece)


@dataclass(frozen=True)
class Hang:
    """``first`` and then nothing for as long as the server runs, or a client can be patient."""

    first: bytes = b""

    def play(self, handler: "_Handler") -> None:
        """Send it."""
        handler.close_connection = True
        handler.wfile.write(self.first)
        handler.scripted.over.wait(PATIENCE_S)


Step = Reply | Raw | Trickle | Flood | Hang


class ScriptedServer:
    """The scripted responses of a server, and the requests that it received.

    Attributes:
        steps: Played one a request; the last one again and again.
        connections: How many have been opened.
        closed: Released once for each that the server has closed.
    """

    def __init__(self, steps: tuple[Step, ...]) -> None:
        self.steps = list(steps)
        self.seen: list[ReceivedRequest] = []
        self.connections = 0
        self.closed = threading.Semaphore(0)
        self.over = threading.Event()
        self.base_url = ""
        self._lock = threading.Lock()

    def connected(self) -> None:
        """Note a connection."""
        with self._lock:
            self.connections += 1

    def arrived(self, request: ReceivedRequest) -> Step:
        """Note ``request`` and return what to answer."""
        with self._lock:
            self.seen.append(request)
            return self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    scripted: ScriptedServer

    def setup(self) -> None:
        super().setup()
        self.scripted.connected()

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        is_form = headers.get("content-type", "").startswith("multipart/")
        body = json.loads(raw) if raw and not is_form else None
        received = ReceivedRequest(self.path, headers, body, self.command, raw)
        step = self.scripted.arrived(received)
        with contextlib.suppress(OSError):
            step.play(self)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, scripted: ScriptedServer, tls: ssl.SSLContext | None) -> None:
        handler = type("Handler", (_Handler,), {"scripted": scripted})
        super().__init__(("127.0.0.1", 0), handler)
        self._scripted = scripted
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self._scripted.closed.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: clients that give up are what this server is for."""


@contextlib.contextmanager
def running(*steps: Step, tls: ssl.SSLContext | None = None) -> Iterator[ScriptedServer]:
    """Run a server on a free port that plays ``steps``, over TLS if it is given a context."""
    scripted = ScriptedServer(steps)
    with _Server(scripted, tls) as server:
        scheme = "http" if tls is None else "https"
        scripted.base_url = f"{scheme}://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield scripted
        finally:
            scripted.over.set()
            server.shutdown()
            thread.join()
