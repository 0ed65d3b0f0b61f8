"""A child in a network of its own: which ports of its machine it reaches, under several rights.

Run as a program it prints that as JSON, for users and machines other than those of the tests.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from acm_workers.errors import ChildNotStarted
from acm_workers.processes import child, own_network
from acm_workers.processes.spec import ChildSpec

_PORT = 4321
_ROOT = Path(__file__).resolve().parents[2]
# Bash, for the Python of the tests may be where only its user may read it.
_PROGRAM = 'for port; do (exec 3<>"/dev/tcp/127.0.0.1/$port") && echo "$port"; done; exit 0'
_NOBODY = 65534
_NO_RIGHTS = [
    "setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups",
    # It may still read the Python of the tests.
    "--bounding-set=-all,+dac_read_search", "--inh-caps=-all,+dac_read_search",
    "--ambient-caps=+dac_read_search",
]  # fmt: skip
_NO_NAMESPACES = [
    "unshare", "--user", "--map-root-user",
    "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh",
]  # fmt: skip


def without_rights() -> list[str]:
    """Return the beginning of a command that a user without rights executes."""
    return _NO_RIGHTS if os.getuid() == 0 else []


def without_namespaces() -> list[str]:
    """Return the beginning of a command that cannot create namespaces."""
    return _NO_NAMESPACES if are_allowed([]) else []


def are_allowed(rights: list[str]) -> bool:
    """Return whether a command that begins with ``rights`` may create namespaces."""
    command = [*rights, "unshare", "--user", "--net", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def found_with(rights: list[str]) -> dict[str, Any]:
    """Return what this program prints when its command begins with ``rights``."""
    done = subprocess.run(
        [*rights, sys.executable, "-B", "-m", "tests.support.own_networks"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Start a child in a network of its own; see above."""
    with socket.create_server(("127.0.0.1", 0)) as other, tempfile.TemporaryDirectory() as folder:
        spec = ChildSpec(
            argv=("/bin/bash", "-c", _PROGRAM, "bash", str(_PORT), str(other.getsockname()[1])),
            environment={"PATH": os.defpath},
            folder=Path(folder),
            soft_deadline_s=30,
            only_port=_PORT,
        )
        found: dict[str, Any] = {"user": os.getuid(), "why_not": own_network.why_not()}
        try:
            end = child.run(spec)
        except ChildNotStarted as error:
            found["refused"] = str(error)
        else:
            found["reached"] = [int(port) for port in end.stdout.text.split()]
            found["only_port"] = _PORT
    print(json.dumps(found))  # noqa: T201  what the test reads


if __name__ == "__main__":
    main()
