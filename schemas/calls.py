"""One request to a provider, its answer, and the record that is kept of both."""

from datetime import datetime
from typing import Any, Literal

from schemas.record import Record

CallStage = Literal["main", "jsonify", "repair"]
CallState = Literal["started", "done", "failed", "uncertain"]
FinishReason = Literal["stop", "length", "refusal", "pause", "other"]
Effort = Literal["low", "medium", "high"]
Grounding = Literal["none", "searched", "sourced", "cited"]
Reasoning = Literal["none", "tokens", "summary"]
Flag = Literal["empty_reason", "garbled", "unfinished"]
"""What is odd about an accepted answer: judge without a reason, broken letters, no real end."""


Parameter = Literal["temperature", "reasoning", "json_schema", "search_with_schema"]
"""What can be left out of a request, or asked in another way, when a model refuses it."""


class Message(Record):
    """One turn of the talk with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


class Request(Record):
    """What a model is asked, in no provider's dialect.

    Attributes:
        json_schema: Schema the answer must follow, in the common strict subset.
        schema_name: Its name: at most 64 of ``A-Za-z0-9_-``.
        search: Whether the provider's own web search may be used.
        max_searches: Highest number of searches, where the provider can be told.
        reasoning: What must be seen of the model's thinking: its tokens, or a summary as well.
        effort: How much the model should think; the model's own choice if absent.
        left_out: Parameters that this model was found to refuse; see ``ParameterRefused``.
        so_far: What the model said before it paused (finish reason ``pause``), as it came.
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
    """Tokens of one answer; absent where the server did not say.

    Attributes:
        cached_tokens: The part of ``input_tokens`` that came from the provider's prefix cache.
        cache_write_tokens: The part of ``input_tokens`` that was written to that cache.
        reasoning_tokens: The part of ``output_tokens`` spent on thinking.
        searches: Searches that are billed beside the tokens.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    searches: int | None = None


class Source(Record):
    """A page that a search brought."""

    url: str
    title: str | None = None


class Evidence(Record):
    """What an answer proves of its making, read from fields that only the provider fills in.

    Attributes:
        grounding: ``searched``: a search ran; ``sourced``: it brought pages; ``cited``: the text
            is tied to them.
        reasoning: ``tokens``: thinking was counted; ``summary``: and can be read.
        queries: What was searched for.
        summary: The summary of the thinking.
    """

    grounding: Grounding = "none"
    reasoning: Reasoning = "none"
    queries: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    summary: str | None = None


class Proof(Record):
    """What the accepted answer to a unit proves, in short; the calls of the unit have it in full.

    Attributes:
        searches: Queries that were seen.
        sources: Pages that they brought.
    """

    grounding: Grounding = "none"
    reasoning: Reasoning = "none"
    searches: int = 0
    sources: int = 0
    flags: tuple[Flag, ...] = ()


class Completion(Record):
    """What a model answered.

    Attributes:
        so_far: What to send back so that a paused answer goes on.
        cost_usd: What the provider itself says the answer costs.
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
    """One HTTP request to a provider as the ledger keeps it.

    Attributes:
        digest: Of provider, model, prompt and parameters: what makes two requests the same.
        cached: Answered from an earlier call's stored answer; nothing was sent or paid.
        cost_usd: Absent where a price or the number of tokens is unknown; 0 if cached.
        price: Which price entry the cost was computed with; ``config`` for the user's own,
            ``provider`` for what the provider itself said.
        so_far: See ``Completion``; kept so that a paused answer goes on after a restart.
        reserved_usd: What it may have cost at the most; set aside while nobody knows better.
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
