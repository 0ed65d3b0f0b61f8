"""The documents of a run, and other texts, read from folders."""

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from acm_api.config import source
from acm_api.config.nearest import hint, nearest
from acm_api.files import extraction, naming
from acm_workers.errors import RequestError
from schemas.config.config import Config

SUFFIXES = (".md", ".markdown", ".txt", *extraction.SUFFIXES)
"""Suffixes of files that are read as text."""
_FOLDER = "input_folder"
_LONGEST_PATH = 1000
_MAX_LEVELS = 100
"""Maximum depth of subfolders; Python cannot represent the path of a thousand levels."""


class InputDocument(NamedTuple):
    """An input document; ``path`` is relative to the input folder, with forward slashes."""

    path: str
    text: str


def of_config(config: Config, only: Sequence[str] = ()) -> list[InputDocument]:
    """Return the documents in the input folder of ``config``, by path; see ``read``."""
    # These may lie in the input folder, and are no inputs.
    excluded = (
        config.output_folder,
        config.winners_folder,
        config.reports_folder,
        config.instructions_file,
        config.guidelines_file,
    )
    paths = [Path(name) for name in excluded if name is not None]
    paths += [Path(variant.folder) for variant in config.runs if variant.folder is not None]
    found = read(Path(config.input_folder), paths, only)
    # Of several prompts, the config has the texts alone.
    prompts = {variant.instructions for variant in config.runs}
    documents = [one for one in found if one.text not in prompts]
    if not documents:
        message = f"input folder {config.input_folder} holds prompts alone, and no documents"
        raise RequestError(message, _FOLDER)
    return documents


def read(
    folder: Path, exclude: Sequence[Path] = (), only: Sequence[str] = ()
) -> list[InputDocument]:
    """Return the documents in ``folder`` and below, by path.

    Hidden files are ignored. A file with several names (links) is read once, by its first name.

    Args:
        exclude: Files and folders that are not inputs, such as outputs.
        only: Names or globs of the documents to include; empty for all documents.

    Raises:
        RequestError: There are no documents, a document is not valid, or ``only`` matches no
            document.
    """
    if not folder.exists():
        raise RequestError(f"input folder {folder} does not exist", _FOLDER)
    if not folder.is_dir():
        raise RequestError(f"input folder {folder} is a file, not a folder", _FOLDER)
    found = {relative(folder, file): file for file in files(folder, exclude)}
    if not found:
        message = f"input folder {folder} holds no documents ({', '.join(SUFFIXES)})"
        raise RequestError(message, _FOLDER)
    taken = chosen(found, folder, only)
    return [InputDocument(path, text_of(found[path], folder)) for path in taken]


def files(folder: Path, exclude: Sequence[Path] = ()) -> list[Path]:
    """Return the text files in a folder and its subfolders by path, each real file once.

    Raises:
        RequestError: A folder cannot be read, or a link points outside ``folder``.
    """
    return list(_Walk(folder, exclude).files())


def text_of(file: Path, folder: Path) -> str:
    """Return the text of a file in ``folder``, extracted if it is not a text file.

    Raises:
        RequestError: The file cannot be read, or has no text.
    """
    root = folder.resolve()
    if file.suffix.lower() in extraction.SUFFIXES:
        return extraction.text(file, source.read_bytes(file, root, source.MAX_FILE_BYTES))
    return source.read_text(file, root)


def extracted(paths: Iterable[str]) -> list[str]:
    """Return the documents whose text is extracted because they are not text files."""
    return [path for path in paths if PurePosixPath(path).suffix.lower() in extraction.SUFFIXES]


def chosen(paths: Collection[str], folder: Path, only: Sequence[str]) -> list[str]:
    """Return the documents that ``only`` matches, in order; all documents if it is empty.

    Raises:
        RequestError: ``only`` names a document that does not exist.
    """
    names = {path for name in only for path in _matching(name, folder, paths)}
    return [path for path in paths if path in names or not only]


