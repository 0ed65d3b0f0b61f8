"""Grades of evidence, from what the readers of the dialects found in fields of the provider.

A search that failed, an echo of the request and the words of the answer prove nothing; the readers
leave them out.
"""

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from acm_workers.providers.http.answers import storable
from schemas.calls import Evidence, Grounding, Reasoning, Source

_MOST = 200
_LONGEST_QUERY, _LONGEST_URL, _LONGEST_SUMMARY = 1000, 2000, 20_000


class SourceLink(NamedTuple):
    """A page that is named in an answer, where it comes from the provider."""

    url: str | None
    title: str | None = None


def of_text(
    thoughts: Iterable[str | None], tokens: int | None, *, hidden: bool = False
) -> tuple[Reasoning, str | None]:
    """Return the grade of thinking, and its summary.

    Args:
        thoughts: Texts that the provider marks as thoughts.
        tokens: How many it counted.
        hidden: It shows that there were thoughts, but not what they say.
    """
    texts = [text for text in thoughts if text and text.strip()]
    if texts:
        return "summary", storable("\n\n".join(texts))[:_LONGEST_SUMMARY]
    return ("tokens" if tokens or hidden else "none"), None


def graded(
    *,
    searched: bool,
    cited: bool,
    queries: Iterable[str | None],
    links: Iterable[SourceLink],
    thinking: tuple[Reasoning, str | None],
) -> Evidence:
    """Return the evidence of an answer.

    Args:
        searched: A search ended without an error.
        cited: Pieces of the text are tied to pages.
        queries: What was searched for.
        links: Pages that the search brought.
        thinking: See ``of_text``.
    """
    sources = _sources(links)
    asked = dict.fromkeys(query.strip() for query in queries if query and query.strip())
    return Evidence(
        grounding=_grounding(searched, bool(sources), cited),
        reasoning=thinking[0],
        queries=tuple(query[:_LONGEST_QUERY] for query in list(asked)[:_MOST]),
        sources=sources,
        summary=thinking[1],
    )


def _grounding(searched: bool, sourced: bool, cited: bool) -> Grounding:
    if sourced:
        return "cited" if cited else "sourced"
    return "searched" if searched else "none"


def _sources(links: Iterable[SourceLink]) -> tuple[Source, ...]:
    titles: dict[str, str | None] = {}
    for url, title in links:
        if url and _is_page(url):
            titles[url] = titles.get(url) or title
    return tuple(Source(url=url, title=title) for url, title in list(titles.items())[:_MOST])


def _is_page(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return len(url) <= _LONGEST_URL and parts.scheme in ("http", "https") and bool(parts.netloc)
