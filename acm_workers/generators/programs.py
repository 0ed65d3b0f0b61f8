"""The programs that write candidates in processes of their own, and where they are installed."""

import os
from collections.abc import Mapping
from pathlib import Path

from acm_workers.errors import RequestError

VARIABLE = "ACM_GPTR_ENV"
"""Environment variable that names the folder of GPT Researcher's environment."""

_CHILD = Path(__file__).with_name("gptr_child.py")


def folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of GPT Researcher's environment, whether it is there or not."""
    named = environ.get(VARIABLE, "").strip()
    return Path(named) if named else Path.home() / ".cache" / "acm" / "gptr"


def command(kind: str, environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the command that starts a child of a kind.

    Raises:
        RequestError: Its environment is not there.
    """
    python = folder(environ) / "bin" / "python"
    if not os.access(python, os.X_OK):
        raise RequestError(
            f"type {kind} needs GPT Researcher, which is not installed in {folder(environ)}:"
            " run `acm setup gptr`"
        )
    return (str(python), "-I", str(_CHILD))
