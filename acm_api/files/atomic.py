"""Atomic writes: readers see either the old or the new file, never a partial file."""

import contextlib
import errno
import os
import secrets
import socket
import zlib
from pathlib import Path

from acm_workers.errors import RequestError

_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_FOLDER = (errno.ENOTDIR, errno.EEXIST)


def write(file: Path, data: bytes) -> bool:
    """Write ``data`` to ``file`` unless the content is equal; return whether it was written.

    Raises:
        RequestError: The folder cannot be written.
    """
    try:
        if holds(file, data):
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        _replace(file, data)
    except OSError as error:
        raise refusal(file.parent, error) from error
    return True


def holds(file: Path, data: bytes) -> bool:
    """Return whether ``file`` exists with exactly the content ``data``."""
    try:
        return file.stat().st_size == len(data) and file.read_bytes() == data
    except (FileNotFoundError, NotADirectoryError):
        return False


def refusal(folder: Path, error: OSError) -> RequestError:
    """Return the error for a ``folder`` that cannot be written, with advice for users."""
    if error.errno in _FULL:
        reason = f"the disk of {folder} is full; free some space"
    elif error.errno in _READ_ONLY:
        reason = f"{folder} is not writable; change that, or use another folder"
    elif error.errno in _NO_FOLDER:
        reason = f"{folder} is not a folder; use another one"
    elif error.errno == errno.ENAMETOOLONG:
        reason = f"a name in {folder} is too long; use a shorter path"
    else:
        why = (error.strerror or type(error).__name__).lower()
        reason = f"{folder} cannot be written ({why}); use another folder"
    return RequestError(reason, str(folder))


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files of killed processes of this machine from ``folder``.

    Raises:
        RequestError: The folder cannot be written.
    """
    try:
        for file in folder.glob(f"{_prefix()}*.tmp"):
            pid = file.name.removeprefix(_prefix()).partition("-")[0]
            if pid.isdecimal() and not _is_alive(int(pid)):
                file.unlink(missing_ok=True)
    except OSError as error:
        raise refusal(folder, error) from error


def _prefix() -> str:
    """Return the prefix of the names of this machine's temporary files."""
    return f".acm-{zlib.crc32(socket.gethostname().encode()):08x}-"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True  # of another user
    return True


def _replace(file: Path, data: bytes) -> None:
    # In the same folder, because only there a rename is atomic.
    temporary = file.with_name(f"{_prefix()}{os.getpid()}-{secrets.token_hex(6)}.tmp")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, file)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
