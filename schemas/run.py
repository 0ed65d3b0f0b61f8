"""Runs with their records and results, as shown by reports, exports and commands."""

from datetime import datetime
from typing import Literal

from schemas.calls import Call, EvidenceSummary
from schemas.config.config import Config
from schemas.plan import ExpectedTotals
from schemas.ranking import Fusion, Rating, Standing
from schemas.record import Record
from schemas.units import Artifact, Comparison, Document, Evaluation, Remark, RunState, UnitKind
from schemas.votes import Vote, VotingResult

Phase = Literal["generation", "single_doc", "pairwise", "post_combine", "finished"]

SUBMISSIONS_OF = "submissions of "
"""Prefix of title and key of the run with the calls of a task; the task's name follows."""


class Run(Record):
    """One execution of a config over its documents.

    Attributes:
        key: Digest of config identity, instructions, guidelines and documents; a repeated command
            finds its earlier run by this key.
        title: Name for users, from the config file or its folder.
        reason: Reason why the run is paused, and how to resume it.
        skipped: Documents that were skipped because an earlier run has their winner.
        rejudged_from: The run whose candidates are judged again; absent for runs that write
            candidates.
        crossed_with: The second run, if this run compares the winners of two other runs.
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
        """Return whether the run contains the model calls of a task for code submissions."""
        return self.title.startswith(SUBMISSIONS_OF) and self.key == self.title[:64]


class DeletedRun(Record):
    """A run whose texts were deleted; the record of its costs is kept.

    Attributes:
        also: Runs that judged its candidates again; they had copies of the texts and were deleted
            as well.
    """

    run_id: str
    state: RunState = "deleted"
    reason: str
    also: tuple[str, ...] = ()


class SkippedDocument(Record):
    """A skipped document, with the run and document that have its result."""

    path: str
    run_id: str
    document_id: str


class RunRecords(Record):
    """All records of one run, in creation order.

    Attributes:
        texts: Source texts by document id.
        standings: Final rankings of finished documents by document id, best candidate first.
        ratings: Elo ratings by document id.
        fusions: Fusions by document id.
        calls: All calls, without answers.
        votes: Pairs that were shown to people, with their answers.
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
    """The winner of a document, as printed by the command line.

    Attributes:
        proof: Evidence of search and thinking for the winning text.
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
    proof: EvidenceSummary | None = None
    remarks: tuple[Remark, ...] = ()


class FailedCheck(Record):
    """A failed check that prevents a candidate from winning.

    Attributes:
        candidate: Display name of the candidate.
    """

    artifact_id: str
    candidate: str
    check: str
    reason: str


class DocumentResult(Record):
    """The result of one document, as printed by the command line.

    Attributes:
        filled: Number of evaluations with a score filled in by ``missing_score``.
        settled: Whether the document was decided before all its units had ended.
        failed_checks: Failed checks that prevent candidates from winning.
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
    """Numbers of calls of a run; ``total`` counts sent calls, without cached answers."""

    total: int
    failed: int
    cached: int
    uncertain: int


class FailureCause(Record):
    """Units that failed for the same reason.

    Attributes:
        reason: Description in one line, without ids.
        units: Number of failed units by kind.
    """

    provider: str
    model: str
    reason: str
    units: dict[UnitKind, int]

    @property
    def number(self) -> int:
        """Return the number of failed units."""
        return sum(self.units.values())


class PausedRole(Record):
    """A judge or writer that is paused after repeated failures for the same cause.

    Attributes:
        name: See ``Role``.
        failures: Number of consecutive units that failed for this cause.
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
    """The result of a run, as printed by the command line.

    Attributes:
        reason: Reason why the run is paused, or why it is incomplete although each document has a
            winner, and how to resume it.
        failures: Failed units by cause, the most frequent cause first.
        paused: Judges and writers that are paused.
        usd: Exact cost; absent if the price of any paid call is unknown.
        uncertain_usd: Upper bound of the cost of uncertain calls, not part of ``usd``; absent if
            unknown.
        expected: Calls and cost as planned at the start of the run.
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
