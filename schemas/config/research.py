"""GPT Researcher: how it works on a document, and where it searches."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.lanes import ChildKind
from schemas.record import Record


class Research(Record):
    """Options of GPT Researcher for one candidate; those that a type does not have are absent.

    Attributes:
        words: Least words that the report is asked to have (``gptr`` and ``dr``).
        sub_queries: Questions that a subject is divided into.
        breadth: Queries of the first level (``dr``).
        depth: Levels, each searched after the one above it (``dr``).
        sections: Maximum number of sections (``ma``).
        follow_guidelines: Have a reviewer hold each section to the guidelines (``ma``); costs more
            calls.
        embedding: Model of the provider that chooses the passages of long sources; without one the
            writer reads all of them.
        max_calls: Most model calls of one candidate; with more it fails.
        timeout_seconds: Longest time of one candidate.
    """

    words: Annotated[int, Field(ge=50, le=50_000)] | None = None
    sub_queries: Annotated[int, Field(ge=1, le=20)] = 3
    breadth: Annotated[int, Field(ge=1, le=20)] | None = None
    depth: Annotated[int, Field(ge=1, le=5)] | None = None
    sections: Annotated[int, Field(ge=1, le=20)] | None = None
    follow_guidelines: bool | None = None
    embedding: Annotated[str, Field(min_length=1)] | None = None
    max_calls: Annotated[int, Field(ge=1, le=10_000)]
    timeout_seconds: Annotated[float, Field(ge=1, le=86_400)]


RESEARCH_DEFAULTS: dict[ChildKind, dict[str, object]] = {
    "gptr": {"words": 1200, "sub_queries": 3, "timeout_seconds": 1200.0},
    "dr": {"words": 1200, "sub_queries": 3, "breadth": 3, "depth": 2, "timeout_seconds": 1200.0},
    "ma": {"sub_queries": 3, "sections": 3, "follow_guidelines": False, "timeout_seconds": 600.0},
}
"""Options that each type knows, beside ``embedding`` and ``max_calls``, with their defaults."""


RETRIEVER = "retriever"
"""Stands in the ledger as the provider of searches; the model is the type of retriever."""


class Retriever(Record):
    """The search service of GPT Researcher.

    Attributes:
        type: ``folder`` searches files, ``searxng`` a server that speaks SearXNG's API, ``tavily``
            a service that speaks Tavily's.
        folder: Folder of the files (``folder``).
        url: Address of the server or service; Tavily's own if absent.
        key_env: Environment variable that holds the service's key; only workers read it.
        max_results: Most results of one search.
        usd_per_search: Price of one search; free for folders and servers, unknown if absent.
        timeout_seconds: Longest time of one search or of the fetch of one page.
    """

    type: Literal["folder", "searxng", "tavily"]
    folder: str | None = None
    url: str | None = None
    key_env: str | None = None
    max_results: Annotated[int, Field(ge=1, le=50)] = 5
    usd_per_search: Annotated[float, Field(ge=0)] | None = None
    timeout_seconds: Annotated[float, Field(gt=0, le=120)] = 15.0

    @property
    def is_booked(self) -> bool:
        """Return whether its searches leave the machine, and so are calls of the ledger."""
        return self.type != "folder"

    @property
    def price_usd(self) -> float | None:
        """Return the price of a search; None if it is not known."""
        if self.usd_per_search is None and self.type != "tavily":
            return 0.0
        return self.usd_per_search
