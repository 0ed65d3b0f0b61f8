"""The calls of GPT Researcher for one report, measured with version 0.15.1 and its defaults.

Pages had 4,500 characters, and searches had five results; see `ops/docs/gpt-researcher.md`.
"""

import math
from typing import NamedTuple

from schemas.config.research import Research
from schemas.lanes import ChildKind

_USUAL_WORDS = 1200
_SLACK = 4
"""Maximum calls of a candidate, as a multiple of the usual number."""

_LEAST_CALLS: dict[ChildKind, int] = {"gptr": 20, "dr": 120, "ma": 120}


class ResearchUse(NamedTuple):
    """The usual amounts of one report.

    Attributes:
        chat_calls: Calls of the writing model.
        embedding_calls: Calls of the embedding model, if there is one.
        embedding_tokens: Total input tokens of the embedding model.
        searches: Number of queries to the retriever.
        input_tokens: Total input tokens of the writing model.
        output_tokens: Total output tokens of the writing model.
        start_s: Time until the first call, and between calls.
        in_turn: Share of the calls' time during which no other call of the report is in flight.
    """

    chat_calls: int
    embedding_calls: int
    embedding_tokens: int
    searches: int
    input_tokens: int
    output_tokens: int
    start_s: float
    in_turn: float


def usual(kind: ChildKind, research: Research) -> ResearchUse:
    """Return the usual amounts of a report of one kind."""
    if kind == "ma":
        return _multi_agent(research)
    return _deep(research) if kind == "dr" else _standard(research)


def most_calls(kind: ChildKind, research: Research) -> int:
    """Return the default maximum number of calls for one candidate."""
    use = usual(kind, research)
    return max(_LEAST_CALLS[kind], _SLACK * use.chat_calls) + _SLACK * use.embedding_calls


def most_searches(kind: ChildKind, research: Research) -> int:
    """Return the maximum number of queries to the retriever for one candidate."""
    return max(_LEAST_CALLS[kind], _SLACK * usual(kind, research).searches)


def _standard(research: Research) -> ResearchUse:
    searches = research.sub_queries + 2
    return ResearchUse(
        chat_calls=3,
        searches=searches,
        input_tokens=round((9_700 if research.embedding else 24_000) * searches / 5),
        output_tokens=round(1_900 * (research.words or _USUAL_WORDS) / _USUAL_WORDS),
        start_s=3.5,
        in_turn=1.0,
        **_embeddings(research, 2 * (searches - 1)),
    )


def _deep(research: Research) -> ResearchUse:
    breadth, depth = research.breadth or 1, research.depth or 1
    researchers = _researchers(breadth, depth)
    report = 1_900 * (research.words or _USUAL_WORDS) / _USUAL_WORDS
    return ResearchUse(
        chat_calls=2 + _query_sets(breadth, depth) + 3 * researchers,
        searches=1 + (research.sub_queries + 2) * researchers,
        input_tokens=(14_100 if research.embedding else 28_400) * researchers,
        output_tokens=round(report + 200 * researchers),
        start_s=6.3,
        in_turn=0.85,
        **_embeddings(research, 2 * (research.sub_queries + 1) * researchers),
    )


def _multi_agent(research: Research) -> ResearchUse:
    sections = research.sections or 1
    searches = 2 + (research.sub_queries + 2) * sections
    reviews = 3 * sections if research.follow_guidelines else 0
    each = 3_000 if research.embedding else 6_500
    calls = 2 + 4 * sections + reviews
    return ResearchUse(
        chat_calls=calls,
        searches=searches,
        input_tokens=each * calls,
        output_tokens=560 * calls,
        start_s=7.0,
        in_turn=0.55,
        **_embeddings(research, math.ceil(1.6 * searches)),
    )


def _embeddings(research: Research, calls: int) -> dict[str, int]:
    if research.embedding is None:
        return {"embedding_calls": 0, "embedding_tokens": 0}
    return {"embedding_calls": calls, "embedding_tokens": 3_500 * calls}


def _researchers(breadth: int, depth: int) -> int:
    if depth == 1:
        return breadth
    return breadth + breadth * _researchers(max(2, breadth // 2), depth - 1)


def _query_sets(breadth: int, depth: int) -> int:
    if depth == 1:
        return 1
    return 1 + breadth * _query_sets(max(2, breadth // 2), depth - 1)
