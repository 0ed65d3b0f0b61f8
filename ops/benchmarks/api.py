"""How fast the server of `acm api` answers beside a large run and many followers."""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx

from acm_workers.store import schema
from acm_workers.store.connection.database import Database
from ops.benchmarks import planned
from ops.benchmarks.table import Measured, Target

_UNITS = 100_000
_FOLLOWERS = 50
_REQUESTS = 400
_MOST_MS = 50.0


def measure(units: int = _UNITS, followers: int = _FOLLOWERS) -> Measured:
    """Measure routes of a run with ``units`` units while ``followers`` read its events."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        database = Database(f"sqlite:///{home / 'acm.db'}")
        schema.upgrade(database)
        config = planned.config({"alpha": {"base_url": "http://127.0.0.1:9/v1"}})
        run = planned.seed(database, config, planned.whole(units))
        database.close()
        command = [sys.executable, "-m", "acm_api.cli.main", "api", "--port", "0"]
        environment = os.environ | {"ACM_HOME": str(home)}
        with subprocess.Popen(  # noqa: S603  our own program
            command, env=environment, stderr=subprocess.PIPE, text=True
        ) as server:
            try:
                return _measure(server, run.id, units, followers)
            finally:
                server.terminate()


def _measure(server: "subprocess.Popen[str]", run_id: str, units: int, followers: int) -> Measured:
    url = _address(server)
    client = httpx.Client(base_url=f"{url}/api/v1", trust_env=False, timeout=60)
    paths = {
        "status": f"/runs/{run_id}/status",
        "list of runs": "/runs",
        "list of documents": f"/runs/{run_id}/documents",
        "list of artifacts": f"/runs/{run_id}/artifacts",
        "list of calls": f"/runs/{run_id}/calls",
    }
    ended = threading.Event()
    threads = [
        threading.Thread(target=_follow, args=(url, run_id, ended), daemon=True)
        for _ in range(followers)
    ]
    for thread in threads:
        thread.start()
    time.sleep(3)  # they have read the first progress
    before_mb = _rss_mb(server.pid)
    rows, targets = [], []
    for name, path in paths.items():
        took_ms = sorted(_one(client, path) for _ in range(_REQUESTS))
        p50, p99 = took_ms[len(took_ms) // 2], took_ms[int(len(took_ms) * 0.99)]
        rows.append({"route": name, "units": units, "followers": followers, "p50 ms": p50,
                     "p99 ms": p99})  # fmt: skip
        targets.append(Target(f"p99 ms of {name}", p99, _MOST_MS))
    after_mb = _rss_mb(server.pid)
    rows.append({"route": "memory of the server, MB", "units": units, "followers": followers,
                 "p50 ms": before_mb, "p99 ms": after_mb})  # fmt: skip
    ended.set()
    client.close()
    return Measured("api", rows, targets)


def _address(server: "subprocess.Popen[str]") -> str:
    assert server.stderr is not None  # noqa: S101  tells the type checker
    for line in server.stderr:
        found = re.search(r"listens on (http://\S+)", line)
        if found is not None:
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return found[1]
    raise RuntimeError("the server did not start")


def _follow(url: str, run_id: str, ended: threading.Event) -> None:
    with (
        contextlib.suppress(httpx.HTTPError),  # the server ends first
        httpx.Client(trust_env=False, timeout=60) as client,
        client.stream("GET", f"{url}/api/v1/runs/{run_id}/events") as stream,
    ):
        for _ in stream.iter_lines():
            if ended.is_set():
                return


def _one(client: httpx.Client, path: str) -> float:
    began = time.perf_counter()
    client.get(path).raise_for_status()
    return (time.perf_counter() - began) * 1000


def _rss_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024
