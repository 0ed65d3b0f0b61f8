"""A real HTTP server in front of a provider that answers some requests itself."""

import contextlib
import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import httpx

from tests.support.project import PATIENCE_S

_REFUSAL = {"error": {"message": "This text is not for us.", "code": "content_policy_violation"}}
_AT_WORK: dict[str, Any] = {
    "object": "response",
    "status": "in_progress",
    "output": [],
    "usage": None,
}


class Reply(NamedTuple):
    """What the gate answers by itself."""

    status: int
    body: Any
    headers: dict[str, str] = {}  # noqa: RUF012  never changed


Answering = Callable[[bytes], Reply | None]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def answering(url: str, answer: Answering) -> Iterator[str]:
    """Run a gate to the provider at ``url``; give the base URL in its place.

    Args:
        answer: Returns the gate's own reply to a body, or None to pass it on. Looks at answers
            that are made in the background have no body.
    """

    class _Gate(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            reply = answer(body)
            if reply is not None:
                self._answer(reply.status, json.dumps(reply.body).encode(), reply.headers)
                return
            asked = url.removesuffix("/v1") + self.path
            own = {name: value for name, value in self.headers.items() if name.startswith("X-")}
            sent = {"Content-Type": "application/json", **own}
            passed = httpx.request(
                self.command,
                asked,
                content=body,
                headers=sent,
                trust_env=False,
                timeout=PATIENCE_S,
            )
            with contextlib.suppress(ConnectionError):  # who asked has been killed
                self._answer(passed.status_code, passed.content, {})

        def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            whole = {"Content-Type": "application/json", "Content-Length": str(len(body))}
            for name, value in (whole | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with _Server(("127.0.0.1", 0), _Gate) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def refusing(word: str, url: str) -> Iterator[str]:
    """Run a gate that refuses what holds a certain word."""
    refusal = Reply(400, _REFUSAL)
    with answering(url, lambda body: refusal if word.encode() in body else None) as gate:
        yield gate


class Held:
    """Holds requests back: what is seen meanwhile does not depend on who is faster.

    Attributes:
        url: Base URL of the gate.
    """

    def __init__(self, word: str, passes: float) -> None:
        self.url = ""
        self._changed = threading.Condition()
        self._word, self._passes = word.encode(), passes

    def hold(self, word: str, passes: float = 0) -> None:
        """Hold from now on what holds a certain word, and let all others go."""
        with self._changed:
            self._word, self._passes = word.encode(), passes
            self._changed.notify_all()

    def let_pass(self, number: float) -> None:
        """Let so many more pass."""
        with self._changed:
            self._passes += number
            self._changed.notify_all()

    def open(self) -> None:
        """Let everything pass."""
        self.let_pass(math.inf)

    def __call__(self, body: bytes) -> None:
        """Wait until a request may pass."""
        with self._changed:
            self._changed.wait_for(lambda: self._passes > 0 or self._word not in body)
            self._passes -= self._word in body


@contextmanager
def holding(url: str, word: str = "", passes: float = 0) -> Iterator[Held]:
    """Run a gate that lets some requests that hold a certain word pass, and holds the others."""
    held = Held(word, passes)
    with answering(url, held) as held.url:
        try:
            yield held
        finally:
            held.open()


class AtWork:
    """Says of answers in the background that they are not there yet, but for the first looks.

    Attributes:
        url: Base URL of the gate.
        looks: How many more looks pass.
    """

    def __init__(self) -> None:
        self.url = ""
        self.looks: float = 0
        self._lock = threading.Lock()

    def finish(self) -> None:
        """Let every look pass."""
        self.looks = math.inf

    def __call__(self, body: bytes) -> Reply | None:
        """Answer a look."""
        with self._lock:
            if body or self.looks > 0:
                self.looks -= not body
                return None
            return Reply(200, _AT_WORK)


@contextmanager
def at_work(url: str) -> Iterator[AtWork]:
    """Run a gate to a provider that makes answers in the background and does not finish them."""
    gate = AtWork()
    with answering(url, gate) as gate.url:
        yield gate


class Turnstile:
    """Lets so many requests pass, and holds all others back until it is opened."""

    def __init__(self, passes: int) -> None:
        self.held = 0
        self._passes = passes
        self._lock = threading.Lock()
        self._opened = threading.Event()

    def __call__(self, body: bytes) -> None:
        """Let a request through, now or later."""
        with self._lock:
            self._passes -= 1
            self.held += self._passes < 0
        if self._passes < 0:
            self._opened.wait()

    def open(self) -> None:
        """Hold nothing back any more."""
        self._opened.set()


class Purse:
    """Lets so many requests pass, and gives one and the same reply to all others."""

    def __init__(self, reply: Reply, passes: int = 0) -> None:
        self.passes = passes
        self.refused = 0
        self._reply = reply
        self._lock = threading.Lock()

    def __call__(self, body: bytes) -> Reply | None:
        """Answer a request."""
        with self._lock:
            if self.passes > 0:
                self.passes -= 1
                return None
            self.refused += 1
            return self._reply
