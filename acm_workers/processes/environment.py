"""The environment of a child: an allow-list, never a copy of the worker's variables and keys."""

import os
from collections.abc import Mapping
from pathlib import Path

_ALLOWED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")


def allowed(folder: Path, more: Mapping[str, str], *names: str) -> dict[str, str]:
    """Return the environment for a child.

    Args:
        folder: Its working folder, which is also its home and its place for temporary files.
        more: Variables with their values.
        names: Further variables to copy from this process if they exist.
    """
    kept = {name: os.environ[name] for name in (*_ALLOWED, *names) if name in os.environ}
    place = str(folder)
    return {"PATH": os.defpath, **kept, "HOME": place, "TMPDIR": place, **more}
