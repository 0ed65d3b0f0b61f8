"""A simulated provider in its own process."""

import selectors
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from tests.support.project import PATIENCE_S

_ROOT = Path(__file__).resolve().parents[2]
_FLAGS = {
    "latency_s": "--latency",
    "jitter_s": "--jitter",
    "background_latency_s": "--background-latency",
    "stall_s": "--stall",
    "log_file": "--log",
}


class Simulator(NamedTuple):
    """A simulated provider that listens.

    Attributes:
        url: Base URL, ending in ``/v1``.
        cert: The certificate it serves HTTPS with, if it does.
    """

    url: str
    pid: int
    cert: Path | None = None

    @property
    def root(self) -> str:
        """Return the address without a path."""
        return self.url.removesuffix("/v1")

    @property
    def google_url(self) -> str:
        """Return the base URL of its Google dialect."""
        return self.root + "/v1beta"

    def stats(self) -> dict[str, Any]:
        """Return what it has counted so far."""
        verify = True if self.cert is None else ssl.create_default_context(cafile=str(self.cert))
        url = self.root + "/_stats"
        answer = httpx.get(url, trust_env=False, verify=verify, timeout=PATIENCE_S)
        counted: dict[str, Any] = answer.raise_for_status().json()
        return counted


@contextmanager
def running(**settings: object) -> Iterator[Simulator]:
    """Run a simulator with ``settings`` (names of ``SimulatorSettings``) on a free port.

    ``faults`` may be one string or several.
    """
    command = [sys.executable, "-m", "acm_workers.simulator"]
    for name, value in ({"port": 0} | settings).items():
        if value is True:
            command.append(f"--{name}")
            continue
        text = ",".join(value) if isinstance(value, tuple) else str(value)
        command += [_FLAGS.get(name, "--" + name.replace("_", "-")), text]
    cert = settings.get("tls_cert")
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        try:
            yield Simulator(
                _url(process, errors) + "/v1", process.pid, Path(str(cert)) if cert else None
            )
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _url(process: subprocess.Popen[str], errors: Any) -> str:
    assert process.stdout is not None
    with selectors.DefaultSelector() as ready:
        ready.register(process.stdout, selectors.EVENT_READ)
        line = process.stdout.readline() if ready.select(PATIENCE_S) else ""
    if not line.startswith("simulator listening on "):
        errors.seek(0)
        raise RuntimeError(f"the simulator did not start: {errors.read()}")
    return line.split()[-1]
