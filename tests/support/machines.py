"""Machines of a network: namespaces of this one, each with a network, name and home of its own.

Where namespaces cannot be had, a machine is another home and environment.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.support import proxy

_ENDS_WITHIN_S = 30.0
# Takes a name and a folder that is somebody else's, then becomes the command.
_ENTER = 'hostname "$0"; mount -t tmpfs none "$1"; shift; exec "$@"'
_LOOPBACK = "127.0.0.1"


class Machine(NamedTuple):
    """A machine with a folder and a home.

    Attributes:
        enter: What stands before a command that is to run there.
    """

    name: str
    folder: Path
    enter: tuple[str, ...]

    @contextmanager
    def started(
        self, command: Sequence[str], env: Mapping[str, str], cwd: Path | None = None
    ) -> Iterator["subprocess.Popen[bytes]"]:
        """Start a command here with nothing but ``env``, its output in ``log``; end it at last."""
        home = self.folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        usual = {"PATH": os.environ["PATH"], "HOME": str(home)}
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [*self.enter, *command],
                cwd=cwd or home,
                env={**usual, **env},
                stdout=log,
                stderr=log,
            )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(_ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @property
    def log(self) -> Path:
        """Return where its commands write."""
        return self.folder.with_suffix(".log")


class Network(NamedTuple):
    """Machines, and this one as they see it.

    Attributes:
        host: The address where they find what listens on it here.
        apart: Whether they are namespaces.
    """

    host: str
    apart: bool
    machines: tuple[Machine, ...]

    def near(self, stack: ExitStack, url: str) -> str:
        """Return the URL of a server of this machine, as the others reach it."""
        parts = urlsplit(url)
        way = stack.enter_context(proxy.running(parts.port or 0, self.host))
        return parts._replace(netloc=f"{self.host}:{way.port}").geturl()


@contextmanager
def network(folder: Path, *names: str) -> Iterator[Network]:
    """Give machines of those names; none but the last sees what is in the folder of the last."""
    with ExitStack() as stack:
        if not _namespaces():
            made = tuple(Machine(name, folder / name, ()) for name in names)
            (folder / names[-1]).mkdir(parents=True)
            yield Network(_LOOPBACK, False, made)
            return
        begin = f"acm{os.getpid() % 100_000}"
        net = f"10.{100 + os.getpid() % 100}"
        found = []
        (folder / names[-1]).mkdir(parents=True)
        for number, name in enumerate(names):
            space = f"{begin}n{number}"
            stack.enter_context(_space(space, f"{begin}v{number}", f"{net}.{number}"))
            hidden = str(folder / names[-1])
            if name == names[-1]:
                hidden = stack.enter_context(tempfile.TemporaryDirectory())
            enter = ("ip", "netns", "exec", space, "unshare", "--uts", "sh", "-c", _ENTER, name)
            found.append(Machine(name, folder / name, (*enter, hidden)))
        yield Network(f"{net}.0.1", True, tuple(found))


@contextmanager
def _space(name: str, link: str, net: str) -> Iterator[None]:
    """Make a network namespace that reaches this machine and nothing else."""
    _ip("netns", "add", name)
    try:
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("addr", "add", f"{net}.1/24", "dev", link)
        _ip("link", "set", link, "up")
        for device in ("lo", "eth0"):
            _ip("-n", name, "link", "set", device, "up")
        _ip("-n", name, "addr", "add", f"{net}.2/24", "dev", "eth0")
        _ip("-n", name, "route", "add", "default", "via", f"{net}.1")
        yield
    finally:
        _ip("netns", "del", name)


def _namespaces() -> bool:
    """Return whether this machine lets us make others."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("ip", "unshare", "mount", "hostname"))):
        return False
    probe = f"acm{os.getpid() % 100_000}p"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False)
    if made.returncode != 0:
        return False
    inside = ["ip", "netns", "exec", probe, "unshare", "--uts", "true"]
    works = subprocess.run(inside, capture_output=True, check=False).returncode == 0
    _ip("netns", "del", probe)
    return works


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
