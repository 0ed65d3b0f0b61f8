"""The gateway's HTTP server: OpenAI-compatible, on this machine only, with a key for each unit."""

import contextlib
import http.server
import json
import secrets
import select
import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import structlog

from acm_workers.calls.context import CallContext
from acm_workers.calls.unit_work import UnitWork
from acm_workers.errors import AcmError, RequestError
from acm_workers.gateway import relay, requests
from acm_workers.gateway.access import GatewayAccess, Route
from acm_workers.gateway.requests import Endpoint
from schemas.config.config import Config
from schemas.config.provider import Dialect

DIALECTS: tuple[Dialect, ...] = ("openai", "openai_chat")
"""Dialects of providers that the gateway can reach; children use no other."""

MAX_REQUEST_BYTES = 32 * 1024 * 1024
MAX_CONNECTIONS = 512

_HOST = "127.0.0.1"
_IDLE_S, _WRITE_S = 300.0, 60.0
_DRAIN_S = 30.0
_STOP_WITHIN_S = 5.0
_POLL_S = 0.1
_DISCARD_S, _DISCARDED_PARTS = 1.0, 64
_PREFIX = "/v1/"

log = structlog.get_logger()


class UnitOptions(NamedTuple):
    """The options of one unit.

    Attributes:
        embeddings: The provider that answers requests for embeddings; default: the unit's own.
        max_calls: Maximum number of requests to models; no limit by default.
        max_bytes: Maximum number of bytes of one request; only the server's limit by default.
        retry_s: Maximum time in which one request is retried, if it is shorter than
            ``retries.deadline_seconds``, so that a child has time to report an error.
        reuse: Whether answers of earlier attempts at the unit are reused.
        routes: Further routes by name; a route such as ``search`` answers ``GET /search`` with
            JSON.
        drain_s: Time that the end of the unit waits for calls in flight.
    """

    embeddings: str | None = None
    max_calls: int | None = None
    max_bytes: int | None = None
    retry_s: float | None = None
    reuse: bool = True
    routes: Mapping[str, Route] = {}
    drain_s: float = _DRAIN_S


def refusal(config: Config, provider: str) -> str | None:
    """Return why the gateway cannot reach a provider; None if it can."""
    dialect = config.providers[provider].dialect
    if dialect in DIALECTS:
        return None
    return (
        f"provider {provider} speaks {dialect}; GPT Researcher reaches models through an"
        f" OpenAI-compatible address only: dialect {' or '.join(DIALECTS)}"
    )


class Gateway:
    """Serves the children of this process; listens from the first unit until ``close``."""

    def __init__(self, context: CallContext) -> None:
        self._context = context
        self._units: dict[str, GatewayAccess] = {}
        self._without_usage: set[tuple[str, str]] = set()
        self._lock = threading.Lock()
        self._server: _Server | None = None

    @contextlib.contextmanager
    def unit(
        self,
        work: UnitWork,
        config: Config,
        provider: str,
        options: UnitOptions = UnitOptions(),  # noqa: B008  immutable
    ) -> Iterator[GatewayAccess]:
        """Claim a unit, and serve the requests of its child until the end of the block.

        Args:
            work: The work on the unit, which has not begun.
            provider: The name of the provider that answers.

        Raises:
            AlreadyClaimed: Another worker has the unit.
            Cancelled: The run is paused.
            RequestError: The provider has a dialect that children do not support.
        """
        embeddings = options.embeddings or provider
        for name in (provider, embeddings):
            why = refusal(config, name)
            if why is not None:
                raise RequestError(why)
        names: dict[Endpoint, str] = {
            "chat/completions": provider,
            "responses": provider,
            "embeddings": embeddings,
        }
        access = GatewayAccess(self._context, work, config, names, secrets.token_urlsafe(32))
        access.routes, access.max_calls = options.routes, options.max_calls
        access.max_bytes = options.max_bytes
        if options.retry_s is not None:
            deadline_s = min(options.retry_s, config.retries.deadline_seconds)
            access.retries = config.retries.model_copy(update={"deadline_seconds": deadline_s})
        access.without_usage = self._without_usage
        work.begin()
        if options.reuse:
            access.load_answers()
        access.port = self._listening()
        access.root_url = f"http://{_HOST}:{access.port}"
        access.base_url = access.root_url + _PREFIX.rstrip("/")
        with self._lock:
            self._units[access.token] = access
        try:
            yield access
        finally:
            with self._lock:
                del self._units[access.token]
            access.close(options.drain_s)

    @contextlib.contextmanager
    def serving(self, listener: socket.socket) -> Iterator[None]:
        """Serve connections to ``listener`` as well, until the end of the block.

        Used by a child with a separate network. Its requests are recorded even after the block.
        """
        server = _Server(self, listener)
        try:
            yield
        finally:
            server.stop_listening()

    def find(self, token: str) -> GatewayAccess | None:
        """Return the access that belongs to a token."""
        with self._lock:
            return self._units.get(token)

    def close(self) -> None:
        """Stop listening and close all connections, including those of calls in flight."""
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.stop()

    def _listening(self) -> int:
        """Start to listen, and return the port."""
        with self._lock:
            if self._server is None:
                self._server = _Server(self)
            return self._server.server_address[1]


