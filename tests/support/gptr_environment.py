"""GPT Researcher's environment for tests, built by `acm setup gptr` once on a machine."""

import os
import subprocess
from pathlib import Path

from filelock import FileLock

from acm_workers.generators.children import installation
from tests.support.project import ACM

_BUILT_WITHIN_S = 1200.0


def built() -> Path:
    """Return the folder of the environment; it is built if it is not there or not current."""
    named = os.environ.get("ACM_GPTR_ENVIRONMENT")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(named) if named else cache / "acm-tests" / "gptr"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.tests.lock", timeout=_BUILT_WITHIN_S):
        if installation.of(folder).problem() is not None:
            command = [str(ACM), "setup", "gptr", "--folder", str(folder)]
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_BUILT_WITHIN_S, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
    return folder
