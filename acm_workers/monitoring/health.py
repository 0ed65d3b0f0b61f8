"""The health check of `acm worker`, as a file or on a port."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import structlog

from acm_workers.errors import RequestError

log = structlog.get_logger()

_EVERY_S = 2.0
_STALE_S = 15.0
_STOP_LOOK_S = 0.1
"""Interval at which a server checks whether to stop."""


class HealthReport(NamedTuple):
    """The health of an `acm worker`.

    Attributes:
        name: Name of this machine, as in the names of its processes.
        reasons: The current problems; empty if there are none.
        lacking: Reasons why providers are not served here, by name.
        processes: Name, pid, restarts, state and Workers of each process.
    """

    name: str
    reasons: tuple[str, ...]
    lacking: Mapping[str, str]
    processes: tuple[dict[str, Any], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as values for JSON."""
        return {
            "ok": not self.reasons,
            "name": self.name,
            "reasons": list(self.reasons),
            "lacking": dict(self.lacking),
            "processes": list(self.processes),
        }


class HealthPublisher:
    """Publishes health reports to a file or on a port.

    Args:
        file: File for the report as JSON, written every two seconds and on each change; an older
            file indicates a hanging process.
        port: Port on the loopback address; ``/healthz`` answers 200 or 503. 0 selects a free port.

    Raises:
        RequestError: The file cannot be written, or the port is taken.
    """

    def __init__(self, file: Path | None = None, port: int | None = None) -> None:
        self._file = file
        self._written: tuple[HealthReport | None, float] = (None, 0.0)
        self._shown: tuple[dict[str, Any], float] = (_starting(), time.monotonic())
        self._server = None if port is None else _serve(port, self.answer)
        if file is not None:
            try:
                _write(file, self._shown[0])
            except OSError as error:
                raise RequestError(f"the health file cannot be written: {error}") from error

    @property
    def port(self) -> int | None:
        """Return the port; None without a port."""
        return None if self._server is None else int(self._server.server_address[1])

    def show(self, report: HealthReport) -> None:
        """Publish ``report`` from now on."""
        now = time.monotonic()
        shown = {"at": datetime.now(UTC).isoformat(), **report.as_dict()}
        self._shown = (shown, now)
        before, at = self._written
        if self._file is None or (report == before and now - at < _EVERY_S):
            return
        self._written = (report, now)
        with suppress(OSError):  # a full disk is no reason to stop working; the file gets old
            _write(self._file, shown)

    def answer(self) -> dict[str, Any]:
        """Return the latest report, marked as outdated if it is too old."""
        shown, at = self._shown
        silent_s = time.monotonic() - at
        if silent_s < _STALE_S:
            return shown
        return {**shown, "ok": False, "reasons": [f"the process hangs since {silent_s:.0f} s"]}

    def close(self) -> None:
        """Remove the file, and close the port."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def _starting() -> dict[str, Any]:
    return {"at": datetime.now(UTC).isoformat(), "ok": False, "reasons": ["it is starting"]}


def _write(file: Path, report: dict[str, Any]) -> None:
    # A reader finds the old file or the new one, never half of it.
    new = file.with_name(f".{file.name}.new")
    new.write_text(json.dumps(report) + "\n", "utf-8")
    new.replace(file)


def _serve(port: int, answer: Callable[[], dict[str, Any]]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        """Handles requests for ``/healthz``."""

        def do_GET(self) -> None:
            """Respond with the latest report."""
            report = answer() if self.path == "/healthz" else None
            body = json.dumps(report or {"error": "there is only /healthz"}).encode()
            self.send_response(404 if report is None else 200 if report["ok"] else 503)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Suppress the request log."""

    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise RequestError(f"the health port {port} cannot be had: {error}") from error
    server.daemon_threads = True
    threading.Thread(
        target=server.serve_forever, args=(_STOP_LOOK_S,), name="acm-health", daemon=True
    ).start()
    log.info("health is told", url=f"http://127.0.0.1:{server.server_address[1]}/healthz")
    return server
