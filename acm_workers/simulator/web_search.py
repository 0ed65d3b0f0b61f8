"""Web searches within this process: queries, pages, and sentences that are based on them."""

import re
from random import Random
from typing import Final, NamedTuple

_PAGES_PER_QUERY: Final = 2
_TOKENS_PER_QUERY: Final = 900
_QUERIES: Final = ("{}", "{} figures", "{} recent findings", "{} criticism")
_HOSTS: Final = ("www.example.org", "journal.example.com", "archive.example.net")
_SENTENCE: Final = re.compile(r"^(?![#>|*\-\d])[^\n.!?]{20,400}[.!?](?=\s|$)", re.MULTILINE)


class FoundPage(NamedTuple):
    """A page that a search found."""

    url: str
    title: str


class WebSearch(NamedTuple):
    """A model's searches and their results.

    Attributes:
        found: The pages of each query, in the order of the queries.
    """

    queries: tuple[str, ...]
    found: tuple[tuple[FoundPage, ...], ...]

    @property
    def pages(self) -> tuple[FoundPage, ...]:
        """Return the pages of all queries."""
        return tuple(page for pages in self.found for page in pages)

    @property
    def tokens(self) -> int:
        """Return the number of input tokens of the pages."""
        return _TOKENS_PER_QUERY * len(self.queries)


class Citation(NamedTuple):
    """A span of a text, in characters, that is based on a page.

    Attributes:
        page: Index into ``Search.pages``.
    """

    start: int
    end: int
    page: int


def search(title: str, most: int, rng: Random) -> WebSearch:
    """Search up to ``most`` times for material on a document title."""
    number = min(most, rng.randint(1, 3))
    queries = tuple(words.format(title) for words in _QUERIES[:number])
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "page"
    found = tuple(
        tuple(_page(slug, title, place * _PAGES_PER_QUERY + n) for n in range(_PAGES_PER_QUERY))
        for place in range(number)
    )
    return WebSearch(queries, found)


def citations(text: str, search: WebSearch) -> list[Citation]:
    """Return which sentences of a prose text are based on which page, in the order of the text."""
    sentences = _SENTENCE.finditer(text)
    return [
        Citation(sentence.start(), sentence.end(), place)
        for place, sentence in zip(range(len(search.pages)), sentences, strict=False)
    ]


def _page(slug: str, title: str, number: int) -> FoundPage:
    host = _HOSTS[number % len(_HOSTS)]
    return FoundPage(f"https://{host}/{slug}/{number + 1}", f"{title}, part {number + 1}")
