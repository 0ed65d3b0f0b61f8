"""Search in a folder of documents, ranked by BM25."""

import re
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from acm_workers.errors import RequestError
from acm_workers.gateway import page_text

_SUFFIXES = frozenset({".md", ".markdown", ".txt", ".html", ".htm"})
_WORD = re.compile(r"\w+")
_PASSAGE_CHARACTERS = 2_000
_MOST_CHARACTERS = 20_000
"""Maximum length of a result, in characters: the whole document or its best passages."""

_MOST_FILE_BYTES = 8 * 1024 * 1024
_MOST_FILES = 20_000
_INDEXES = 4
"""Maximum number of cached folder indexes."""


class RetrievedText(NamedTuple):
    """One result of a search, with the text of the page."""

    url: str
    title: str
    text: str


class _Passage(NamedTuple):
    document: int
    start: int
    end: int


class _FileState(NamedTuple):
    """The state of a file at the time it was read."""

    path: Path
    modified_ns: int
    size: int


class FolderIndex:
    """The files of a folder, read once."""

    def __init__(self, root: Path, files: tuple[_FileState, ...]) -> None:
        import bm25s  # type: ignore[import-untyped]  # slow to import

        self._documents = [_document(root, file.path) for file in files]
        self._passages = [
            passage
            for number, document in enumerate(self._documents)
            for passage in _passages(number, document.text)
        ]
        self._ranker: Any = None
        words = [_words(self._text(passage)) for passage in self._passages]
        if any(words):
            self._ranker = bm25s.BM25()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that there are few documents
                self._ranker.index(words, show_progress=False)

    def find(self, query: str, most: int) -> list[RetrievedText]:
        """Return the matching documents by their best passages, best first."""
        known = set(self._ranker.vocab_dict) if self._ranker is not None else set()
        wanted = [word for word in dict.fromkeys(_words(query)) if word in known]
        if not wanted:
            return []
        scores = self._ranker.get_scores(wanted)
        # Equal scores in the order of the files, so that a search repeats.
        order = sorted(range(len(scores)), key=lambda index: (-float(scores[index]), index))
        chosen: dict[int, list[_Passage]] = {}
        for index in order:
            passage = self._passages[index]
            if float(scores[index]) <= 0.0:
                break
            if passage.document in chosen or len(chosen) < most:
                chosen.setdefault(passage.document, []).append(passage)
        return [self._page(document, passages) for document, passages in chosen.items()]

    def _page(self, number: int, best: list[_Passage]) -> RetrievedText:
        document = self._documents[number]
        if len(document.text) <= _MOST_CHARACTERS:
            return document
        kept = sorted(best[: _MOST_CHARACTERS // _PASSAGE_CHARACTERS])
        return document._replace(text="\n\n[…]\n\n".join(map(self._text, kept)))

    def _text(self, passage: _Passage) -> str:
        return self._documents[passage.document].text[passage.start : passage.end]


_indexes: dict[tuple[Path, tuple[_FileState, ...]], FolderIndex] = {}
_lock = threading.Lock()


def find(folder: str, query: str, most: int) -> list[RetrievedText]:
    """Return the documents in a folder that match ``query``; changed files are read again.

    Raises:
        RequestError: There is no such folder, or it has too many files.
    """
    root = Path(folder)
    if not root.is_dir():
        raise RequestError(f"the retriever's folder {folder} is not on this machine", folder)
    key = (root, tuple(_signatures(root)))
    with _lock:
        index = _indexes.get(key)
        if index is None:
            index = _indexes[key] = FolderIndex(*key)
            while len(_indexes) > _INDEXES:
                del _indexes[next(iter(_indexes))]
    return index.find(query, most)


def _signatures(root: Path) -> Iterator[_FileState]:
    resolved = root.resolve()
    taken = 0
    for path in sorted(root.rglob("*")):
        if path.suffix.lower() not in _SUFFIXES or not path.is_file():
            continue
        if not path.resolve().is_relative_to(resolved):
            continue  # a link that leads out of the folder
        about = path.stat()
        taken += 1
        if taken > _MOST_FILES:
            raise RequestError(f"the retriever's folder has more than {_MOST_FILES:,} files")
        if about.st_size <= _MOST_FILE_BYTES:
            yield _FileState(path, about.st_mtime_ns, about.st_size)


def _document(root: Path, file: Path) -> RetrievedText:
    name = file.relative_to(root).as_posix()
    data = file.read_bytes()
    if file.suffix.lower() in (".html", ".htm"):
        title, text = page_text.of_html(data)
        return RetrievedText(f"file:{name}", title or name, text)
    text = data.decode("utf-8-sig", errors="replace").strip()
    return RetrievedText(f"file:{name}", _heading(text) or name, text)


def _heading(text: str) -> str | None:
    first = text.partition("\n")[0].strip()
    return first.lstrip("#").strip()[:200] if first.startswith("#") else None


def _passages(document: int, text: str) -> Iterator[_Passage]:
    """Cut a text into passages that end at paragraphs or lines where that is possible."""
    start = 0
    while start < len(text):
        end = min(start + _PASSAGE_CHARACTERS, len(text))
        if end < len(text):
            half = start + _PASSAGE_CHARACTERS // 2
            for mark in ("\n\n", "\n", " "):
                place = text.rfind(mark, half, end)
                if place > 0:
                    end = place + len(mark)
                    break
        yield _Passage(document, start, end)
        start = end


def _words(text: str) -> list[str]:
    return [_singular(word) for word in _WORD.findall(text.casefold())]


def _singular(word: str) -> str:
    """Return a word without the ending of an English plural.

    Source: the S stemmer of Harman, "How effective is suffixing?", JASIS 42 (1991).
    """
    if len(word) < 4 or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word if word.endswith(("eies", "aies")) else word[:-3] + "y"
    if word.endswith("es"):
        return word if word.endswith(("aes", "ees", "oes")) else word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]
