"""A client that does not wait for its answer."""

import socket
from urllib.parse import urlsplit

from tests.support.project import wait_until
from tests.support.simulator import Simulator


def ask_and_leave(simulator: Simulator, path: str, body: bytes) -> None:
    """Send a request, leave once it is worked on, and wait until the simulator has noticed.

    The simulator has to take its time, and nobody else may ask it anything meanwhile.
    """
    there = urlsplit(simulator.root)
    head = f"POST {path} HTTP/1.1\r\nHost: {there.netloc}\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((there.hostname, there.port)) as connection:
        connection.sendall(head.encode() + body)
        wait_until(lambda: simulator.stats()["in_flight"])
    wait_until(lambda: simulator.stats()["in_flight"] == 0)
