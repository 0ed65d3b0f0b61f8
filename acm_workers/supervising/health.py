"""How others find out whether a supervisor is well: a file, or a port."""

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import structlog

from acm_workers.errors import RequestError
from acm_workers.supervising.report import Report

log = structlog.get_logger()

_EVERY_S = 2.0
_STALE_S = 15.0
_STOP_LOOK_S = 0.1
"""How often a server looks whether it is to end."""


class Health:
    """Shows reports.

    Args:
        file: Is written anew every two seconds, as JSON: who finds it older than that knows
            something as well.
        port: Of this machine alone; ``/healthz`` answers 200 or 503. With 0 the system chooses.

    Raises:
        RequestError: The file cannot be written, or the port is taken.
    """

    def __init__(self, file: Path | None = None, port: int | None = None) -> None:
        self._file = file
        self._written: tuple[Report | None, float] = (None, 0.0)
        self._shown: tuple[dict[str, Any], float] = (_nothing_yet(), time.monotonic())
        self._server = None if port is None else _serve(port, self.answer)
        if file is not None:
            try:
                _write(file, self._shown[0])
            except OSError as error:
                raise RequestError(f"the health file cannot be written: {error}") from error

    @property
    def port(self) -> int | None:
        """Return the port, if there is one."""
        return None if self._server is None else int(self._server.server_address[1])

    def show(self, report: Report) -> None:
        """Show how it stands now."""
        now = time.monotonic()
        about = {"at": datetime.now(UTC).isoformat(), **report.as_dict()}
        self._shown = (about, now)
        before, at = self._written
        if self._file is None or (report == before and now - at < _EVERY_S):
            return
        self._written = (report, now)
        with suppress(OSError):  # a full disk is no reason to stop working; the file gets old
            _write(self._file, about)

    def answer(self) -> dict[str, Any]:
        """Return what is shown, or that nobody shows anything any more."""
        about, at = self._shown
        silent_s = time.monotonic() - at
        if silent_s < _STALE_S:
            return about
        return {**about, "ok": False, "reasons": [f"the supervisor hangs since {silent_s:.0f} s"]}

    def close(self) -> None:
        """Take down the file and the port."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def _nothing_yet() -> dict[str, Any]:
    return {"at": datetime.now(UTC).isoformat(), "ok": False, "reasons": ["it is starting"]}


def _write(file: Path, about: dict[str, Any]) -> None:
    # Whoever reads it meets the old one or the new one, never half of it.
    new = file.with_name(f".{file.name}.new")
    new.write_text(json.dumps(about) + "\n", "utf-8")
    new.replace(file)


def _serve(port: int, answer: Callable[[], dict[str, Any]]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        """Answers ``/healthz``."""

        def do_GET(self) -> None:
            """Answer with the report."""
            about = answer() if self.path == "/healthz" else None
            body = json.dumps(about or {"error": "there is only /healthz"}).encode()
            self.send_response(404 if about is None else 200 if about["ok"] else 503)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep silent."""

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
