"""Differences between a run and a later run that judges its candidates again."""

from schemas.record import Record
from schemas.run import RunResult


class CandidateResult(Record):
    """The results of one candidate from one set of judges; unknown values are absent.

    Attributes:
        overall: Overall score.
        criteria: Score by criterion.
        points: Number of games won out of ``games``; a tie counts one half.
        p_best: Probability that the candidate is the best.
    """

    rank: int | None = None
    overall: float | None = None
    criteria: dict[str, float] = {}
    points: float = 0.0
    games: int = 0
    p_best: float | None = None


class CandidateChange(Record):
    """The results of one candidate from the earlier and from the new judges.

    Attributes:
        artifact_id: Id of the artifact in the new run.
        name: Display name, as in reports: generator, number and model.
    """

    artifact_id: str
    name: str
    old: CandidateResult
    new: CandidateResult


class DocumentChange(Record):
    """The rankings of one document from the earlier and from the new judges.

    Attributes:
        old_winner: Name of the winner in the earlier run; absent if there was none.
        winner_changed: Whether the winners differ; absent if one of the two runs has no winner.
        moves: Changes of all candidates, sorted by new rank.
        why: Explanation of the change, as sentences for users.
    """

    path: str
    old_winner: str | None
    new_winner: str | None
    winner_changed: bool | None
    moves: tuple[CandidateChange, ...]
    why: tuple[str, ...]


class RejudgedResult(RunResult):
    """The result of a run that judged the candidates of another run again."""

    rejudged_from: str
    changes: tuple[DocumentChange, ...]