def checked_name(name: str) -> str:
    """Check the name of a document given as text; return the name as a relative path.

    Raises:
        RequestError: The name is not a valid path of a file below a folder.
    """
    parts = name.split("/")
    bad = not name or any(part in ("", ".", "..") for part in parts)
    if bad or any(ord(char) < 32 or char in "\\\x7f" for char in name):
        message = f"{name!r} cannot name a document: use a relative path such as chapter/one.md"
        raise RequestError(message, "documents")
    try:
        longest = max(len(part.encode()) for part in parts)
    except UnicodeEncodeError as error:
        raise RequestError(f"{name!r} cannot name a document: not UTF-8", "documents") from error
    if longest > naming.LONGEST_NAME or len(name) > _LONGEST_PATH:
        message = f"the name of {name[:80]} is longer than {naming.LONGEST_NAME} bytes; shorten it"
        raise RequestError(message, "documents")
    return name


def check_text(name: str, text: str) -> None:
    """Raise an error for a text that is not valid as the content of an input file.

    Raises:
        RequestError: The text is blank, too long, or has characters that are not text.
    """
    where = f"documents.{name}"
    if not text.strip():
        raise RequestError(f"{name} is empty", where)
    if "\0" in text:
        raise RequestError(f"{name} holds NUL bytes, so it is not text", where)
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise RequestError(f"{name} is not text: it holds half a character", where) from error
    if size > source.MAX_TEXT_BYTES:
        limit = source.MAX_TEXT_BYTES // 2**20
        raise RequestError(f"{name} is longer than {limit} MB; split it", where)


def _matching(name: str, folder: Path, paths: Collection[str]) -> list[str]:
    """Return the documents that match a path, file name or glob.

    Raises:
        RequestError: No document matches.
    """
    if name in paths:
        return [name]
    inside = Path(os.path.abspath(name))
    if inside.is_relative_to(folder) and inside.relative_to(folder).as_posix() in paths:
        return [inside.relative_to(folder).as_posix()]
    found = [path for path in paths if name in _names(path)]
    found = found or [path for path in paths if any(fnmatchcase(own, name) for own in _names(path))]
    if not found:
        close = nearest(name, {own for path in paths for own in _names(path)})
        near = hint(name, paths) if close is None else f"; did you mean {close}?"
        raise RequestError(f'input folder {folder} has no document "{name}"{near}', "--only")
    return found


def _names(path: str) -> tuple[str, ...]:
    """Return the names of a document: its path, its file name, and both without extension."""
    pure = PurePosixPath(path)
    return (path, pure.name, pure.with_suffix("").as_posix(), pure.stem)


def relative(folder: Path, file: Path) -> str:
    """Return the path of a document relative to ``folder`` without reading the file.

    Raises:
        RequestError: The name is not valid.
    """
    path = file.relative_to(folder).as_posix()
    try:
        path.encode("utf-8")
    except UnicodeEncodeError as error:
        shown = path.encode("ascii", "backslashreplace").decode("ascii")
        advice = "rename it"
        if sys.getfilesystemencoding() != "utf-8":
            advice = "set PYTHONUTF8=1, for this locale is not UTF-8"
        raise RequestError(f"the name of {shown} is not UTF-8; {advice}", str(folder)) from error
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
        yield from self._files_in(self._folder, 0)

    def _files_in(self, folder: Path, level: int) -> Iterator[Path]:
        if level > _MAX_LEVELS:
            message = f"input folder {self._folder} has more than {_MAX_LEVELS} levels of folders"
            raise RequestError(message, str(self._folder))
        for path, is_folder in _entries(folder):
            real = _real(path)
            if real in self._seen or any(real.is_relative_to(out) for out in self._excluded):
                continue
            if not real.is_relative_to(self._root):
                message = f"link {path} leads out of the input folder, to {real}"
                raise RequestError(message, str(path))
            self._seen.add(real)
            if is_folder:
                yield from self._files_in(path, level + 1)
            else:
                yield path


def _entries(folder: Path) -> list[tuple[Path, bool]]:
    """Return the folders and documents in ``folder``, sorted by path and marked as either."""
    try:
        found = [(path, path.is_dir()) for path in folder.iterdir() if path.name[0] != "."]
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RequestError(f"{folder} cannot be read: {reason}", str(folder)) from error
    inputs = [
        (path, is_folder)
        for path, is_folder in found
        if is_folder or path.suffix.lower() in SUFFIXES
    ]
    return sorted(inputs, key=lambda each: each[0].name + ("/" if each[1] else ""))


def _real(path: Path) -> Path:
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        raise RequestError(f"link {path} leads nowhere", str(path)) from error
