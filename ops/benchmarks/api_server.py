"""The server of `acm api` as a process, and what its answers take."""

import contextlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import httpx

from ops.benchmarks.table import Target

MOST_MS = 50.0


class Server(NamedTuple):
    """A server that listens.

    Attributes:
        url: Without a path.
        client: Calls ``/api/v1``.
    """

    url: str
    pid: int
    client: httpx.Client

    def took_ms(self, path: str) -> float:
        """Return how long the answer to a request takes."""
        began = time.perf_counter()
        self.client.get(path).raise_for_status()
        return (time.perf_counter() - began) * 1000


@contextmanager
def serving(environment: Mapping[str, str]) -> Iterator[Server]:
    """Run a server at a free port."""
    command = [sys.executable, "-m", "acm_api.cli.main", "api", "--port", "0"]
    with subprocess.Popen(  # noqa: S603  our own program
        command, env=os.environ | environment, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            url = _address(process)
            with httpx.Client(base_url=f"{url}/api/v1", trust_env=False, timeout=60) as client:
                yield Server(url, process.pid, client)
        finally:
            process.terminate()


def paths(run_id: str) -> dict[str, str]:
    """Return the routes that are measured, by name."""
    return {
        "status": f"/runs/{run_id}/status",
        "list of runs": "/runs",
        "list of documents": f"/runs/{run_id}/documents",
        "list of artifacts": f"/runs/{run_id}/artifacts",
        "list of calls": f"/runs/{run_id}/calls",
    }


class Latency(NamedTuple):
    """How long the answers of one route took, in milliseconds."""

    p50: float
    p99: float
    most: float

    @classmethod
    def of(cls, took_ms: Sequence[float]) -> "Latency":
        """Return the figures of at least one answer."""
        ordered = sorted(took_ms)
        return cls(ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)], ordered[-1])

    def target(self, route: str) -> Target:
        """Return whether the route is fast enough."""
        return Target(f"p99 ms of {route}", self.p99, MOST_MS)


class Followers:
    """Clients that follow a run by server-sent events, in threads of their own."""

    def __init__(self, server: Server, run_id: str, number: int) -> None:
        self._url = f"{server.url}/api/v1/runs/{run_id}/events"
        self._ended = threading.Event()
        for _ in range(number):
            threading.Thread(target=self._follow, daemon=True).start()

    def end(self) -> None:
        """End with the next event."""
        self._ended.set()

    def _follow(self) -> None:
        with (
            contextlib.suppress(httpx.HTTPError),  # the server ends first
            httpx.Client(trust_env=False, timeout=60) as client,
            client.stream("GET", self._url) as stream,
        ):
            for _ in stream.iter_lines():
                if self._ended.is_set():
                    return


def _address(server: "subprocess.Popen[str]") -> str:
    assert server.stderr is not None  # noqa: S101  tells the type checker
    for line in server.stderr:
        found = re.search(r"listens on (http://\S+)", line)
        if found is not None:
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return found[1]
    raise RuntimeError("the server did not start")
