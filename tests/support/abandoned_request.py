"""A client that disconnects before its answer."""

import socket
from urllib.parse import urlsplit

from tests.support.project import wait_until
from tests.support.simulator import Simulator


def send_and_disconnect(simulator: Simulator, path: str, body: bytes) -> None:
    """Send a request, disconnect while it is processed, and wait until the simulator notices.

    The simulator must be slow to answer, and get no other requests meanwhile.
    """
    there = urlsplit(simulator.root)
    head = f"POST {path} HTTP/1.1\r\nHost: {there.netloc}\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((there.hostname, there.port)) as connection:
        connection.sendall(head.encode() + body)
        wait_until(lambda: simulator.stats()["in_flight"])
    wait_until(lambda: simulator.stats()["in_flight"] == 0)
