"""Options of GPT Researcher and of its search service."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.lanes import ChildKind
from schemas.record import Record


class Research(Record):
    """Options of GPT Researcher for one candidate; options of other types are absent.

    Attributes:
        words: Requested minimum number of words of the report (``gptr`` and ``dr``).
        sub_queries: Number of questions that a subject is divided into.
        breadth: Number of queries on the first level (``dr``).
        depth: Number of levels of search, each based on the results of the previous level (``dr``).
        sections: Maximum number of sections (``ma``).
        follow_guidelines: Whether a reviewer checks each section against the guidelines (``ma``);
            needs more calls.
        embedding: Embedding model of the provider that selects passages of long sources; if absent,
            the writer reads the complete sources.
        max_calls: Maximum number of model calls for one candidate; beyond it the candidate fails.
        timeout_seconds: Maximum time for one candidate.
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
"""Options of each type with their defaults, besides ``embedding`` and ``max_calls``."""


RETRIEVER = "retriever"
"""Name of the provider of searches in the ledger; the model is the type of retriever."""


class Retriever(Record):
    """The search service of GPT Researcher.

    Attributes:
        type: ``folder`` searches files, ``searxng`` uses a server with SearXNG's API, ``tavily`` a
            service with Tavily's API.
        folder: Folder of the files (``folder``).
        url: Address of the server or service; Tavily's address by default.
        key_env: Environment variable of the service's key; read only by workers.
        max_results: Maximum number of results of one search.
        usd_per_search: Price of one search; default: free for folders and servers, unknown for
            services.
        timeout_seconds: Maximum time for one search, or for fetching one page.
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
        """Return whether searches leave the machine and are therefore recorded in the ledger."""
        return self.type != "folder"

    @property
    def price_usd(self) -> float | None:
        """Return the price of a search; None if unknown."""
        if self.usd_per_search is None and self.type != "tavily":
            return 0.0
        return self.usd_per_search
