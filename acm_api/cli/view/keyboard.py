"""Keyboard input: single keys from a terminal, lines from other sources."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_ENDS = {"A": "tie", "B": "both_bad", "C": "right", "D": "left"}
_ARROWS = {start + end: name for start in ("\x1b[", "\x1bO") for end, name in _ENDS.items()}
_LONGEST = 32
"""Maximum length of one key's input, in bytes."""


def read() -> str | None:
    """Return the typed key or line in lower case; None at the end of the input.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.strip().lower() if line else None
    with _single_keys():
        pressed = os.read(sys.stdin.fileno(), _LONGEST).decode("utf-8", "replace")
    if not pressed or pressed == "\x04":
        return None
    return _ARROWS.get(pressed, pressed.strip().lower()[:1])


@contextmanager
def _single_keys() -> Iterator[None]:
    """Switch the terminal to single-key input while the context is open."""
    try:
        import termios
        import tty
    except ImportError:  # not on this system: keys come with the line that they are in
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)  # what was pressed already counts
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
