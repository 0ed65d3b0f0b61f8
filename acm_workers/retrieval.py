"""What GPT Researcher's searches find: the files of a folder that share most words with a query."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from schemas.config.research import Retriever

_SUFFIXES = frozenset({".md", ".markdown", ".txt"})
_MOST_CHARACTERS = 20_000
_WORD = re.compile(r"\w{3,}")


class _Page(NamedTuple):
    name: str
    text: str
    words: Counter[str]


def route(retriever: Retriever) -> Callable[[Mapping[str, str]], list[dict[str, Any]]]:
    """Return the function that answers a search, given the fields of its query."""

    def find(fields: Mapping[str, str]) -> list[dict[str, Any]]:
        wanted = set(_WORD.findall(fields.get("query", "").lower()))
        pages = _pages(retriever.folder or "")
        best = sorted(pages, key=lambda page: -sum(page.words[word] > 0 for word in wanted))
        return [
            {
                "url": f"file:{page.name}",
                "title": page.name,
                # Of short sources GPT Researcher shows the model nothing but this.
                "raw_content": f"Source: file:{page.name}\n\n{page.text}",
            }
            for page in best[: retriever.max_results]
        ]

    return find


@lru_cache(maxsize=8)
def _pages(folder: str) -> tuple[_Page, ...]:
    root = Path(folder)
    found = []
    for file in sorted(root.rglob("*")):
        if file.suffix.lower() in _SUFFIXES and file.is_file():
            text = file.read_text(encoding="utf-8-sig", errors="replace")[:_MOST_CHARACTERS]
            words = Counter(_WORD.findall(text.lower()))
            found.append(_Page(file.relative_to(root).as_posix(), text, words))
    return tuple(found)
