"""Clients of `acm api` that send too much, or nothing at all."""

import contextlib
import socket
import threading
from collections.abc import Iterator

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from acm_api.http import server

PATIENCE_S = 30.0


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """Serve one page as `acm api` is served, with little patience for idle connections."""
    monkeypatch.setattr(server, "IDLE_S", 0.5)
    app = Starlette(routes=[Route("/", lambda _request: PlainTextResponse("here"))])
    running = uvicorn.Server(server.configuration(app))
    with server.listening("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()
        running.should_exit = True
        thread.join()


def page(address: tuple[str, int]) -> str:
    return httpx.get(f"http://127.0.0.1:{address[1]}/", trust_env=False).text


def connected(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address, PATIENCE_S)


def is_ended(connection: socket.socket) -> bool:
    """Wait for the server's end of a connection."""
    with contextlib.suppress(ConnectionError):
        while connection.recv(65536):
            pass
    return True


def test_header_without_an_end_is_refused_after_some_kilobytes(address: tuple[str, int]) -> None:
    sent, piece = 0, b"x" * 65536

    with connected(address) as client, contextlib.suppress(ConnectionError):
        client.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nX-Long: ")
        while sent < 64 * 2**20:
            client.sendall(piece)
            sent += len(piece)

    assert sent < 64 * 2**20
    assert page(address) == "here"


@pytest.mark.parametrize("first", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_connection_without_a_whole_request_is_closed(
    address: tuple[str, int], first: bytes
) -> None:
    with connected(address) as client:
        with contextlib.suppress(ConnectionError):  # closed already
            client.sendall(first)

        assert is_ended(client)


def test_half_open_connections_leave_the_server_free_for_others(address: tuple[str, int]) -> None:
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connected(address)) for _ in range(600)]
        surplus = clients[server.MAX_CONNECTIONS :]

        assert all(is_ended(client) for client in surplus)
        assert all(is_ended(client) for client in clients)
        assert page(address) == "here"


def test_second_request_on_a_connection_is_answered(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "IDLE_S", PATIENCE_S)
    with httpx.Client(trust_env=False) as client:
        url = f"http://127.0.0.1:{address[1]}/"

        assert [client.get(url).text, client.get(url).text] == ["here", "here"]
