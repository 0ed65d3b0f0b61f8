"""A raw client with plain asyncio streams, as fast as this machine allows."""

import asyncio
import time
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit


class ClientUsage(NamedTuple):
    """The time and memory that a client used for all its calls."""

    wall_s: float
    cpu_s: float


def ask(url: str, path: str, bodies: list[bytes], in_flight: int) -> ClientUsage:
    """POST every body to ``path`` under ``url`` and read the answers."""
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    asyncio.run(_all(url, path, bodies, in_flight))
    return ClientUsage(time.perf_counter() - wall_s, time.process_time() - cpu_s)


async def _all(url: str, path: str, bodies: list[bytes], in_flight: int) -> None:
    waiting = iter(bodies)
    async with asyncio.TaskGroup() as group:
        for _ in range(in_flight):
            group.create_task(_one_by_one(url, path, waiting))


async def _one_by_one(url: str, path: str, waiting: Iterator[bytes]) -> None:
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    for body in waiting:
        head = (
            f"POST {address.path}/{path} HTTP/1.1\r\nHost: {address.netloc}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await _answer(reader)
    writer.close()
    await writer.wait_closed()


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    status, *fields = head.decode("latin-1").split("\r\n")
    if " 200 " not in status:
        raise RuntimeError(f"the simulator answered {status}")
    lengths = [
        field.partition(":")[2] for field in fields if field.lower().startswith("content-length:")
    ]
    return await reader.readexactly(int(lengths[0]))
