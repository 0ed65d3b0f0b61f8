"""Tables that ship with ACM as YAML."""

import threading
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import yaml

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Table = TypeVar("Table")


def once(read: Callable[[], Table]) -> Callable[[], Table]:
    """Let ``read`` run once in a process, also where many threads ask at the same moment.

    ``functools.cache`` lets each of them run it: 64 threads that began together spent seconds on
    reading one file.
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
    """Return what a shipped file holds."""
    return yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506  a safe one
