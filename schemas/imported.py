"""Results of older programs, as read from their databases and files."""

from datetime import datetime

from schemas.record import Record
from schemas.units import Winner


class ImportedScore(Record):
    """One score; ``criterion`` is ``overall`` if the old table had no criterion."""

    document: str
    judge: str
    trial: int
    criterion: str
    score: float
    reason: str = ""
    at: datetime | None = None


class ImportedVerdict(Record):
    """One verdict on two candidates.

    Attributes:
        a: The candidate that was shown first.
        winner: ``a``, ``b`` or ``tie``; an unknown winner counts as a tie, as in the older program.
        raw: The original row, if it has more values than this record.
    """

    a: str
    b: str
    judge: str
    trial: int
    winner: Winner
    confidence: float | None = None
    reason: str = ""
    raw: str | None = None
    at: datetime | None = None


class ImportedResults(Record):
    """The results of one evaluation of an older program.

    Attributes:
        title: Name for users.
        ratings: Stored Elo ratings, by candidate.
        texts: Known texts, by candidate.
        kept: Original rows that cannot be represented in a run, with the reason.
        rows: Number of rows read, by table.
    """

    title: str
    scores: tuple[ImportedScore, ...] = ()
    verdicts: tuple[ImportedVerdict, ...] = ()
    ratings: dict[str, float] = {}
    texts: dict[str, str] = {}
    kept: tuple[str, ...] = ()
    rows: dict[str, int] = {}


class ImportedRun(Record):
    """The outcome of an import.

    Attributes:
        new: False if the same results were imported before.
        different: Candidates whose recomputed rating differs from the stored rating by more than
            0.01.
    """

    run_id: str
    title: str
    new: bool
    candidates: int
    scores: int
    verdicts: int
    kept: int
    different: tuple[str, ...] = ()
