"""Standard streams that never fail: a paid run must not end because a line cannot be printed.

Python raises an error for a character that the terminal's encoding lacks, for a pipe whose reader
has exited, for a full disk, and for a terminal that was closed.
"""

import codecs
import errno
import io
import os
import select
import sys
from typing import Any

_LOOKALIKES = {"·": "-", "…": "~", "━": "=", "─": "-", "–": "-", "×": "x", "\N{BULLET}": "*"}
_ERRORS = "acm.lookalike"
_NOBODY_READS = (errno.EPIPE, errno.ECONNRESET)


class _SafeFile(io.RawIOBase):
    """Writes to a file until writing fails; then drops further output and keeps the reason."""

    def __init__(self, file: Any) -> None:
        self._file = file
        # A terminal that was closed may not say any more that it is one.
        self._is_terminal: bool = file.isatty()
        self.failure: OSError | None = None

    def write(self, data: Any) -> int:
        while self.failure is None:
            try:
                written: int | None = self._file.write(data)
                if written is not None:
                    return written
                select.select([], [self._file], [])  # another process made it non-blocking
            except OSError as error:
                self.failure = error
        return len(data)

    @property
    def nobody_reads(self) -> bool:
        """Return whether writing failed because the reader has exited."""
        failure = self.failure
        return failure is not None and (self._is_terminal or failure.errno in _NOBODY_READS)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._is_terminal

    def fileno(self) -> int:
        number: int = self._file.fileno()
        return number


def protect() -> None:
    """Replace stdout and stderr by streams to which writing never fails."""
    codecs.register_error(_ERRORS, _lookalikes)
    sys.stdout, sys.stderr = _safe(sys.stdout), _safe(sys.stderr)


def nobody_reads() -> bool:
    """Return whether the reader of stdout has exited."""
    file = _safe_file(sys.stdout)
    return file is not None and file.nobody_reads


def loss() -> OSError | None:
    """Return why part of the output was lost; None if nothing was lost or no reader exists."""
    sys.stdout.flush()
    sys.stderr.flush()
    file = _safe_file(sys.stdout)
    return None if file is None or file.nobody_reads else file.failure


def writes_unicode() -> bool:
    """Return whether stdout can encode every character."""
    return codecs.lookup(sys.stdout.encoding or "ascii").name.startswith("utf")


def _safe(stream: Any) -> Any:
    if stream is None:  # the command was started with a closed descriptor
        return open(os.devnull, "w", encoding="utf-8")
    file = getattr(stream, "buffer", None)
    file = getattr(file, "raw", file)  # without buffer if PYTHONUNBUFFERED is set
    if not isinstance(file, io.RawIOBase):
        return stream  # a program that calls ours has replaced it
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_SafeFile(file)),
        encoding=stream.encoding,
        errors=_ERRORS,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _safe_file(stream: Any) -> _SafeFile | None:
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    return raw if isinstance(raw, _SafeFile) else None


def _lookalikes(error: UnicodeError) -> tuple[str, int]:
    """Return ASCII replacements of characters that the encoding of a stream lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_LOOKALIKES.get(char, "?") for char in lacking), error.end
