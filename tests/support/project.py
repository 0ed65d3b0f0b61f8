"""A project of a user: a folder with inputs and a config, and the real ``acm`` command."""

import json
import os
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import yaml

from tests.support.forked import ForkedCommand
from tests.support.texts import TEXTS

ACM = Path(sys.executable).with_name("acm")
PATIENCE_S = 120.0
"""Timeout for events that are certain; it ends a test that hangs, and tests no speed."""

_LOOK_S = 0.01
Found = TypeVar("Found")


def wait_until(condition: Callable[[], Found], deadline_s: float = PATIENCE_S) -> Found:
    """Wait until ``condition`` returns a true value; return it."""
    until = time.monotonic() + deadline_s
    while not (found := condition()):
        assert time.monotonic() < until, f"it did not come about in {deadline_s:g} s"
        time.sleep(_LOOK_S)
    return found


class Outcome(NamedTuple):
    """The output and the exit code of a command."""

    code: int
    out: str
    err: str

    @property
    def last(self) -> dict[str, Any]:
        """Return the JSON in the last line of the output."""
        value: dict[str, Any] = json.loads(self.out.splitlines()[-1])
        return value


class Command:
    """A running command."""

    def __init__(self, process: ForkedCommand, out: Any, err: Any) -> None:
        self._process, self._out, self._err = process, out, err

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Return whether it has ended."""
        return self._process.poll() is not None

    def send(self, which: signal.Signals) -> None:
        """Send a signal to the process."""
        self._process.send_signal(which)

    def printed(self) -> str:
        """Return stdout so far."""
        return _content(self._out)

    def told(self) -> str:
        """Return stderr so far."""
        return _content(self._err)

    def end(self, deadline_s: float = PATIENCE_S) -> Outcome:
        """Wait until the command ends."""
        code = self._process.wait(deadline_s)
        return Outcome(code, _content(self._out), _content(self._err))


class Project:
    """The folder of a user.

    Args:
        folder: Is made; everything is inside.
        config: The content of ``config.yaml``.
        texts: The inputs by path.
    """

    def __init__(
        self, folder: Path, config: Mapping[str, Any], texts: Mapping[str, str] = TEXTS
    ) -> None:
        self.folder = folder
        for path, text in texts.items():
            self.write(f"inputs/{path}", text)
        self.write("instructions.md", "Rewrite the text for readers who are new to the subject.")
        self.configure(config)

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file and the folders around it."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def configure(self, config: Mapping[str, Any]) -> None:
        """Replace the config."""
        self.write("config.yaml", yaml.safe_dump(dict(config), sort_keys=False))

    def acm(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        largest_file: int | None = None,
        deadline_s: float = PATIENCE_S,
    ) -> Outcome:
        """Run a command to its end; see ``started``."""
        with self.started(*args, env=env, largest_file=largest_file) as command:
            return command.end(deadline_s)

    @contextmanager
    def started(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        largest_file: int | None = None,
        before: Callable[[], object] | None = None,
    ) -> Iterator[Command]:
        """Start the command; whatever is left of it at the end is killed.

        Args:
            env: Variables beside the usual ones.
            largest_file: Bytes after which the system takes no more of any file, as if the disk
                were full.
            before: Called in the process before the command.
        """
        usual = {name: value for name, value in os.environ.items() if not name.startswith("ACM_")}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = ForkedCommand(
                args,
                cwd=self.folder,
                env={**usual, **(env or {})},
                out=out,
                err=err,
                largest_file=largest_file,
                before=before,
            )
            try:
                yield Command(process, out, err)
            finally:
                process.kill()

    def rows(self, query: str, *values: object) -> list[Any]:
        """Return the rows of a query; none where there is no store yet."""
        file = self.folder / ".acm" / "acm.db"
        if not file.exists():
            return []
        try:
            with closing(sqlite3.connect(file, timeout=PATIENCE_S)) as connection:
                return connection.execute(query, values).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):  # it is being made
                return []
            raise

    def number(self, query: str, *values: object) -> int:
        """Return the single number of a query; 0 where there is none."""
        found = self.rows(query, *values)
        return int(found[0][0] or 0) if found else 0

    def files(self, folder: str) -> set[str]:
        """Return the files in a folder and below, relative to it."""
        root = self.folder / folder
        return {path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir()}

    def names(self) -> set[str]:
        """Return the names in the project's folder."""
        return {path.name for path in self.folder.iterdir()}


def _content(file: Any) -> str:
    # By its descriptor, for the offset is shared with the process that writes.
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), size, 0).decode()
