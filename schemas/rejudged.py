"""What judging the candidates of a run again has changed."""

from schemas.record import Record
from schemas.run import RunResult


class CandidateResult(Record):
    """How one candidate did by one set of judges; absent where nothing is known.

    Attributes:
        overall: Its score.
        criteria: Its score by criterion.
        points: Won comparisons, a tie counting one half, of ``games``.
        p_best: Probability that it is the best one.
    """

    rank: int | None = None
    overall: float | None = None
    criteria: dict[str, float] = {}
    points: float = 0.0
    games: int = 0
    p_best: float | None = None


class CandidateChange(Record):
    """One candidate by the earlier judges and by the new ones.

    Attributes:
        artifact_id: In the new run.
        name: For people, as in reports: generator, number and model.
    """

    artifact_id: str
    name: str
    old: CandidateResult
    new: CandidateResult


class DocumentChange(Record):
    """One document ranked by the earlier judges and by the new ones.

    Attributes:
        old_winner: Name of the winner in the earlier run; absent if there was none.
        winner_changed: Absent where one of the two runs has no winner.
        moves: By new rank.
        why: Sentences for people.
    """

    path: str
    old_winner: str | None
    new_winner: str | None
    winner_changed: bool | None
    moves: tuple[CandidateChange, ...]
    why: tuple[str, ...]


class RejudgedResult(RunResult):
    """What became of a run that judged the candidates of another one again."""

    rejudged_from: str
    changes: tuple[DocumentChange, ...]
