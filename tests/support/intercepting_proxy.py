"""An HTTP proxy in front of a provider that answers some requests itself."""

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
_UNFINISHED: dict[str, Any] = {
    "object": "response",
    "status": "in_progress",
    "output": [],
    "usage": None,
}


class Reply(NamedTuple):
    """What the proxy answers by itself: bytes as they are, anything else as JSON."""

    status: int
    body: Any
    headers: dict[str, str] = {}  # noqa: RUF012  never changed


Answering = Callable[[bytes], Reply | None]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def intercepting(url: str, answer: Answering) -> Iterator[str]:
    """Run a proxy to the provider at ``url``; yield its base URL.

    Args:
        answer: Returns the proxy's own reply to a body, or None to pass it on. Polls of
            background answers have no body.
    """

    class _Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            reply = answer(body)
            if reply is not None:
                content = reply.body
                if not isinstance(content, bytes):
                    content = json.dumps(content).encode()
                self._answer(reply.status, content, reply.headers)
                return
            target = url.removesuffix("/v1") + self.path
            own = {name: value for name, value in self.headers.items() if name.startswith("X-")}
            sent = {"Content-Type": "application/json", **own}
            passed = httpx.request(
                self.command,
                target,
                content=body,
                headers=sent,
                trust_env=False,
                timeout=PATIENCE_S,
            )
            with contextlib.suppress(ConnectionError):  # the client has been killed
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

    with _Server(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def refusing(word: str, url: str) -> Iterator[str]:
    """Run a proxy that refuses requests with a certain word."""
    refusal = Reply(400, _REFUSAL)
    with intercepting(url, lambda body: refusal if word.encode() in body else None) as proxy_url:
        yield proxy_url


class HeldRequests:
    """Holds requests back, so that tests do not depend on timing.

    Attributes:
        url: Base URL of the proxy.
    """

    def __init__(self, word: str, passes: float) -> None:
        self.url = ""
        self._changed = threading.Condition()
        self._word, self._passes = word.encode(), passes

    def hold(self, word: str, passes: float = 0) -> None:
        """Hold requests with a certain word from now on, and forward all others."""
        with self._changed:
            self._word, self._passes = word.encode(), passes
            self._changed.notify_all()

    def let_pass(self, number: float) -> None:
        """Forward ``number`` more requests."""
        with self._changed:
            self._passes += number
            self._changed.notify_all()

    def open(self) -> None:
        """Forward everything."""
        self.let_pass(math.inf)

    def __call__(self, body: bytes) -> None:
        """Wait until a request may pass."""
        with self._changed:
            self._changed.wait_for(lambda: self._passes > 0 or self._word not in body)
            self._passes -= self._word in body


@contextmanager
def holding(url: str, word: str = "", passes: float = 0) -> Iterator[HeldRequests]:
    """Run a proxy that forwards some requests with a certain word, and holds the others back."""
    held = HeldRequests(word, passes)
    with intercepting(url, held) as held.url:
        try:
            yield held
        finally:
            held.open()


class UnfinishedAnswers:
    """Reports background answers as unfinished, except to the first polls.

    Attributes:
        url: Base URL of the proxy.
        polls_left: How many more polls are forwarded.
    """

    def __init__(self) -> None:
        self.url = ""
        self.polls_left: float = 0
        self._lock = threading.Lock()

    def finish(self) -> None:
        """Forward every poll."""
        self.polls_left = math.inf

    def __call__(self, body: bytes) -> Reply | None:
        """Answer a poll."""
        with self._lock:
            if body or self.polls_left > 0:
                self.polls_left -= not body
                return None
            return Reply(200, _UNFINISHED)


@contextmanager
def unfinished(url: str) -> Iterator[UnfinishedAnswers]:
    """Run a proxy that reports background answers as unfinished."""
    answers = UnfinishedAnswers()
    with intercepting(url, answers) as answers.url:
        yield answers


class HoldAfter:
    """Forwards ``passes`` requests, and holds all others back until it is opened."""

    def __init__(self, passes: int) -> None:
        self.held = 0
        self._passes = passes
        self._lock = threading.Lock()
        self._opened = threading.Event()

    def __call__(self, body: bytes) -> None:
        """Let a request through, now or later."""
        with self._lock:
            self._passes -= 1
            is_held = self._passes < 0
            self.held += is_held
        if is_held:
            self._opened.wait()

    def open(self) -> None:
        """Hold nothing back any more."""
        self._opened.set()


class ReplyAfter:
    """Forwards ``passes`` requests, and gives the same reply to all others."""

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
