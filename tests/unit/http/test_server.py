"""Idle connections, on the clock of a loop that the test moves."""

import asyncio
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from uvicorn.server import ServerState

from acm_api.http import server
from acm_workers.errors import RequestError

_REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


class Loop(asyncio.SelectorEventLoop):
    """A loop whose clock stands still unless a test sets it forward."""

    now_s = 0.0

    def time(self) -> float:
        return self.now_s


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


def test_an_address_in_use_is_named_once() -> None:
    with server.listening("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(RequestError) as caught, server.listening("127.0.0.1", port):
            pass

    assert str(caught.value) == f"cannot listen on 127.0.0.1, port {port}: Address already in use"


def test_a_connection_in_use_is_kept_however_long_and_an_idle_one_closed(loop: Loop) -> None:
    app = Starlette(routes=[Route("/", lambda _request: PlainTextResponse("here"))])
    config = server.configuration(app)
    config.load()
    state = ServerState()

    async def use() -> tuple[list[bool], bytes]:
        listener = await loop.create_server(
            lambda: config.http_protocol_class(config, state, {}, loop),  # type: ignore[call-arg]
            "127.0.0.1",
        )
        reader, writer = await asyncio.open_connection(*listener.sockets[0].getsockname())
        answered = []
        for _ in range(5):
            loop.now_s += 0.6 * server.IDLE_S
            await asyncio.sleep(0)
            writer.write(_REQUEST)
            answered.append(b"200 OK" in await reader.readuntil(b"here"))
        loop.now_s += 1.1 * server.IDLE_S
        rest = await reader.read()
        writer.close()
        listener.close()
        return answered, rest

    assert loop.run_until_complete(use()) == ([True] * 5, b"")
