"""The searches of a candidate, and the pages that it is based on."""

from collections.abc import Iterable
from typing import NamedTuple

from schemas.calls import Call
from schemas.units import Artifact

_MOST = 200
"""Maximum number of queries and pages of a candidate in the report."""


class SourcePage(NamedTuple):
    """A page that a search returned, or that a child process read.

    Attributes:
        link: Address of the page, if a reader may follow it by hand.
    """

    url: str
    title: str | None
    cited: bool
    link: str | None


class Sources(NamedTuple):
    """Searches and pages of one candidate; cited pages first.

    Attributes:
        left_out: Number of pages that are not shown.
    """

    queries: tuple[str, ...]
    pages: tuple[SourcePage, ...]
    left_out: int

    @property
    def cited(self) -> int:
        """Return the number of pages that the text cites."""
        return sum(page.cited for page in self.pages)


def of_candidate(artifact: Artifact, calls: Iterable[Call]) -> Sources | None:
    """Return the searches and citations of a candidate's answers; None if there are none."""
    evidence = [call.evidence for call in calls]
    queries = dict.fromkeys(query for one in evidence for query in one.queries)
    pages: dict[str, SourcePage] = {}
    found = [source for one in evidence for source in one.sources]
    for source in found:
        known = pages.get(source.url)
        cited = source.cited or (known is not None and known.cited)
        pages[source.url] = _page(source.url, source.title, cited=cited)
    for read in artifact.child.sources if artifact.child else ():
        pages.setdefault(read.url, _page(read.url, read.title, cited=False))
    if not queries and not pages:
        return None
    ordered = sorted(pages.values(), key=lambda page: not page.cited)
    return Sources(tuple(queries)[:_MOST], tuple(ordered[:_MOST]), max(0, len(ordered) - _MOST))


def _page(url: str, title: str | None, *, cited: bool) -> SourcePage:
    can_follow = url.lower().startswith(("http://", "https://"))
    return SourcePage(url, title, cited, url if can_follow else None)
