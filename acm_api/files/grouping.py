"""Groups the texts in folders by document."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from acm_api.files import inputs
from acm_api.files.inputs import InputDocument
from acm_workers.errors import RequestError
from acm_workers.submit import GivenText

Grouping = Literal["auto", "names", "folders", "all"]

_WRITTEN = re.compile(
    r"(?P<base>.+)\.(fpf|gptr|dr|ma|combine|CR)\.\d+\.[^/]+\.[0-9a-z]{3}(-\d+)?", re.DOTALL
)
"""Name of a file that ACM wrote: document, generator, number, model and three characters."""


class GroupedTexts(NamedTuple):
    """Documents with the texts that are their candidates.

    Attributes:
        by: The applied method of grouping; never ``auto``.
        given: Candidates by name of the document.
        inputs: Source texts by name of the document; empty without sources.
    """

    by: Grouping
    given: dict[str, tuple[GivenText, ...]]
    inputs: dict[str, str]


class _Text(NamedTuple):
    """A file below a folder; ``folder`` is the index of that folder."""

    folder: int
    file: Path
    relative: str


def group(
    folders: Sequence[Path],
    by: Grouping,
    sources: Sequence[InputDocument] = (),
    only: Sequence[str] = (),
    output: Path = Path(),
) -> GroupedTexts:
    """Return the documents for the texts in ``folders``, with the texts as candidates.

    Args:
        folders: One folder for each author, or one folder for each document.
        by: ``names``: texts with the same name are candidates for one document; ``folders``: all
            texts of a folder are; ``all``: all texts are. ``auto`` selects ``names`` if at least
            half of the texts share their name with another text, else ``folders``.
        sources: Folder of the source texts of the candidates.
        only: Names or globs of the documents to include; empty for all documents.
        output: Folder to which the paths of files are relative.

    Raises:
        RequestError: There are no texts, or one of the texts cannot be read.
    """
    texts = [
        _Text(index, file, inputs.relative(folder, file))
        for index, folder in enumerate(folders)
        for file in _files(folder)
    ]
    if not texts:
        named = ", ".join(str(folder) for folder in folders)
        message = f"no texts in {named} ({', '.join(inputs.SUFFIXES)})"
        raise RequestError(message, str(folders[0]))
    chosen = _default_grouping(texts) if by == "auto" else by
    documents: dict[str, list[_Text]] = defaultdict(list)
    for text in texts:
        documents[_document(text, folders, chosen)].append(text)
    by_stem = {_stem(one.path): one for one in sources}
    by_stem |= {PurePosixPath(_stem(one.path)).name: one for one in sources}
    given: dict[str, tuple[GivenText, ...]] = {}
    source: dict[str, str] = {}
    for name in inputs.chosen(sorted(documents), folders[0], only):
        known = by_stem.get(name) or by_stem.get(PurePosixPath(name).name)
        path = name if known is None else known.path
        given[path] = _given_texts(documents[name], folders, chosen, output)
        source[path] = "" if known is None else known.text
    return GroupedTexts(chosen, given, source)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        why = "is a file, not a folder" if folder.exists() else "does not exist"
        raise RequestError(f"{folder} {why}", str(folder))
    return inputs.files(folder)


def _default_grouping(texts: Sequence[_Text]) -> Grouping:
    names = Counter(_base(text.relative) for text in texts)
    shared = sum(number for number in names.values() if number > 1)
    return "names" if 2 * shared >= len(texts) else "folders"


def _document(text: _Text, folders: Sequence[Path], by: Grouping) -> str:
    if by == "names":
        return _base(text.relative)
    if by == "all":
        return "texts"
    inner = PurePosixPath(text.relative).parent
    return (PurePosixPath(name_of(folders[text.folder], folders)) / inner).as_posix()


def _given_texts(
    texts: Sequence[_Text], folders: Sequence[Path], by: Grouping, output: Path
) -> tuple[GivenText, ...]:
    several = Counter(text.folder for text in texts)
    found = []
    for text in texts:
        folder = name_of(folders[text.folder], folders)
        own = PurePosixPath(text.relative).stem
        if by == "names":
            name = folder if several[text.folder] == 1 else f"{folder}/{own}"
        else:
            name = own if by == "folders" else f"{folder}/{own}"
        file = Path(os.path.relpath(text.file, output)).as_posix()
        content = inputs.text_of(text.file, folders[text.folder])
        found.append(GivenText(text.folder + 1, name, file, content))
    return tuple(found)


def _base(relative: str) -> str:
    """Return the name of the document in the name of a file."""
    stem = _stem(relative)
    written = _WRITTEN.fullmatch(stem)
    return stem if written is None else written["base"]


def _stem(path: str) -> str:
    return PurePosixPath(path).with_suffix("").as_posix()


def name_of(folder: Path, folders: Sequence[Path]) -> str:
    """Return the shortest suffix of a folder's path that no other folder has."""
    parts = Path(os.path.abspath(folder)).parts
    others = [Path(os.path.abspath(one)).parts for one in folders if one != folder]
    for length in range(1, len(parts)):
        if all(other[-length:] != parts[-length:] for other in others):
            return "/".join(parts[-length:])
    return "/".join(parts[1:]) or "texts"