class _Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Serves each connection in a thread, and closes all connections when it stops."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, gateway: Gateway, listener: socket.socket | None = None) -> None:
        super().__init__((_HOST, 0), _Handler, bind_and_activate=listener is None)
        if listener is not None:
            self.socket.close()
            self.socket = listener.dup()
        self.gateway = gateway
        self._connections: set[socket.socket] = set()
        self._changed = threading.Condition()
        self._thread = threading.Thread(
            target=self.serve_forever, args=(_POLL_S,), name="acm-gateway", daemon=True
        )
        self._thread.start()

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Refuse connections beyond the limit."""
        with self._changed:
            return len(self._connections) < MAX_CONNECTIONS

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin a thread for a connection."""
        with self._changed:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        super().shutdown_request(request)
        with self._changed:
            self._connections.discard(request)
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error of a connection."""
        log.error("a connection of the gateway failed", error=repr(sys.exception()))

    def stop_listening(self) -> None:
        """Accept no further connections."""
        self.shutdown()
        self.server_close()
        self._thread.join()

    def stop(self) -> None:
        """Stop listening, and close every connection."""
        self.stop_listening()
        with self._changed:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._changed.wait_for(lambda: not self._connections, _STOP_WITHIN_S)


class _Handler(http.server.BaseHTTPRequestHandler):
    """One connection of a child; a ``relay.ChildConnection``."""

    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        """Prepare the connection."""
        # Timeouts of the system's cost nothing; Python's own ask before each operation.
        for option, seconds in ((socket.SO_RCVTIMEO, _IDLE_S), (socket.SO_SNDTIMEO, _WRITE_S)):
            self.request.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", *_split(seconds)))
        super().setup()
        self.begun = self._gone = self._ended = False

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, because requests may carry tokens, and calls are in the ledger."""

    def do_POST(self) -> None:
        """Answer a request to a model."""
        self.begun = self._gone = self._ended = False
        access = self._access()
        path = urlsplit(self.path).path
        endpoint = requests.ENDPOINTS.get(path.removeprefix(_PREFIX))
        body = self._body()
        if body is None:
            return
        if access is None:
            self._refuse(HTTPStatus.UNAUTHORIZED, "this key is not, or no longer, valid")
        elif endpoint is None:
            self._refuse(HTTPStatus.NOT_FOUND, f"the gateway does not serve {path[:100]}")
        else:
            self._relay(access, endpoint, body)
        if not self._ended:
            self.close_connection = True

    def do_GET(self) -> None:
        """Answer a request to a route of the unit."""
        self.begun = self._gone = self._ended = False
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        access = self._access(query.pop("token", None))
        route = None if access is None else access.routes.get(parts.path.strip("/"))
        if access is None:
            self._refuse(HTTPStatus.UNAUTHORIZED, "this key is not, or no longer, valid")
        elif route is None:
            self._refuse(HTTPStatus.NOT_FOUND, "the gateway does not serve this address")
        else:
            try:
                found = route(query)
            except AcmError as error:
                self._refuse(HTTPStatus.BAD_GATEWAY, str(error))
            else:
                self.answer(200, relay.JSON, json.dumps(found).encode())

    def is_gone(self) -> bool:
        """Return whether the child has closed its connection."""
        if not self._gone:
            poll = select.poll()
            poll.register(self.connection, select.POLLIN)
            try:
                self._gone = bool(poll.poll(0)) and not self.connection.recv(1, socket.MSG_PEEK)
            except OSError:
                self._gone = True
        return self._gone

    def answer(self, status: int, content_type: str, body: bytes) -> None:
        """Write a whole answer; an error is final, because the gateway has already retried."""
        head = _head(status, content_type) + b"Content-Length: %d\r\n" % len(body)
        if status >= 400:
            head += b"x-should-retry: false\r\n"
        if self.close_connection:
            head += b"Connection: close\r\n"
        self._send(head + b"\r\n" + body)
        self._ended = not self._gone

    def write(self, content_type: str, data: bytes) -> None:
        """Write a part of a stream; nothing happens if the child is gone."""
        chunk = b"%x\r\n%b\r\n" % (len(data), data)
        if not self.begun:
            self.begun = True
            head = _head(200, content_type) + b"Cache-Control: no-cache\r\n"
            chunk = head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk
        self._send(chunk)

    def end(self) -> None:
        """Write the end of a stream."""
        if not self.begun:
            self.answer(200, relay.EVENTS, b"")
            return
        self._send(b"0\r\n\r\n")
        self._ended = not self._gone

    def abort(self) -> None:
        """Close the connection in the middle of a stream; the child sees that it broke off."""
        self.close_connection = True

    def _relay(self, access: GatewayAccess, endpoint: Endpoint, body: bytes) -> None:
        try:
            request = requests.parse(endpoint, body)
        except RequestError as error:
            self._refuse(HTTPStatus.BAD_REQUEST, str(error))
            return
        relay.serve(access, request, self)

    def _access(self, token: str | None = None) -> GatewayAccess | None:
        if token is None:
            token = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.server.gateway.find(token)

    def _body(self) -> bytes | None:
        """Return the body of the request; None if it is refused."""
        length = self.headers.get("content-length", "")
        if not length.isdecimal():
            self.close_connection = True
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "the request has no length")
            self._discard()
        elif int(length) > MAX_REQUEST_BYTES:
            self.close_connection = True
            most = MAX_REQUEST_BYTES // 2**20
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {most} MB are taken")
            self._discard()
        else:
            body = self.rfile.read(int(length))
            if len(body) == int(length):
                return body
            self.close_connection = True
        return None

    def _discard(self) -> None:
        """Read remaining input within bounds, because closing at once would lose the answer."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(_DISCARD_S)
            for _ in range(_DISCARDED_PARTS):
                if not self.connection.recv(65536):
                    break

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        code = status.phrase.lower().replace(" ", "_")
        self.answer(status, relay.JSON, relay.error_body(why, code))

    def _send(self, data: bytes) -> None:
        if self._gone:
            return
        try:
            self.connection.sendall(data)
        except OSError:  # also when the child takes nothing for too long
            self._gone = True


def _split(seconds: float) -> tuple[int, int]:
    """Return whole seconds and microseconds."""
    return int(seconds), int(seconds % 1 * 1e6)


def _head(status: int, content_type: str) -> bytes:
    reason = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Error"
    return f"HTTP/1.1 {status} {reason}\r\nContent-Type: {content_type}\r\n".encode("latin-1")
