"""Evidence of search and reasoning, graded from fields that the provider fills in.

Failed searches, echoes of the request and the words of the answer prove nothing; the dialects
leave them out.
"""

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from acm_workers.providers.http.responses import storable
from schemas.calls import Evidence, Grounding, Reasoning, Source

_MAX_ENTRIES = 200
_MAX_QUERY, _MAX_URL, _MAX_SUMMARY = 1000, 2000, 20_000


class SourceLink(NamedTuple):
    """A page that the provider names as a source."""

    url: str | None
    title: str | None = None


def of_text(
    thoughts: Iterable[str | None], tokens: int | None, *, hidden: bool = False
) -> tuple[Reasoning, str | None]:
    """Return the grade of reasoning, and its summary.

    Args:
        thoughts: Texts that the provider marks as thoughts.
        tokens: The reasoning tokens that it counted.
        hidden: The response shows that there were thoughts, but not their text.
    """
    texts = [text for text in thoughts if text and text.strip()]
    if texts:
        return "summary", storable("\n\n".join(texts))[:_MAX_SUMMARY]
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
        searched: A search succeeded.
        cited: Parts of the text cite pages.
        queries: Search queries.
        links: Pages that the searches found.
        thinking: See ``of_text``.
    """
    sources = _sources(links)
    distinct = dict.fromkeys(query.strip() for query in queries if query and query.strip())
    return Evidence(
        grounding=_grounding(searched, bool(sources), cited),
        reasoning=thinking[0],
        queries=tuple(query[:_MAX_QUERY] for query in list(distinct)[:_MAX_ENTRIES]),
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
    return tuple(Source(url=url, title=title) for url, title in list(titles.items())[:_MAX_ENTRIES])


def _is_page(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return len(url) <= _MAX_URL and parts.scheme in ("http", "https") and bool(parts.netloc)
