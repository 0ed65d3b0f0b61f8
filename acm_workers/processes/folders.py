"""Fresh folders for children, removed when the children end, even after a crash."""

import fcntl
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_LOCK = "lock"


class WorkFolders:
    """A folder of this process, with a folder in it for each child.

    A process locks its folder while it lives, so that other processes recognise abandoned folders.

    Args:
        base: Parent folder of the folders; default: the folder for temporary files.
    """

    def __init__(self, base: Path | None = None) -> None:
        self._base = base or Path(tempfile.gettempdir()) / f"acm-children-{os.getuid()}"
        self._own: Path | None = None
        self._lock: IO[bytes] | None = None
        self._making = threading.Lock()

    @contextmanager
    def fresh(self, kind: str, *, keep: bool = False) -> Iterator[Path]:
        """Make an empty folder for one child; it is removed afterwards, unless ``keep``."""
        folder = Path(tempfile.mkdtemp(prefix=f"{kind}-", dir=self._mine())).resolve()
        try:
            yield folder
        finally:
            if not keep:
                _remove(folder)

    def remove_left_behind(self) -> int:
        """Remove the folders of dead processes, and return their number."""
        if not self._base.is_dir():
            return 0
        with self._alone():
            dead = [one for one in self._base.glob("process-*") if not _is_locked(one / _LOCK)]
        for folder in dead:
            _remove(folder)
        return len(dead)

    def close(self) -> None:
        """Remove the folder of this process, unless the folder of a child was kept in it."""
        if self._lock is not None and self._own is not None:
            if self._own.is_dir() and len(os.listdir(self._own)) == 1:
                _remove(self._own)
            self._lock.close()
            self._lock = self._own = None

    def _mine(self) -> Path:
        with self._making:
            # What tidies up temporary files may have removed it.
            if self._own is None or not self._own.is_dir():
                self._own = self._new_folder()
            return self._own

    def _new_folder(self) -> Path:
        """Make and lock a folder."""
        if self._lock is not None:
            self._lock.close()
        self._base.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._base.stat().st_uid != os.getuid():
            raise PermissionError(f"{self._base} belongs to somebody else")
        with self._alone():
            own = Path(tempfile.mkdtemp(prefix="process-", dir=self._base))
            self._lock = (own / _LOCK).open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        return own

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Lock the base, so that a folder is created and locked before others see it."""
        base = os.open(self._base, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(base, fcntl.LOCK_EX)
            yield
        finally:
            os.close(base)


def _is_locked(path: Path) -> bool:
    """Return whether a file is locked by a process; a missing file is not locked."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _remove(folder: Path) -> None:
    """Remove a folder, even if a child removed its own permissions in it."""
    shutil.rmtree(folder, onerror=_allow_and_retry)


def _allow_and_retry(function: object, path: str, _: object) -> None:
    try:
        os.chmod(os.path.dirname(path), 0o700)
        if os.path.isdir(path) and not os.path.islink(path):
            os.chmod(path, 0o700)
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
    except OSError:
        return
