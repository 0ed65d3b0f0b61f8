"""Documents and their units: artifacts, evaluations and comparisons."""

from datetime import datetime
from typing import Literal, NamedTuple

from schemas.calls import Proof
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
"""Of a model in the name of a candidate."""

ENDED: frozenset[UnitState] = frozenset({"done", "failed", "cancelled"})


def candidate_name(generator: str, number: int, model: str) -> str:
    """Return the name of a candidate for users, unique within its document."""
    made = {"fpf": "", "combine": "combined "}.get(generator, f"{generator} ")
    return f"{model[:_NAME_CHARACTERS]} {made}#{number}"


class Role(NamedTuple):
    """A judge or a writer of a run.

    Attributes:
        name: Name of the judge; of a writer its generator and the number of its variant: ``fpf:2``.
    """

    kind: Literal["judge", "writer"]
    name: str


class Document(Record):
    """One input document of a run.

    Attributes:
        path: Relative to the input folder, with forward slashes.
        key: Digest of its content and of all settings that decide the result.
        reason: Why it ended in this state, for users.
        settled: Whether it was decided early, before all its units had ended.
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
    """The finding of a check in the text of a candidate.

    Attributes:
        name: Name of the check, and its type.
        gate: Whether a candidate that does not pass cannot win.
        weight: Share in the candidate's score.
        passed: Absent if the check gave no result, like the score.
        score: From 0 to 1.
        reason: For people, in a line.
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
        """Return whether the candidate cannot win because of it."""
        return self.gate and self.passed is not True


class Artifact(Record):
    """One candidate text of a document.

    Attributes:
        lane: Queue that its messages go to; so in the other units.
        variant: Number of the ``runs:`` entry, from 1; of the combining model if combined.
        number: Counts the candidates of one generator in a document, from 1; part of the file name.
        parents: Artifacts it was combined from, the better one first.
        file: Path that the client wrote it to, relative to the output folder.
        taken_from: The artifact of an earlier run that it is a copy of, to be judged again.
        child: Report on the child process that wrote the text or failed to; absent without one.
        checks: What the checks of the config found in its text.
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
    proof: Proof | None = None
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
        """Return its name for users, unique within its document."""
        return candidate_name(self.generator, self.number, self.model)

    @property
    def combined(self) -> bool:
        """Return whether it combines other candidates."""
        return self.generator == "combine"

    @property
    def barred(self) -> bool:
        """Return whether it cannot win: a gate among its checks is not passed."""
        return any(check.bars for check in self.checks)


class Evaluation(Record):
    """The scores of one artifact by one judge in one iteration.

    Attributes:
        judge: Name of the judge.
        scores: Score by criterion.
        reasons: Reason by criterion.
        filled: Criteria whose score is the configured ``missing_score``, not the judge's.
        overall: Weighted mean over the criteria.
        summary: What the judge says of the whole, where it says something.
        confidence: From 0 to 1, as the judge states it, where it does.
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
    proof: Proof | None = None
    error_kind: str | None = None
    error: str | None = None
    raw: str | None = None
    created_at: datetime
    finished_at: datetime | None = None


class Remark(Record):
    """A judge's remarks in addition to the scores of an evaluation.

    Attributes:
        overall: Its overall score.
        summary: As in ``Evaluation``, like the confidence.
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
        confidence: From 0 to 1, as the judge states it.
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
    proof: Proof | None = None
    error_kind: str | None = None
    error: str | None = None
    raw: str | None = None
    created_at: datetime
    finished_at: datetime | None = None


def role_of(unit: Artifact | Evaluation | Comparison) -> Role:
    """Return the judge or writer that a unit is the work of."""
    if isinstance(unit, Artifact):
        return Role("writer", f"{unit.generator}:{unit.variant}")
    return Role("judge", unit.judge)
