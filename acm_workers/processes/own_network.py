"""Network namespaces of children, from which only one port of their worker is reachable.

A child in its own network namespace cannot reach other machines or other programs on this machine,
regardless of the code that it executes. Network namespaces exist only on Linux, and not every
machine allows users to create them.
"""

import os
import platform
import socket
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

from acm_workers.errors import AcmError
from acm_workers.processes import child
from acm_workers.processes.spec import ChildSpec

_PROBE_S = 20.0
_PROBE = """
import socket, sys
inside, outside = int(sys.argv[1]), int(sys.argv[2])
socket.create_connection(("127.0.0.1", inside), 5)
try:
    socket.create_connection(("127.0.0.1", outside), 5)
except OSError:
    sys.exit(0)
sys.exit("another port of this machine is reached")
"""
_INSIDE = 1024


@lru_cache(maxsize=1)
def why_not() -> str | None:
    """Return why children cannot have their own networks on this machine; None if they can.

    The result of the first attempt is kept.
    """
    if sys.platform != "linux":
        return f"{platform.system()} has no network namespaces"
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as other:
        ports = (str(_INSIDE), str(other.getsockname()[1]))
        spec = ChildSpec(
            argv=(sys.executable, "-I", "-S", "-c", _PROBE, *ports),
            environment={"PATH": os.defpath},
            folder=Path(folder),
            soft_deadline_s=_PROBE_S,
            only_port=_INSIDE,
        )
        try:
            end = child.run(spec)
        except (AcmError, OSError, subprocess.SubprocessError) as error:
            return str(error)
    if end.exit_code == 0:
        return None
    return " ".join(end.stderr.text.split())[-300:] or child.describe(end)
