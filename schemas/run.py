"""Runs, their records and results, as reports, exports and commands show them."""

from datetime import datetime
from typing import Literal

from schemas.calls import Call, Proof
from schemas.config.config import Config
from schemas.plan import ExpectedTotals
from schemas.ranking import Fusion, Rating, Standing
from schemas.record import Record
from schemas.units import Artifact, Comparison, Document, Evaluation, Remark, RunState, UnitKind
from schemas.votes import Vote, VotingResult

Phase = Literal["generation", "single_doc", "pairwise", "post_combine", "finished"]

SUBMISSIONS_OF = "submissions of "
"""How title and key begin of a run that has the calls to models of a task; its name follows."""


class Run(Record):
    """One execution of a config over its documents.

    Attributes:
        key: Digest of config identity, instructions, guidelines and documents, by which the same
            command finds its run again.
        title: Name for users, from the config file or its folder.
        reason: Why it is paused, and how to resume it.
        skipped: Documents that were left out because an earlier run has their winner.
        rejudged_from: The run whose candidates it judges again, if it writes none itself.
        crossed_with: The other run, if it compares the winners of two.
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
    crossed_with: str | None = None
    created_at: datetime
    finished_at: datetime | None = None

    @property
    def serves_submissions(self) -> bool:
        """Return whether it has the calls to models of a task for code submissions."""
        return self.title.startswith(SUBMISSIONS_OF) and self.key == self.title[:64]


class DeletedRun(Record):
    """A run whose texts were deleted; its bill stays.

    Attributes:
        also: Runs that judged its candidates again, which were deleted with it: they had copies.
    """

    run_id: str
    state: RunState = "deleted"
    reason: str
    also: tuple[str, ...] = ()


class SkippedDocument(Record):
    """A document that was left out, and the run and document that have its result."""

    path: str
    run_id: str
    document_id: str


class RunRecords(Record):
    """All records of one run, in creation order.

    Attributes:
        texts: Source text by document id.
        standings: Final ranking by document id, best first; only finished documents.
        ratings: Elo ratings by document id.
        fusions: By document id.
        calls: Without their answers.
        votes: Pairs that people were shown and answered.
        voting: Results of the votes; absent without votes, and until they are computed.
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
    votes: tuple[Vote, ...] = ()
    voting: VotingResult | None = None


class WinnerResult(Record):
    """The winner of a document, as the command line prints it.

    Attributes:
        proof: Evidence of its text.
        remarks: The judges' remarks in addition to their scores, if requested.
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
    remarks: tuple[Remark, ...] = ()


class FailedCheck(Record):
    """A check that a candidate did not pass, so that it cannot win.

    Attributes:
        candidate: Its name for users.
    """

    artifact_id: str
    candidate: str
    check: str
    reason: str


class DocumentResult(Record):
    """The result of one document, as the command line prints it.

    Attributes:
        filled: Number of evaluations with a score that ``missing_score`` stands in for.
        settled: Whether it was decided early, before all its units had ended.
        failed_checks: Failed checks of candidates that cannot win because of them.
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
    settled: bool = False
    failed_checks: tuple[FailedCheck, ...] = ()


class CallCounts(Record):
    """Numbers of calls of a run; ``total`` counts sent calls, without cached ones."""

    total: int
    failed: int
    cached: int
    uncertain: int


class FailureCause(Record):
    """Units that failed for the same reason.

    Attributes:
        reason: For people, in one line, without ids.
        units: Number of units by kind.
    """

    provider: str
    model: str
    reason: str
    units: dict[UnitKind, int]

    @property
    def number(self) -> int:
        """Return how many units failed."""
        return sum(self.units.values())


class PausedRole(Record):
    """A judge or writer that failed for one cause again and again, and is not tried any more.

    Attributes:
        name: See ``Role``.
        failures: Number of its units in a row that failed for this cause.
    """

    role: Literal["judge", "writer"]
    name: str
    provider: str
    model: str
    reason: str
    failures: int

    def __str__(self) -> str:
        """Return a description of the failure."""
        who = f"judge {self.name}" if self.role == "judge" else f"writer {self._writer}"
        return f"{who} is paused after {self.failures} failures in a row: {self.reason}"

    @property
    def _writer(self) -> str:
        generator, _, number = self.name.partition(":")
        entry = "playoffs" if generator == "combine" else f"entry {number} of runs"
        return f"{self.provider}:{self.model} ({entry})"


class RunResult(Record):
    """The result of a run, as the command line prints it.

    Attributes:
        reason: Why it is paused, or incomplete though each document has a winner; and how to
            resume it.
        failures: By cause, the most frequent first.
        paused: Judges and writers that were given up.
        usd: Exact cost; absent if any paid call has no known price.
        uncertain_usd: Upper bound of the cost of uncertain calls, not part of ``usd``; absent if
            unknown.
        expected: What was planned at its start.
    """

    run_id: str
    state: str
    reason: str | None = None
    documents: tuple[DocumentResult, ...]
    failures: tuple[FailureCause, ...] = ()
    paused: tuple[PausedRole, ...] = ()
    calls: CallCounts
    usd: float | None
    uncertain_usd: float | None = 0.0
    expected: ExpectedTotals | None = None
