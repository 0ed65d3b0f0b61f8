"""Differences between a run and a later run that judges its candidates again."""

from schemas.record import Record
from schemas.run import RunResult


class CandidateResult(Record):
    """The results of one candidate by one set of judges; absent if unknown.

    Attributes:
        overall: Its overall score.
        criteria: Its score by criterion.
        points: Number of games won out of ``games``; a tie counts one half.
        p_best: Probability that it is the best one.
    """

    rank: int | None = None
    overall: float | None = None
    criteria: dict[str, float] = {}
    points: float = 0.0
    games: int = 0
    p_best: float | None = None


class CandidateChange(Record):
    """The results of one candidate by the earlier judges and by the new ones.

    Attributes:
        artifact_id: In the new run.
        name: For people, as in reports: generator, number and model.
    """

    artifact_id: str
    name: str
    old: CandidateResult
    new: CandidateResult


class DocumentChange(Record):
    """The rankings of one document by the earlier judges and by the new ones.

    Attributes:
        old_winner: Name of the winner in the earlier run; absent if there was none.
        winner_changed: Absent if one of the two runs has no winner.
        moves: By new rank.
        why: Sentences for users.
    """

    path: str
    old_winner: str | None
    new_winner: str | None
    winner_changed: bool | None
    moves: tuple[CandidateChange, ...]
    why: tuple[str, ...]


class RejudgedResult(RunResult):
    """The result of a run that judged the candidates of another one again."""

    rejudged_from: str
    changes: tuple[DocumentChange, ...]
