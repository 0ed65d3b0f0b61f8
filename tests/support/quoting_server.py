"""A server whose error responses quote the request."""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, NamedTuple

_ASKED = re.compile(r"quoting-([a-z0-9]+)-(prompt|request)")


class _Failure(NamedTuple):
    """One way to fail.

    Attributes:
        code: Inside the error; a page of a proxy where absent.
    """

    status: int
    code: str | None


_FAILURES = {
    "refused": _Failure(400, "invalid_request"),
    "busy": _Failure(500, "server_error"),
    "gateway": _Failure(502, None),
    "inside": _Failure(200, "invalid_prompt"),
    "failing": _Failure(200, "server_error"),
    "page": _Failure(200, None),
    "key": _Failure(401, "invalid_api_key"),
    "quota": _Failure(429, "insufficient_quota"),
}

PASSING = ("refused", "busy", "gateway", "inside", "failing", "page")
"""Ways to fail that are the fault of one unit."""

STOPPING = ("key", "quota")
"""Ways to fail that stop a provider."""


def model(failure: str, what: Literal["prompt", "request"]) -> str:
    """Return the name of a model that fails in some way, and what it quotes first."""
    return f"quoting-{failure}-{what}"


class QuotingServer(NamedTuple):
    """A server that listens.

    Attributes:
        seen: The models that were asked for, in their order.
    """

    url: str
    seen: list[str]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def running() -> Iterator[QuotingServer]:
    """Run the server on a free port; it speaks every dialect, for all of them fail alike."""
    seen: list[str] = []

    class _Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found = _ASKED.search(self.path + body.decode())
            assert found is not None
            seen.append(found[0])
            failure = _FAILURES[found[1]]
            kind, answer = _answer(failure, _quoted(dict(self.headers), body, found[2]))
            self.send_response(failure.status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with _Server(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield QuotingServer(f"http://127.0.0.1:{server.server_address[1]}/v1", seen)
        finally:
            server.shutdown()
            thread.join()


def _quoted(headers: Mapping[str, str], body: bytes, what: str) -> str:
    prompt = max(_texts(json.loads(body)), key=len)
    request = "\n".join(f"{name}: {value}" for name, value in headers.items())
    return f"{prompt}\n{request}" if what == "prompt" else f"{request}\n\n{body.decode()}"


def _answer(failure: _Failure, quoted: str) -> tuple[str, bytes]:
    if failure.code is None:
        return "text/html", f"<h1>What was that?</h1><p>{quoted}</p>".encode()
    error = {"message": f"This cannot be done: {quoted}", "code": failure.code}
    failed = {"status": "failed", "type": "error", "error": error}
    return "application/json", json.dumps(failed).encode()


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in parsed JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
