"""Ctrl-C that is not lost.

Python raises ``KeyboardInterrupt`` wherever the main thread happens to be. Where that is a callback
of the garbage collector, it is printed and forgotten, and a command that its user wants to stop
would go on and spend.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def kept() -> Iterator[Callable[[], None]]:
    """Give a function that raises what came and was lost; to be called now and then.

    It raises ``KeyboardInterrupt``, once for all that came. Whoever ignores the signal goes on
    ignoring it.
    """
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler:
        yield lambda: None
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        signal.default_int_handler(number, frame)

    def look() -> None:
        if came:
            came.clear()
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield look
    finally:
        signal.signal(signal.SIGINT, usual)
