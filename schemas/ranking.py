"""Results of ranking: score summaries, ratings, strengths, standings and fusions."""

from typing import Literal

from schemas.record import Record

Confidence = Literal["low", "medium", "high"]


class JudgeScores(Record):
    """The overall scores that one judge gave one artifact.

    Attributes:
        weight: Share of the judge in the artifact's score; above 0.
        overall: The judge's scores, aggregated over iterations.
        singles: The judge's score in each iteration.
    """

    judge: str
    weight: float
    overall: float
    singles: tuple[float, ...]


class ScoreSummary(Record):
    """All evaluations of one artifact, aggregated.

    Attributes:
        overall: Weighted mean over judges of each judge's mean over iterations.
        std_dev: Sample standard deviation of the single overall scores; absent with fewer than two
            scores.
        confidence: ``high`` for a standard deviation below 0.5, ``medium`` up to 1.0, ``low``
            above; absent with fewer than two scores.
        lowest: Lowest single overall score.
        count: Number of evaluations with a result.
        missing: Number of planned evaluations without a result.
        filled: Number of evaluations with a score filled in by ``missing_score``.
        same_scale: Whether the overall score is comparable with the scores of other artifacts;
            false for combined candidates with separate judges or criteria.
        judges: Scores of each judge, sorted by name.
        scale: Distance between the lowest and the highest overall score that the criteria allow.
    """

    artifact_id: str
    overall: float
    criteria: dict[str, float]
    by_judge: dict[str, float]
    std_dev: float | None
    lowest: float
    highest: float
    confidence: Confidence | None
    count: int
    missing: int
    filled: int = 0
    same_scale: bool = True
    judges: tuple[JudgeScores, ...] = ()
    scale: float = 9.0


class Rating(Record):
    """The Elo rating of one artifact.

    Attributes:
        points: Current rating; 1500 by default before the first game.
        history: Rating before the first and after each game; one entry more than games.
    """

    artifact_id: str
    points: float
    games: int
    wins: int
    losses: int
    ties: int
    history: tuple[float, ...]


class Estimate(Record):
    """A strength on Elo's scale, 400 points for odds of ten to one, with its 95 % interval."""

    points: float
    low: float
    high: float


class Standing(Record):
    """The position of one artifact in the final ranking.

    Attributes:
        rank: Position, starting with 1 for the best.
        admitted: Whether the artifact was admitted to comparisons; artifacts that were not admitted
            rank below all others.
        rank_score: The value that determines the rank: about 0 to 10 for ``combined`` and
            ``score``, points for ``elo`` and ``bradley_terry``, a probability from 0 to 1 for
            ``posterior``.
        selected: Whether the artifact is in the top N.
        reason: Reason why the artifact is in the top N or not.
        p_best: Probability that the artifact is the best candidate, given scores and verdicts.
        posterior: Estimated strength, given scores and verdicts.
        bradley_terry: Estimated strength, given verdicts alone; absent for other ranking methods.
    """

    artifact_id: str
    rank: int
    admitted: bool
    rank_score: float | None
    overall: float | None
    elo: float | None
    wins: int
    games: int
    selected: bool
    reason: str
    p_best: float | None = None
    posterior: Estimate | None = None
    bradley_terry: Estimate | None = None


class Fusion(Record):
    """A combined artifact compared with its best parent.

    Attributes:
        better: Probability that the combined artifact is better than its best parent.
        games: Number of games between the two.
        lift: Difference of the overall scores, combined minus parent; absent without scores on the
            same scale.
        lift_low: Lower end of the 95 % interval of the lift; absent if its error is unknown.
        lift_high: Upper end of that interval.
    """

    artifact_id: str
    parent_id: str
    better: float
    games: int
    lift: float | None
    lift_low: float | None = None
    lift_high: float | None = None
