"""Loads the YAML tables that ship with ACM."""

import threading
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import yaml

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Table = TypeVar("Table")


def once(read: Callable[[], Table]) -> Callable[[], Table]:
    """Run ``read`` once in a process, even if many threads call it at the same moment.

    With ``functools.cache``, each thread would run it, and 64 threads that start together would
    spend seconds on one file.
    """
    lock, found = threading.Lock(), list[Table]()

    @wraps(read)
    def reading() -> Table:
        if not found:
            with lock:
                if not found:
                    found.append(read())
        return found[0]

    return reading


def content(file: Path) -> Any:
    """Return the parsed content of a shipped file."""
    return yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506  a safe one
