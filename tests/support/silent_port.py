"""A reserved port that nobody listens on, or a server on it that never answers."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserved(host: str = "127.0.0.1") -> Iterator[int]:
    """Keep a free port from all others; it refuses connections until somebody here listens."""
    with socket.socket() as holder:
        # Whoever allows it as well may listen there; free ports are chosen among others.
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind((host, 0))
        yield holder.getsockname()[1]


@contextmanager
def listening(port: int) -> Iterator[None]:
    """Take connections on a reserved port and drop them."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", port)) as server:
        server.settimeout(0.05)
        thread = threading.Thread(target=_drop, args=(server, over))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def _drop(server: socket.socket, over: threading.Event) -> None:
    while not over.is_set():
        try:
            server.accept()[0].close()
        except TimeoutError:
            continue
