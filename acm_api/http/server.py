"""Serves an application on a socket until a signal arrives."""

import asyncio
import gc
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import cast

import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from acm_api.http.pages import rendering
from acm_workers.errors import RequestError

MAX_HEAD_BYTES = 16 * 1024
"""Maximum size of a request's headers, in bytes."""

MAX_CONNECTIONS = 100
"""Maximum number of connections; further ones are closed at once."""

IDLE_S = 10
"""Time after the last answer in which a complete request must arrive, in seconds;
clients in Python close an idle connection after 5 s, so this limit does not affect them."""


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Listen on an address while the context is open.

    Raises:
        RequestError: The address is in use, or does not belong to this machine.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = (error.strerror or "").partition(" (while")[0]  # the address, once more
        raise RequestError(f"cannot listen on {host}, port {port}: {reason}") from error
    with listener:
        yield listener


def address(listener: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(app: FastAPI, listener: socket.socket, proxies: Sequence[str] = ()) -> None:
    """Serve until a signal arrives; active requests have a few seconds to finish.

    Requested runs are executed meanwhile.

    Args:
        proxies: See ``configuration``.
    """
    _keep_collections_short()
    service = app.state.service
    service.dispatcher.start()
    service.retention.start()
    try:
        uvicorn.Server(configuration(app, proxies)).run(sockets=[listener])
    finally:
        service.retention.stop()
        service.dispatcher.stop()


def _keep_collections_short() -> None:
    """Exempt loaded modules from garbage collection, which would stop all requests for 0.2 s."""
    rendering.load()
    gc.collect()
    gc.freeze()


def configuration(app: Starlette, proxies: Sequence[str] = ()) -> uvicorn.Config:
    """Return uvicorn's configuration for ``app``, with limits of connections and headers.

    Args:
        proxies: Addresses or networks whose ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are
            trusted.
    """
    return uvicorn.Config(
        app,
        http=_Connection,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        ws="none",
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_keep_alive=IDLE_S,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=5,
        server_header=False,
    )


class _Connection(H11Protocol):
    """A connection that is closed if it is idle, or if there are too many connections."""

    _idle: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast("asyncio.Transport", transport))
        self._idle = self.loop.call_later(IDLE_S, self._close_if_idle)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()  # type: ignore[attr-defined]  # sockets have a transport that can

    def on_response_complete(self) -> None:
        self._idle.cancel()
        self._idle = self.loop.call_later(IDLE_S, self._close_if_idle)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._idle.cancel()
        super().connection_lost(exc)

    def _close_if_idle(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()
