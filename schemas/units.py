"""Documents and their units: artifacts, evaluations and comparisons."""

from datetime import datetime
from typing import Literal, NamedTuple

from schemas.calls import EvidenceSummary
from schemas.children import ChildReport
from schemas.record import Record

UnitKind = Literal["artifact", "evaluation", "comparison"]
UnitState = Literal["planned", "claimed", "done", "failed", "cancelled"]
Stage = Literal["planned", "generate", "compare", "combine", "playoff", "finished"]
DocumentState = Literal["running", "done", "partial", "failed", "cancelled", "skipped", "deleted"]
RunState = Literal["running", "paused", "done", "partial", "failed", "cancelled", "deleted"]
Generator = Literal["fpf", "gptr", "dr", "ma", "files", "combine"]
Winner = Literal["a", "b", "tie"]

_NAME_CHARACTERS = 120
"""Maximum length of a model's part in the name of a candidate, in characters."""

ENDED: frozenset[UnitState] = frozenset({"done", "failed", "cancelled"})


def candidate_name(generator: str, number: int, model: str) -> str:
    """Return the name of a candidate for users, unique within its document."""
    made = {"fpf": "", "combine": "combined "}.get(generator, f"{generator} ")
    return f"{model[:_NAME_CHARACTERS]} {made}#{number}"


class Role(NamedTuple):
    """A judge or a writer of a run.

    Attributes:
        name: Name of the judge; for a writer the generator and the number of the variant:
            ``fpf:2``.
    """

    kind: Literal["judge", "writer"]
    name: str


class Document(Record):
    """One input document of a run.

    Attributes:
        path: Path relative to the input folder, with forward slashes.
        key: Digest of the content and of all settings that affect the result.
        reason: Explanation of the state, for users.
        settled: Whether the document was decided before all its units had ended.
    """

    id: str
    run_id: str
    path: str
    key: str
    stage: Stage = "planned"
    state: DocumentState = "running"
    reason: str | None = None
    winner_id: str | None = None
    settled: bool = False
    created_at: datetime
    finished_at: datetime | None = None


class CheckResult(Record):
    """The result of a check on the text of a candidate.

    Attributes:
        name: Name and type of the check.
        gate: Whether a candidate that fails the check cannot win.
        weight: Weight in the candidate's score.
        passed: Whether the candidate passed; absent, like the score, if the check gave no result.
        score: Score from 0 to 1.
        reason: Explanation in one line.
    """

    name: str
    type: str
    gate: bool
    weight: float
    passed: bool | None
    score: float | None
    reason: str

    @property
    def bars(self) -> bool:
        """Return whether the check prevents the candidate from winning."""
        return self.gate and self.passed is not True


class Artifact(Record):
    """One candidate text of a document.

    Attributes:
        lane: Queue for messages about the artifact, as in the other units.
        variant: Number of the ``runs:`` entry, starting with 1; for combined candidates the number
            of the combining model.
        number: Number among the candidates of one generator in a document, starting with 1; part of
            the file name.
        parents: Artifacts that were combined, the best first.
        file: Path of the file that the client wrote, relative to the output folder.
        taken_from: Id of the original artifact in an earlier run, for a copy that is judged again.
        child: Report on the child process that wrote the text or failed to; absent without a child
            process.
        checks: Results of the config's checks on the text.
    """

    id: str
    run_id: str
    document_id: str
    generator: Generator
    variant: int
    iteration: int
    number: int
    provider: str
    model: str
    lane: str
    parents: tuple[str, ...] = ()
    state: UnitState = "planned"
    text: str | None = None
    proof: EvidenceSummary | None = None
    file: str | None = None
    error_kind: str | None = None
    error: str | None = None
    attempts: int = 0
    taken_from: str | None = None
    child: ChildReport | None = None
    checks: tuple[CheckResult, ...] = ()
    created_at: datetime
    finished_at: datetime | None = None

    @property
    def name(self) -> str:
        """Return the display name of the candidate, unique within its document."""
        return candidate_name(self.generator, self.number, self.model)

    @property
    def combined(self) -> bool:
        """Return whether the artifact combines other candidates."""
        return self.generator == "combine"

    @property
    def barred(self) -> bool:
        """Return whether the artifact cannot win because of a failed check with ``gate``."""
        return any(check.bars for check in self.checks)


class Evaluation(Record):
    """The scores of one artifact by one judge in one iteration.

    Attributes:
        judge: Name of the judge.
        scores: Scores by criterion.
        reasons: Reasons by criterion.
        filled: Criteria whose score is the configured ``missing_score`` instead of a judge's score.
        overall: Weighted mean over the criteria.
        summary: The judge's summary of the text, if given.
        confidence: Confidence stated by the judge, from 0 to 1, if given.
    """

    id: str
    run_id: str
    document_id: str
    artifact_id: str
    judge: str
    provider: str
    model: str
    lane: str
    iteration: int
    state: UnitState = "planned"
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    filled: tuple[str, ...] = ()
    overall: float | None = None
    summary: str | None = None
    confidence: float | None = None
    proof: EvidenceSummary | None = None
    error_kind: str | None = None
    error: str | None = None
    raw: str | None = None
    created_at: datetime
    finished_at: datetime | None = None


class Remark(Record):
    """A judge's remarks in addition to the scores of an evaluation.

    Attributes:
        overall: Overall score.
        summary: See ``Evaluation``; the same applies to ``confidence``.
    """

    judge: str
    iteration: int
    overall: float | None = None
    summary: str | None = None
    confidence: float | None = None


class Comparison(Record):
    """The verdict of one judge on one pair in one order.

    Attributes:
        a_id: The artifact that was shown first.
        confidence: Confidence stated by the judge, from 0 to 1.
    """

    id: str
    run_id: str
    document_id: str
    a_id: str
    b_id: str
    judge: str
    provider: str
    model: str
    lane: str
    iteration: int
    state: UnitState = "planned"
    winner: Winner | None = None
    confidence: float | None = None
    reason: str | None = None
    proof: EvidenceSummary | None = None
    error_kind: str | None = None
    error: str | None = None
    raw: str | None = None
    created_at: datetime
    finished_at: datetime | None = None


def role_of(unit: Artifact | Evaluation | Comparison) -> Role:
    """Return the judge or writer of a unit."""
    if isinstance(unit, Artifact):
        return Role("writer", f"{unit.generator}:{unit.variant}")
    return Role("judge", unit.judge)
