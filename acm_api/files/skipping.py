"""Finds documents with results in files: matching winners, or files of the first version."""

import hashlib
import json
import os
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from acm_api.files import naming
from schemas.config.config import Config

_GENERATED = re.compile(
    r"\.(fpf|gptr|dr|ma|files|combine|CR)\.\d+\..+\.[0-9a-z]{3}(-\d+)?\.(md|json|txt|docx|pdf)",
    re.DOTALL,
)
"""Part of a written file's name after the name of the document."""

_WINNER = ".winner.md"
_FAILED = ".failed.json"
_PDF_END = b"%%EOF"
_TAIL_BYTES = 2048

Tell = Callable[[str], None]


def by_digest(winners: Path, keys: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, Path]:
    """Return the winner of each document whose recorded input, config and text match.

    Args:
        winners: The winners folder.
        keys: Digest of content and config by path of the document.
        texts: Content by path of the document.
    """
    clashing = naming.clashing(keys)
    found = {}
    for path, key in keys.items():
        for full in dict.fromkeys((path in clashing, True)):
            file = winners / f"{naming.stem(path, full_name=full)}{_WINNER}"
            if _fits(file, key, digest(texts[path])):
                found[path] = file
                break
    return found


def digest(text: str) -> str:
    """Return the digest of a text as recorded with winners."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _fits(file: Path, key: str, source: str) -> bool:
    about = _facts(file)
    digests = about.get("digests") if about is not None else None
    if not isinstance(digests, dict):
        return False
    try:
        text = hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return False
    return digests == {"input": source, "config": key, "text": text}


def _facts(file: Path) -> dict[str, Any] | None:
    """Return the recorded details about a winner; None if there are none."""
    try:
        found = json.loads(file.with_suffix(".json").read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def by_files(config: Config, paths: Iterable[str], tell: Tell) -> dict[str, Path]:
    """Return the result file of each finished document in one of the three folders.

    The three folders are those of the first version: evaluations (with subfolders), winners and
    candidates. Failures, empty files and truncated files are ignored.

    Args:
        config: Config with the folders; the folder of evaluations is optional.
        paths: Paths of the documents.
        tell: Callback for messages about folders that cannot be read.
    """
    documents = list(paths)
    clashing = naming.clashing(documents)
    stems = {path: naming.stem(path, full_name=path in clashing) for path in documents}
    evaluated = _below(config.evaluation_folder, tell)
    listed: dict[Path, list[Path]] = {}

    def inside(folder: Path) -> list[Path]:
        if folder not in listed:
            listed[folder] = _files(folder, tell)
        return listed[folder]

    found: dict[str, Path] = {}
    for path, stem in stems.items():
        pure = PurePosixPath(stem)
        places = (
            evaluated,
            inside(Path(config.winners_folder) / pure.parent),
            inside(Path(config.output_folder) / pure.parent),
        )
        files = (file for place in places for file in place if _is_result(file, pure.name))
        first = next(files, None)
        if first is not None:
            found[path] = first
    return found


def _below(folder: str | None, tell: Tell) -> list[Path]:
    """Return the files in a folder and its subfolders."""
    if folder is None:
        return []

    def refused(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            tell(f"{error.filename} cannot be read: {(error.strerror or str(error)).lower()}")

    return sorted(
        Path(place) / name for place, _, names in os.walk(folder, onerror=refused) for name in names
    )


def _files(folder: Path, tell: Tell) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        tell(f"{folder} cannot be read: {(error.strerror or str(error)).lower()}")
        return []


def _is_result(file: Path, stem: str) -> bool:
    """Return whether a file is a complete result of the document named ``stem``."""
    # File systems write accents in one character or in two.
    name, stem = (unicodedata.normalize("NFC", one) for one in (file.name, stem))
    if not name.startswith(f"{stem}.") or name.endswith(_FAILED):
        return False
    rest = name[len(stem) :]
    if rest == _WINNER:
        return _is_whole(file) and _is_as_written(file)
    return _GENERATED.fullmatch(rest) is not None and _is_whole(file)


def _is_as_written(winner: Path) -> bool:
    """Return whether the text of a winner matches its recorded details, if any."""
    digests = (_facts(winner) or {}).get("digests")
    if not isinstance(digests, dict):
        return True
    return digests.get("text") == hashlib.sha256(winner.read_bytes()).hexdigest()


def _is_whole(file: Path) -> bool:
    """Return whether a file has content that does not appear to be truncated."""
    try:
        if not file.is_file() or not file.stat().st_size:
            return False
        return _WHOLE.get(file.suffix, _is_text)(file)
    except (OSError, ValueError):
        return False


def _is_text(file: Path) -> bool:
    return bool(file.read_bytes().decode("utf-8").strip())


def _is_json(file: Path) -> bool:
    json.loads(file.read_bytes())
    return True


def _is_archive(file: Path) -> bool:
    return zipfile.is_zipfile(file)


def _is_pdf(file: Path) -> bool:
    with file.open("rb") as opened:
        opened.seek(max(file.stat().st_size - _TAIL_BYTES, 0))
        return _PDF_END in opened.read()


_WHOLE: dict[str, Callable[[Path], bool]] = {
    ".json": _is_json,
    ".docx": _is_archive,
    ".pdf": _is_pdf,
}
