"""Serving an application on a socket until a signal arrives."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

from acm_workers.errors import RequestError


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Listen on an address while the context is open.

    Raises:
        RequestError: The address is in use, or not one of this machine.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        raise RequestError(
            f"{host}, port {port} cannot be listened on: {error.strerror}"
        ) from error
    with listener:
        yield listener


def address(listener: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(app: Starlette, listener: socket.socket) -> None:
    """Serve until a signal arrives; running requests get a few seconds to end."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=5, server_header=False
    )
    uvicorn.Server(config).run(sockets=[listener])
