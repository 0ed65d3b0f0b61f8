"""A checkout of FilePromptForge: its location, its requirements, and whether it can be used."""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PROGRAM = "fpf_main.py"
PROVIDERS = "providers"
KEYS = ".env"
_CONFIG = "fpf_config.yaml"
_OWN_PYTHON = (".venv/bin/python", "venv/bin/python")
_BATCH = "--runs-stdin"
_MOST_SOURCE_BYTES = 4 * 1024 * 1024
_LEAST_SECRET = 8
"""Minimum length of a value in ``.env`` that counts as a key, in characters."""

_ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?\w+\s*=\s*(.+?)\s*$", re.MULTILINE)


class Checkout(NamedTuple):
    """A folder that may contain FilePromptForge.

    Attributes:
        interpreter: Path or name of the Python interpreter that runs the program; the checkout's
            own interpreter if None.
        variables: Names of environment variables that the program receives.
    """

    folder: Path
    interpreter: str | None = None
    variables: tuple[str, ...] = ()

    @property
    def python(self) -> str:
        """Return the Python interpreter that runs the program."""
        if self.interpreter is not None:
            return self.interpreter
        own = (self.folder / name for name in _OWN_PYTHON)
        return next((str(path) for path in own if os.access(path, os.X_OK)), "python3")

    @property
    def command(self) -> tuple[str, ...]:
        """Return the program and arguments that run a batch."""
        options = [_BATCH, "--batch-output", "json"]
        for option, name in (("--config", _CONFIG), ("--env", KEYS)):
            if (self.folder / name).is_file():
                options += [option, str(self.folder / name)]
        return (self.python, "-u", str(self.folder / PROGRAM), *options)

    @property
    def failure_reports(self) -> Path:
        """Return the folder of the program's reports about answers without evidence."""
        return self.folder / "logs" / "validation"

    def problem(self, environ: Mapping[str, str] = os.environ) -> str | None:
        """Return why the checkout cannot be used; None if it can be used."""
        folder = self.folder
        if not folder.is_dir():
            why = "is no folder" if folder.exists() else "does not exist"
            return f"{folder} {why}; name the checkout of FilePromptForge with fpf.path"
        for name, exists in ((PROGRAM, Path.is_file), (PROVIDERS, Path.is_dir)):
            if not exists(folder / name):
                return f"{folder} is no checkout of FilePromptForge: it has no {name}"
        if not self._takes_batches():
            return (
                f"the FilePromptForge in {folder} does not know {_BATCH}, which version 2 dropped;"
                " check out one of before (November 2025)"
            )
        if shutil.which(self.python, path=environ.get("PATH", os.defpath)) is None:
            return f"{self.python}, which is to run FilePromptForge, cannot be executed"
        return None

    def secrets(self) -> list[str]:
        """Return the values in the checkout's ``.env``, longest first; they are never stored."""
        try:
            text = (self.folder / KEYS).read_text("utf-8", "replace")
        except OSError:
            return []
        values = {value.strip("\"'") for value in _ASSIGNMENT.findall(text)}
        return sorted((one for one in values if len(one) >= _LEAST_SECRET), key=len, reverse=True)

    def _takes_batches(self) -> bool:
        files = [self.folder / PROGRAM, *self.folder.glob("*.py"), *self.folder.glob("*/*.py")]
        return any(
            file.stat().st_size <= _MOST_SOURCE_BYTES
            and _BATCH in file.read_text("utf-8", "replace")
            for file in files
            if file.is_file()
        )
