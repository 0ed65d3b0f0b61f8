"""`acm api` as a process of its own."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx

from tests.support.project import PATIENCE_S


class ApiProcess:
    """A server that listens.

    Attributes:
        url: Without a path.
        client: Calls ``/api/v1``.
    """

    def __init__(self, process: "subprocess.Popen[str]", headers: Mapping[str, str]) -> None:
        self._process = process
        self.url = _address(process)
        # A log that nobody reads would hold the server up.
        self._dropping = threading.Thread(target=_drop, args=(process,), daemon=True)
        self._dropping.start()
        self.client = httpx.Client(
            base_url=f"{self.url}/api/v1", headers=headers, trust_env=False, timeout=PATIENCE_S
        )

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """End it as an operator does, if it is there."""
        self.client.close()
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        self._dropping.join()


@contextmanager
def serving(
    environment: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> Iterator[ApiProcess]:
    """Run a server at a free port.

    Args:
        headers: Sent with each request of its client.
    """
    usual = {name: value for name, value in os.environ.items() if not name.startswith("ACM_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "acm_api.cli.main", "api", "--port", "0"],
        env={**usual, **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    found = ApiProcess(process, headers or {})
    try:
        yield found
    finally:
        found.end()


def _address(server: "subprocess.Popen[str]") -> str:
    """Return the address that a server tells."""
    assert server.stderr is not None
    for line in server.stderr:
        found = re.search(r"listens on (http://\S+)", line)
        if found is not None:
            return found[1]
    raise RuntimeError("the server did not start")


def _drop(server: "subprocess.Popen[str]") -> None:
    assert server.stderr is not None
    with server.stderr as log:
        log.read()
