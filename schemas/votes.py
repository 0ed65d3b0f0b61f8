"""Votes: what people say of two texts whose authors they do not see, and what follows from it."""

from datetime import datetime
from typing import Literal

from schemas.record import Record

Choice = Literal["left", "right", "tie", "both_bad", "skip"]

_POINTS: dict[Choice, float] = {"left": 1.0, "right": 0.0, "tie": 0.5, "both_bad": 0.5}


class Vote(Record):
    """One pair that one person was shown, and what the person said.

    Attributes:
        left_id: The artifact that was shown on the left; sides are drawn.
        choice: Absent as long as nothing was said. A skipped pair counts for nothing.
        probability: With which this pair was chosen among the ``eligible`` ones; above 0.
        eligible: Pairs that could have been chosen when it was.
        shown_at: When it was shown last.
    """

    id: str
    run_id: str
    document_id: str
    left_id: str
    right_id: str
    voter: str
    choice: Choice | None = None
    probability: float
    eligible: int
    shown_at: datetime
    voted_at: datetime | None = None

    @property
    def pair(self) -> frozenset[str]:
        """Return both artifacts."""
        return frozenset((self.left_id, self.right_id))

    @property
    def points(self) -> float | None:
        """Return the points of the left text: 1, 0, or a half if none is better; None if open."""
        return None if self.choice is None else _POINTS.get(self.choice)

    @property
    def duration_s(self) -> float | None:
        """Return how long the person took; None as long as nothing was said."""
        return None if self.voted_at is None else (self.voted_at - self.shown_at).total_seconds()


class Ballot(Record):
    """Two texts for a person to choose from, without any hint at their writers.

    Attributes:
        document: Path of the document.
        masked: Number of passages that could name an author and are masked, by kind.
        votes: How many votes the person has given in this run.
        open_pairs: Pairs that the person has not been shown yet, this one included.
    """

    vote_id: str
    run_id: str
    document: str
    instructions: str
    source: str
    left: str
    right: str
    masked: dict[str, int]
    votes: int
    open_pairs: int


class CastVote(Record):
    """The outcome of a vote.

    Attributes:
        choice: Absent if it was undone; the pair is shown again.
        votes: How many votes the person has given in this run.
    """

    vote_id: str
    choice: Choice | None
    votes: int


class PersonFigures(Record):
    """The statistics of one person.

    Attributes:
        votes: Skipped pairs left out.
        left: Votes for the text on the left, of the ``decided`` ones.
        same: Votes as another person's on the same pair, of ``shared``; a half where one of them
            saw no difference.
        reliability: Estimated probability of choosing the better one of two texts of the run; 0.5
            is chance. Estimated from the judges and the other people, pooled between people.
        low: Lower end of its 95 % interval.
        high: Upper end.
        sharpness: Log odds of choosing the better text, for each logit that it is better.
        seconds: Median time of a vote.
    """

    name: str
    votes: int
    ties: int
    both_bad: int
    skipped: int
    left: int
    decided: int
    same: float
    shared: int
    reliability: float
    low: float
    high: float
    sharpness: float
    seconds: float | None


class JudgeAgreement(Record):
    """The rate at which a judge prefers the text that people prefer; a tie counts half.

    Attributes:
        votes: Votes on pairs that the judge has a preference in.
        pairs: All pairs of the run that it has one in; the figure is about them.
        agreement: From 0 to 1; absent below two votes, as ``low`` and ``high``.
        low: Lower end of the 95 % interval.
        high: Upper end.
        method: ``people`` from votes alone; ``prediction`` also from what all judges say of the
            pairs without a vote.
        people_low: Lower end of the interval from votes alone.
        people_high: Upper end.
    """

    judge: str
    votes: int
    pairs: int
    agreement: float | None = None
    low: float | None = None
    high: float | None = None
    method: Literal["people", "prediction"] = "people"
    people_low: float | None = None
    people_high: float | None = None


class VotedWinner(Record):
    """The winner of a document with and without votes.

    Attributes:
        winner: Name of the winner without votes; absent if there is none.
        p_best: Probability that it is the best one, without votes.
        voted_winner: Name of the winner with votes.
        voted_winner_id: Its artifact.
        voted_p_best: Probability that it is the best one, with votes.
    """

    document: str
    document_id: str
    votes: int
    winner: str | None
    p_best: float | None
    voted_winner: str | None
    voted_winner_id: str | None
    voted_p_best: float | None

    @property
    def changed(self) -> bool:
        """Return whether another candidate wins with votes."""
        return self.winner != self.voted_winner


class VotingResult(Record):
    """The results of the votes on a run.

    Attributes:
        votes: Skipped pairs left out.
        winners: Winners of documents with votes.
    """

    run_id: str
    votes: int
    skipped: int
    people: tuple[PersonFigures, ...]
    judges: tuple[JudgeAgreement, ...]
    winners: tuple[VotedWinner, ...]
