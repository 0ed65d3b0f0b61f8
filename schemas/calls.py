"""Requests to providers, their answers, and the calls that record both."""

from datetime import datetime
from typing import Any, Literal

from schemas.record import Record

CallStage = Literal["main", "jsonify", "repair", "gateway"]
CallState = Literal["started", "done", "failed", "uncertain"]
FinishReason = Literal["stop", "length", "refusal", "pause", "other"]
NotExecuted = Literal["expired", "cancelled", "failed", "missing", "lost"]
"""Reason why a request in a batch has no answer: the batch expired, was cancelled, was rejected or
is unknown, or its results do not contain the request."""

Effort = Literal["low", "medium", "high"]
Grounding = Literal["none", "searched", "sourced", "cited"]
Reasoning = Literal["none", "tokens", "summary"]
Flag = Literal["empty_reason", "garbled", "unfinished"]
"""Defects of an accepted answer: a missing reason, garbled characters, an unfinished text."""


Parameter = Literal["temperature", "reasoning", "json_schema", "search_with_schema"]
"""Parameters that are omitted or replaced if a model rejects them."""


class Message(Record):
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


class Request(Record):
    """A request to a model, independent of the provider's dialect.

    Attributes:
        json_schema: Schema the answer must follow, in the common strict subset.
        schema_name: Name of the schema: at most 64 characters of ``A-Za-z0-9_-``.
        search: Whether the provider's own web search may be used.
        max_searches: Maximum number of searches, where the provider has such a parameter.
        reasoning: Required evidence of thinking: its tokens, or a summary as well.
        effort: How much the model should think; default: the model's own.
        left_out: Parameters that this model refuses; see ``ParameterRefused``.
        so_far: The content of a paused answer (finish reason ``pause``), unchanged.
    """

    provider: str
    model: str
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    temperature: float | None = None
    json_schema: dict[str, Any] | None = None
    schema_name: str = "answer"
    search: bool = False
    max_searches: int | None = None
    reasoning: Reasoning = "none"
    effort: Effort | None = None
    left_out: frozenset[Parameter] = frozenset()
    so_far: tuple[Any, ...] = ()


class Usage(Record):
    """Tokens of one answer; absent if the server does not report them.

    Attributes:
        cached_tokens: The part of ``input_tokens`` that came from the provider's prefix cache.
        cache_write_tokens: The part of ``input_tokens`` that was written to that cache.
        reasoning_tokens: The part of ``output_tokens`` spent on thinking.
        searches: Number of searches that are billed in addition to the tokens.
        search_tokens: The part of ``input_tokens`` added by search results; absent if not reported.
        service_tier: Service tier reported by the provider; absent for the standard tier.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    searches: int | None = None
    search_tokens: int | None = None
    service_tier: str | None = None


class Source(Record):
    """A page that a search returned.

    Attributes:
        cited: Whether the text cites the page.
    """

    url: str
    title: str | None = None
    cited: bool = False


class Evidence(Record):
    """Evidence of search and thinking, from fields that only the provider fills in.

    Attributes:
        grounding: ``searched``: a search ran; ``sourced``: it returned pages; ``cited``: the
            text cites them. Pages whose addresses are in the prompt do not count.
        reasoning: ``tokens``: thinking tokens were counted; ``summary``: a summary was returned as
            well.
        queries: Queries of the searches.
        summary: Summary of the thinking.
    """

    grounding: Grounding = "none"
    reasoning: Reasoning = "none"
    queries: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    summary: str | None = None


class EvidenceSummary(Record):
    """A short form of the evidence of a unit's accepted answer; the calls store the full evidence.

    Attributes:
        searches: Number of queries.
        sources: Number of pages that the searches returned.
    """

    grounding: Grounding = "none"
    reasoning: Reasoning = "none"
    searches: int = 0
    sources: int = 0
    flags: tuple[Flag, ...] = ()


class Completion(Record):
    """The answer of a model.

    Attributes:
        so_far: The content to send back to continue a paused answer.
        cost_usd: Cost of the answer as reported by the provider.
    """

    text: str
    finish_reason: FinishReason
    usage: Usage = Usage()
    evidence: Evidence = Evidence()
    model: str | None = None
    response_id: str | None = None
    request_id: str | None = None
    status: int = 200
    so_far: tuple[Any, ...] = ()
    cost_usd: float | None = None


class Call(Record):
    """One HTTP request to a provider, as recorded in the ledger.

    Attributes:
        digest: Digest of provider, model, prompt and parameters; equal for identical requests.
        cached: Whether the answer was reused from an earlier call; nothing was sent or paid.
        cost_usd: Absent if a price or the number of tokens is unknown; 0 if cached.
        price: The price entry of the cost; ``config`` for a price of the config, ``provider`` for
            a cost reported by the provider.
        so_far: See ``Completion``; stored so that a paused answer continues after a restart.
        reserved_usd: Upper bound of the cost, reserved until the cost is known.
        wait_s: Seconds spent waiting for a limit before the request was sent.
    """

    id: str
    run_id: str
    document_id: str
    unit_id: str
    unit_kind: str
    stage: CallStage
    attempt: int
    provider: str
    model: str
    digest: str
    iteration: int
    state: CallState
    cached: bool = False
    status: int | None = None
    finish_reason: FinishReason | None = None
    usage: Usage = Usage()
    evidence: Evidence = Evidence()
    so_far: tuple[Any, ...] = ()
    cost_usd: float | None = None
    price: str | None = None
    reserved_usd: float | None = None
    response_id: str | None = None
    request_id: str | None = None
    wait_s: float = 0.0
    started_at: datetime
    ended_at: datetime | None = None
    error_kind: str | None = None
    error: str | None = None
    answer: str | None = None
    owner: str
