"""The simulator as a process that listens."""

import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Iterator

import uvicorn

from acm_workers.simulator import app
from acm_workers.simulator.connection import SimulatorProtocol
from acm_workers.simulator.service import SimulatedProvider
from acm_workers.simulator.settings import SimulatorSettings


def serve(settings: SimulatorSettings, ready: Callable[[int], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        settings: Settings of the provider.
        ready: Callback that receives the actual port once requests are accepted.

    Raises:
        OSError: The port is in use, the log cannot be written, or the certificate is unusable.
    """
    with contextlib.ExitStack() as stack:
        log = None
        if settings.log_file is not None:
            log = stack.enter_context(settings.log_file.open("a", buffering=1)).write
        listener = stack.enter_context(_listener(settings))
        config = uvicorn.Config(
            app.build(SimulatedProvider(settings), log),
            loop="uvloop",
            http=SimulatorProtocol,
            ws="none",
            lifespan="off",
            access_log=False,
            log_level="critical",
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=75,  # longer than clients keep idle connections, as real ones do
            timeout_graceful_shutdown=1,
            ssl_certfile=settings.tls_cert,
            ssl_keyfile=settings.tls_key,
        )
        server = _Server(config, ready)
        stack.enter_context(_ends_quietly(server))
        server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """uvicorn's server, which signals when it accepts requests."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None] | None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._ready is not None and sockets:
            self._ready(sockets[0].getsockname()[1])


def _listener(settings: SimulatorSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    listener.setblocking(False)
    return listener


@contextlib.contextmanager
def _ends_quietly(server: uvicorn.Server) -> Iterator[None]:
    """End the server on a signal, without raising the signal again as uvicorn does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ends = (signal.SIGTERM, signal.SIGINT)
    former = {which: signal.signal(which, server.handle_exit) for which in ends}
    try:
        yield
    finally:
        for which, handler in former.items():
            signal.signal(which, handler)
