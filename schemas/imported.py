"""Results of older programs, as they are read from their databases and files."""

from datetime import datetime

from schemas.record import Record
from schemas.units import Winner


class ImportedScore(Record):
    """One score; ``criterion`` is ``overall`` where the old table had none."""

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
        a: The one that was shown first.
        winner: ``a``, ``b`` or ``tie``; an unknown winner counts as a tie, as it did.
        raw: The row as it was, where that is more than this record has.
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
        ratings: Elo ratings that were stored, by candidate.
        texts: Texts by candidate, where they are known.
        kept: Rows that have no place in a run, as they were, with the reason.
        rows: How many rows were read, by table.
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
        different: Candidates whose recomputed rating is not the stored one, by more than 0.01.
    """

    run_id: str
    title: str
    new: bool
    candidates: int
    scores: int
    verdicts: int
    kept: int
    different: tuple[str, ...] = ()
