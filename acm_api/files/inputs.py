"""The documents of a run, read from the input folder."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from acm_api.config import source
from acm_api.files import naming
from acm_workers.errors import RequestError
from schemas.config.config import Config

_SUFFIXES = (".md", ".markdown", ".txt")


class Input(NamedTuple):
    """One document; ``path`` is relative to the input folder, with forward slashes."""

    path: str
    text: str


def of_config(config: Config) -> list[Input]:
    """Return the documents in the input folder of ``config``, by path; see ``read``."""
    # These may lie in the input folder, and are no inputs.
    excluded = (
        config.output_folder,
        config.winners_folder,
        config.reports_folder,
        config.instructions_file,
        config.guidelines_file,
    )
    return read(Path(config.input_folder), [Path(name) for name in excluded if name is not None])


def read(folder: Path, exclude: Sequence[Path] = ()) -> list[Input]:
    """Return the documents in ``folder`` and below, by path.

    Hidden names are left out. A file with several names (links) is read once, by its first name.

    Args:
        exclude: Files and folders that are no inputs, such as outputs.

    Raises:
        RequestError: There are no documents, or one of them is not valid.
    """
    if not folder.exists():
        raise RequestError(f"input folder {folder} does not exist", str(folder))
    if not folder.is_dir():
        raise RequestError(f"input folder {folder} is a file, not a folder", str(folder))
    found = [
        Input(relative(folder, file), source.read_text(file))
        for file in _Walk(folder, exclude).files()
    ]
    if not found:
        message = f"input folder {folder} holds no documents ({', '.join(_SUFFIXES)})"
        raise RequestError(message, str(folder))
    return found


def relative(folder: Path, file: Path) -> str:
    """Return the path of a document relative to ``folder``; no file is read.

    Raises:
        RequestError: Its name is not valid.
    """
    path = file.relative_to(folder).as_posix()
    try:
        path.encode("utf-8")
    except UnicodeEncodeError as error:
        shown = path.encode("ascii", "backslashreplace").decode("ascii")
        raise RequestError(f"the name of {shown} is not UTF-8; rename it", str(folder)) from error
    if len(file.name.encode()) > naming.LONGEST_NAME:
        message = f"the name of {file} is longer than {naming.LONGEST_NAME} bytes; shorten it"
        raise RequestError(message, str(file))
    return path


class _Walk:
    """One pass over an input folder."""

    def __init__(self, folder: Path, exclude: Sequence[Path]) -> None:
        self._folder = folder
        self._root = folder.resolve()
        excluded = {path.resolve() for path in exclude}
        # A folder that contains the input folder cannot be excluded.
        self._excluded = {path for path in excluded if not self._root.is_relative_to(path)}
        self._seen: set[Path] = set()

    def files(self) -> Iterator[Path]:
        """Yield the documents by path, each real file once."""
        self._seen.add(self._root)
        yield from self._in(self._folder)

    def _in(self, folder: Path) -> Iterator[Path]:
        for path, is_folder in _entries(folder):
            real = _real(path)
            if real in self._seen or any(real.is_relative_to(out) for out in self._excluded):
                continue
            if not real.is_relative_to(self._root):
                message = f"link {path} leads out of the input folder, to {real}"
                raise RequestError(message, str(path))
            self._seen.add(real)
            if is_folder:
                yield from self._in(path)
            else:
                yield path


def _entries(folder: Path) -> list[tuple[Path, bool]]:
    """Return the folders and documents in ``folder``, ordered by path, and which are folders."""
    try:
        found = [(path, path.is_dir()) for path in folder.iterdir() if path.name[0] != "."]
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise RequestError(f"{folder} cannot be read: {reason}", str(folder)) from error
    inputs = [
        (path, is_folder)
        for path, is_folder in found
        if is_folder or path.suffix.lower() in _SUFFIXES
    ]
    return sorted(inputs, key=lambda each: each[0].name + ("/" if each[1] else ""))


def _real(path: Path) -> Path:
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        raise RequestError(f"link {path} leads nowhere", str(path)) from error
