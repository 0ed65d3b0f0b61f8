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

from tests.support import silent_port
from tests.support.project import PATIENCE_S


class ApiProcess:
    """A server that listens; started again after ``kill``, it has the same address.

    Args:
        port: Kept from all others, also while it does not run.
        environment: In place of the variables of ACM that this process has.
        headers: Sent with each request of its client.

    Attributes:
        url: Without a path.
        client: Calls ``/api/v1``.
    """

    def __init__(
        self, port: int, environment: Mapping[str, str], headers: Mapping[str, str]
    ) -> None:
        usual = {name: value for name, value in os.environ.items() if not name.startswith("ACM_")}
        self._environment = {**usual, **environment}
        self._port = port
        self.start()
        self.client = httpx.Client(
            base_url=f"{self.url}/api/v1", headers=headers, trust_env=False, timeout=PATIENCE_S
        )

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def start(self) -> None:
        """Start it, and return when it listens."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "acm_api.cli.main", "api", "--port", str(self._port)],
            env=self._environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = _address(self._process)
        # A log that nobody reads would hold the server up.
        self._dropping = threading.Thread(target=_drop, args=(self._process,), daemon=True)
        self._dropping.start()

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        self._process.kill()
        self._process.wait()
        self._dropping.join()

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
    with silent_port.reserved() as port:
        found = ApiProcess(port, environment, headers or {})
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
