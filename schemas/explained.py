"""Explanations of a winner, and of what would make another candidate win."""

from schemas.ranking import Estimate
from schemas.record import Record
from schemas.units import Remark


class Contender(Record):
    """One candidate with all measures that the decision depends on.

    Attributes:
        name: For people, as in reports: generator, number and model.
        by_judge: Its overall score by judge.
        scores: Number of evaluations behind its score.
        filled: How many of them hold a score filled in by ``missing_score``.
        wins: Number of games won against any candidate; both orders of one pair are one game.
        strength: On Elo's scale, by scores and verdicts together.
        remarks: What its judges said beside their scores.
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
    remarks: tuple[Remark, ...] = ()


class DirectComparisons(Record):
    """Games between the winner and the runner-up, counted from the winner's side."""

    wins: int
    losses: int
    ties: int


class WhatIf(Record):
    """A hypothetical change that would make another candidate win.

    Attributes:
        name: Name of that candidate.
        wins_needed: Number of consecutive games that it would have to win against the winner;
            absent if ``tried`` are not enough, or where nothing is compared.
        score_needed: Points that its overall score lacks, where scores decide.
    """

    artifact_id: str
    name: str
    wins_needed: int | None
    tried: int
    score_needed: float | None


class MissingJudgements(Record):
    """Judgements without a result.

    Attributes:
        reasons: Each reason once, with its number.
        could_change: Whether the worst possible results for the winner would change the winner;
            absent without a winner.
    """

    evaluations: int
    comparisons: int
    reasons: tuple[str, ...]
    could_change: bool | None


class NamedFusion(Record):
    """A ``Fusion`` with names.

    Attributes:
        parent: The best of those that it was made from.
        parents: All of them, the best first when they were combined.
        needed: The probability from which it may win.
    """

    name: str
    parent: str
    parents: tuple[str, ...]
    better: float
    needed: float
    games: int
    lift: float | None
    lift_low: float | None
    lift_high: float | None


class Explanation(Record):
    """Why a document has its winner.

    Attributes:
        method: Method of the ranking.
        reason: The stored reason of the outcome: why this winner, and why comparing ended.
        runner_up: The best of the others.
        missing: Absent if every judgement has a result.
        notes: Further remarks, as sentences.
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
