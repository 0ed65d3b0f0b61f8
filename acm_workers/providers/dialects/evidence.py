"""Evidence of search and reasoning, graded from fields that the provider fills in.

Failed searches, echoes of the request and the text of the answer are not evidence; the dialects
leave them out.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from acm_workers.providers.http.responses import storable
from schemas.calls import Completion, Evidence, Grounding, Reasoning, Request, Source

_MAX_ENTRIES = 200
_TRACKING = re.compile(r"(?<=[?&])utm_[a-z]{1,20}=[^&#\s\"'<>)\]]{0,200}&?", re.IGNORECASE)
_INSIDE_HOST = re.compile(r"[\w.-]$")
_GOES_ON = re.compile(r"/?(?:[\w%=&~+-]|[.?/:][\w%~])")
"""Characters after which an address continues; a point or question mark may end a sentence."""

_MAX_QUERY, _MAX_URL, _MAX_SUMMARY = 1000, 2000, 20_000


class SourceLink(NamedTuple):
    """A page that the provider names as a source."""

    url: str | None
    title: str | None = None
    cited: bool = False


def of_text(
    thoughts: Iterable[str | None], tokens: int | None, *, hidden: bool = False
) -> tuple[Reasoning, str | None]:
    """Return the grade of reasoning, and its summary.

    Args:
        thoughts: Texts that the provider marks as thoughts.
        tokens: The reasoning tokens that the provider counted.
        hidden: Whether the response shows that there were thoughts, but not their text.
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
        searched: Whether a search succeeded.
        cited: Whether parts of the text cite pages.
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


def beyond_prompt(answer: Completion, request: Request) -> Completion:
    """Return ``answer`` without evidence from pages whose addresses are in the prompt.

    A model that only opens pages from its prompt has not searched.
    """
    if not answer.evidence.sources:
        return answer
    said = (message.content for message in request.messages if message.role != "assistant")
    prompt = _comparable("\n".join(said))
    sources = answer.evidence.sources
    new = tuple(source for source in sources if not _stands_in(prompt, source.url))
    if len(new) == len(sources):
        return answer
    cited = answer.evidence.grounding == "cited" and any(source.cited for source in new)
    searched = bool(answer.evidence.queries or answer.usage.searches)
    grounding = _grounding(searched, bool(new), cited)
    evidence = answer.evidence.model_copy(update={"grounding": grounding, "sources": new})
    return answer.model_copy(update={"evidence": evidence})


def _comparable(text: str) -> str:
    """Return ``text`` with all spellings of an address made equal."""
    return _TRACKING.sub("", unquote(text)).lower()


def _stands_in(prompt: str, url: str) -> bool:
    """Return whether a prompt contains an address, with or without its scheme."""
    address = _comparable(url).partition("://")[2].partition("#")[0]
    address = address.removeprefix("www.").rstrip("/?")
    start = prompt.find(address) if address else -1
    while start >= 0:
        end = start + len(address)
        before, after = prompt[max(start - 4, 0) : start], prompt[end : end + 3]
        if (before == "www." or not _INSIDE_HOST.search(before)) and not _GOES_ON.match(after):
            return True
        start = prompt.find(address, start + 1)
    return False


def _grounding(searched: bool, sourced: bool, cited: bool) -> Grounding:
    if sourced:
        return "cited" if cited else "sourced"
    return "searched" if searched else "none"


def _sources(links: Iterable[SourceLink]) -> tuple[Source, ...]:
    found: dict[str, Source] = {}
    for url, title, cited in links:
        if url and _is_page(url):
            known = found.get(url) or Source(url=url)
            found[url] = Source(url=url, title=known.title or title, cited=known.cited or cited)
    return tuple(found.values())[:_MAX_ENTRIES]


def _is_page(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return len(url) <= _MAX_URL and parts.scheme in ("http", "https") and bool(parts.netloc)
