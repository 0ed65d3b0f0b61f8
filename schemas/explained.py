"""Explanations of a winner, and of changes that would make another candidate win."""

from schemas.ranking import Estimate
from schemas.record import Record
from schemas.units import Remark


class ExplainedCandidate(Record):
    """A candidate with all measures that determine the winner.

    Attributes:
        name: Display name, as in reports: generator, number and model.
        by_judge: Overall score by judge.
        scores: Number of evaluations in the score.
        filled: Number of evaluations with a score filled in by ``missing_score``.
        wins: Number of games won against any candidate; both orders of one pair are one game.
        strength: Strength on Elo's scale, estimated from scores and verdicts.
        remarks: Remarks of the judges in addition to their scores.
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


class HypotheticalChange(Record):
    """A hypothetical change that would make another candidate win.

    Attributes:
        name: Name of the other candidate.
        wins_needed: Number of consecutive games that the candidate would have to win against the
            winner; absent if ``tried`` games are not enough, or without comparisons.
        score_needed: Points that its overall score lacks; absent unless scores determine the
            winner.
    """

    artifact_id: str
    name: str
    wins_needed: int | None
    tried: int
    score_needed: float | None


class MissingJudgements(Record):
    """Judgements without a result.

    Attributes:
        reasons: Number of judgements by reason.
        could_change: Whether the worst possible results for the winner would change the winner;
            absent without a winner.
    """

    evaluations: int
    comparisons: int
    reasons: tuple[str, ...]
    could_change: bool | None


class NamedFusion(Record):
    """A ``Fusion`` with the names of its candidates.

    Attributes:
        parent: Name of the best parent.
        parents: Names of all parents, ordered from best to worst at the time of combining.
        needed: Minimum probability with which the combined candidate may win.
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
    """The explanation of why the winner of a document won.

    Attributes:
        method: Method of the ranking.
        reason: The stored reason for the winner and for the end of comparisons.
        runner_up: The best candidate except the winner.
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
    winner: ExplainedCandidate | None
    runner_up: ExplainedCandidate | None
    direct: DirectComparisons
    what_if: tuple[HypotheticalChange, ...]
    missing: MissingJudgements | None
    fusions: tuple[NamedFusion, ...]
    notes: tuple[str, ...]
