"""Processes that begin at one moment, however long each took to start."""

import subprocess
from collections.abc import Sequence


def begin(processes: Sequence["subprocess.Popen[str]"]) -> None:
    """Send a line to each process once all have printed that they are ready."""
    for one in processes:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in processes:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
