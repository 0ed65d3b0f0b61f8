"""`acm worker` as a process of its own, and what it reports."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.cluster import Cluster
from tests.support.project import ACM, PATIENCE_S, wait_until

_SIGNAL_EVERY_S = 0.5


class WorkerCommand:
    """An `acm worker` that runs."""

    def __init__(self, process: "subprocess.Popen[bytes]", health: Path, log: Path) -> None:
        self.process = process
        self._health = health
        self._log = log

    def health(self) -> dict[str, Any]:
        """Return what its health file says; nothing while there is none."""
        try:
            found: dict[str, Any] = json.loads(self._health.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        return found

    def is_well(self, workers: int) -> bool:
        """Return whether so many Workers work, and all is well."""
        return bool(self.health().get("ok")) and len(self._workers()) == workers

    def worker_of(self, group: str) -> dict[str, Any]:
        """Return the Worker that serves a provider, or control, with the pid of its process."""
        found = [one for one in self._workers() if one["name"].split("@")[0] == group]
        return found[0] if found else {}

    def processes(self) -> list[dict[str, Any]]:
        """Return what is reported of each process."""
        found: list[dict[str, Any]] = self.health().get("processes", [])
        return found

    def log(self) -> list[dict[str, Any]]:
        """Return what it and its processes have logged."""
        whole = self._log.read_bytes().rpartition(b"\n")[0].decode()
        return [json.loads(line) for line in whole.splitlines()]

    def told(self, event: str) -> list[dict[str, Any]]:
        """Return the entries of its log that tell of an event."""
        return [entry for entry in self.log() if entry["event"] == event]

    def _workers(self) -> list[dict[str, Any]]:
        running = [one for one in self.processes() if one["state"] == "running"]
        return [{**worker, "pid": one["pid"]} for one in running for worker in one["workers"]]

    def send(self, which: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(which)

    def end(self) -> int:
        """Wait for its end; return its exit code."""
        return self.process.wait(PATIENCE_S)

    def text(self) -> str:
        """Return its log, for a test that fails."""
        return self._log.read_text("utf-8")


@contextmanager
def working(
    cluster: Cluster, folder: Path, *args: str, env: Mapping[str, str] | None = None
) -> Iterator[WorkerCommand]:
    """Start `acm worker` for a cluster; at the end it is stopped, whatever it does.

    Args:
        folder: Keeps its log.
        env: Variables beside the usual ones.
    """
    usual = {name: value for name, value in os.environ.items() if not name.startswith("ACM_")}
    home = Path(tempfile.mkdtemp(dir=folder))
    health, log = home / "health.json", home / "log"
    with (
        log.open("wb") as err,
        subprocess.Popen(
            [str(ACM), "worker", "--health-file", str(health), *args],
            cwd=home,
            stderr=err,
            env={**usual, **cluster.env, **(env or {})},
        ) as process,
    ):
        found = WorkerCommand(process, health, log)
        try:
            yield found
        finally:
            _end(found)


def kill(pid: int) -> None:
    """End a process at once."""
    os.kill(pid, signal.SIGKILL)


def wait_for(
    found: WorkerCommand, condition: Callable[[], Any], deadline_s: float = PATIENCE_S
) -> Any:
    """Return what ``condition`` returns as soon as that is true; show the log if it never is."""
    try:
        return wait_until(condition, deadline_s)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{found.health()}\n{found.text()}") from None


def _end(found: WorkerCommand) -> None:
    """Stop a worker at once: a second signal does that, but two that are pending count as one."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        found.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            found.process.wait(_SIGNAL_EVERY_S)
            return
    found.process.kill()
