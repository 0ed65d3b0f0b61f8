"""Runs, and all that is known of one: what reports, exports and pages are made from."""

from datetime import datetime
from typing import Any

from schemas.calls import Call, Proof
from schemas.config.config import Config
from schemas.ranking import Fusion, Rating, Standing
from schemas.record import Record
from schemas.units import Artifact, Comparison, Document, Evaluation, RunState


class ExpectedTotals(Record):
    """What a run was expected to take when it was started, at the most.

    Attributes:
        usd: Absent if a price was unknown.
    """

    calls: int
    usd: float | None


class Run(Record):
    """One execution of a config over its documents.

    Attributes:
        key: Digest of config identity, instructions, guidelines and documents: the same command
            finds its run again by it.
        title: For people; the config file's name.
        reason: Why it is paused, and what lets it go on.
        skipped: Documents that were left out because an earlier run has their winner: path, run.
        rejudged_from: The run whose candidates it judges again, if it writes none of its own.
    """

    id: str
    key: str
    title: str
    state: RunState
    reason: str | None = None
    config: Config
    instructions: str
    guidelines: str | None
    skipped: tuple["SkippedDocument", ...] = ()
    expected: ExpectedTotals | None = None
    cancel_requested: bool = False
    rejudged_from: str | None = None
    created_at: datetime
    finished_at: datetime | None = None


class SkippedDocument(Record):
    """A document that was not worked on, for its result exists."""

    path: str
    run_id: str
    document_id: str


class RunRecords(Record):
    """Everything about one run, in creation order.

    Attributes:
        texts: Source text by document id.
        standings: Final ranking by document id, best first; only finished documents.
        ratings: Elo ratings by document id.
        fusions: How combined candidates did against their parents, by document id.
        calls: Without answers.
    """

    run: Run
    documents: tuple[Document, ...]
    texts: dict[str, str]
    artifacts: tuple[Artifact, ...]
    evaluations: tuple[Evaluation, ...]
    comparisons: tuple[Comparison, ...]
    standings: dict[str, tuple[Standing, ...]]
    ratings: dict[str, tuple[Rating, ...]]
    fusions: dict[str, tuple[Fusion, ...]]
    calls: tuple[Call, ...]


class WinnerResult(Record):
    """The winner of a document, as the command line prints it.

    Attributes:
        proof: What it was seen to rest on.
    """

    artifact_id: str
    file: str | None
    generator: str
    number: int
    model: str
    overall: float | None
    elo: float | None
    rank_score: float | None
    p_best: float | None = None
    proof: Proof | None = None


class DocumentResult(Record):
    """What became of one document, as the command line prints it.

    Attributes:
        filled: Evaluations with a score that ``missing_score`` stands in for.
    """

    path: str
    state: str
    reason: str | None
    winner: WinnerResult | None
    artifacts: int
    evaluations: int
    comparisons: int
    missing: int
    filled: int = 0


class CallCounts(Record):
    """How many calls a run made; ``total`` counts those sent, cached ones come beside."""

    total: int
    failed: int
    cached: int
    uncertain: int


class RunResult(Record):
    """What became of a run, as the command line prints it.

    Attributes:
        reason: Why it is paused, and what lets it go on.
        usd: Exact cost; absent if any paid call has no known price.
        uncertain_usd: The most that uncertain calls may have cost beside; absent if nobody knows.
        expected: What it was expected to take at the most.
    """

    run_id: str
    state: str
    reason: str | None = None
    documents: tuple[DocumentResult, ...]
    calls: CallCounts
    usd: float | None
    uncertain_usd: float | None = 0.0
    expected: ExpectedTotals | None = None


class RunPlan(Record):
    """What a run would do and cost, at the most.

    Attributes:
        units: Number of units by kind: generate, score, compare, combine.
        calls: Number of calls by provider and model, each at the most: where it is not known yet
            whose model combines, they add up to more than there are.
        calls_in_all: Number of calls of all models together.
        second_stage_calls: Those of them that put prose into JSON.
        tokens: Estimated tokens: input, output.
        searches: Estimated searches of the providers' own, beside the tokens that they bring.
        usd: ``expected`` (absent if a price is unknown), the part of it for ``searches``,
            ``unknown_models`` and the run's ``budget``.
        minutes: Shortest time the limits allow.
    """

    documents: int
    units: dict[str, int]
    calls: dict[str, dict[str, int]]
    calls_in_all: int
    second_stage_calls: int = 0
    tokens: dict[str, int]
    searches: int = 0
    usd: dict[str, Any]
    minutes: float | None
