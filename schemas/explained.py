"""Why a document has the winner that it has, and what would have to change."""

from schemas.ranking import Estimate
from schemas.record import Record


class Contender(Record):
    """One candidate as far as it matters for the decision.

    Attributes:
        name: For people, as in reports: generator, number and model.
        by_judge: Its overall score by judge.
        scores: Number of evaluations behind its score.
        filled: How many of them hold a score filled in by ``missing_score``.
        wins: Comparisons won against anybody; both orders of one pair are one comparison.
        strength: On Elo's scale, by scores and verdicts together.
    """

    artifact_id: str
    name: str
    file: str | None
    rank: int | None
    overall: float | None
    criteria: dict[str, float]
    by_judge: dict[str, float]
    scores: int
    filled: int
    wins: int
    losses: int
    ties: int
    elo: float | None
    rank_score: float | None
    p_best: float | None
    strength: Estimate | None


class DirectComparisons(Record):
    """Comparisons between the winner and the runner-up alone."""

    wins: int
    losses: int
    ties: int


class WhatIf(Record):
    """What would put another candidate in front.

    Attributes:
        name: Of that candidate.
        wins_needed: Comparisons that it would have to win against the winner, one after another;
            absent where not even ``tried`` are enough, or where nothing is compared.
        score_needed: By how much its overall score would have to be higher; where scores decide.
    """

    artifact_id: str
    name: str
    wins_needed: int | None
    tried: int
    score_needed: float | None


class MissingJudgements(Record):
    """Judgements without a result.

    Attributes:
        reasons: Why, each once, with how many.
        could_change: Whether results as bad as can be for the winner would change who wins;
            absent where nobody has won.
    """

    evaluations: int
    comparisons: int
    reasons: tuple[str, ...]
    could_change: bool | None


class NamedFusion(Record):
    """How a combined candidate did against its best parent, with names."""

    name: str
    parent: str
    better: float
    needed: float
    games: int
    lift: float | None
    lift_low: float | None
    lift_high: float | None


class Explanation(Record):
    """Why a document has its winner.

    Attributes:
        method: What the ranking goes by.
        reason: How it ended, as it was stored: why this one, and why comparing stopped.
        runner_up: The best of the others.
        missing: Absent where every judgement has a result.
        notes: What the reader should know beside that.
    """

    run_id: str
    document_id: str
    path: str
    state: str
    method: str
    reason: str | None
    candidates: int
    winner: Contender | None
    runner_up: Contender | None
    direct: DirectComparisons
    what_if: tuple[WhatIf, ...]
    missing: MissingJudgements | None
    fusions: tuple[NamedFusion, ...]
    notes: tuple[str, ...]
