"""Response times of `acm api`, and clients that follow a run."""

import contextlib
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

import httpx

from ops.benchmarks.table import Target
from tests.support.api_process import ApiProcess

MOST_MS = 50.0


def took_ms(server: ApiProcess, path: str) -> float:
    """Return the duration of a request."""
    began = time.perf_counter()
    server.client.get(path).raise_for_status()
    return (time.perf_counter() - began) * 1000


def paths(run_id: str) -> dict[str, str]:
    """Return the measured routes by name."""
    return {
        "status": f"/runs/{run_id}/status",
        "list of runs": "/runs",
        "list of documents": f"/runs/{run_id}/documents",
        "list of artifacts": f"/runs/{run_id}/artifacts",
        "list of calls": f"/runs/{run_id}/calls",
    }


class Latency(NamedTuple):
    """Response times of one route, in milliseconds."""

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
    """Clients that follow a run by server-sent events, one thread each."""

    def __init__(self, server: ApiProcess, run_id: str, number: int) -> None:
        self._url = f"{server.url}/api/v1/runs/{run_id}/events"
        self._ended = threading.Event()
        for _ in range(number):
            threading.Thread(target=self._follow, daemon=True).start()

    def end(self) -> None:
        """Stop at the next event."""
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
