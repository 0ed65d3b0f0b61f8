"""Votes of people on pairs of anonymous texts, and the results of these votes."""

from datetime import datetime
from typing import Literal

from schemas.record import Record

Choice = Literal["left", "right", "tie", "both_bad", "skip"]

_POINTS: dict[Choice, float] = {"left": 1.0, "right": 0.0, "tie": 0.5, "both_bad": 0.5}


class Vote(Record):
    """A pair of texts shown to a person, with the person's choice.

    Attributes:
        left_id: The artifact that was shown on the left; sides are drawn.
        choice: Choice of the person; absent before the answer. A skipped pair does not count as a
            vote.
        probability: Probability with which this pair was drawn from the ``eligible`` pairs; above
            0.
        eligible: Number of pairs that could have been drawn at that time.
        shown_at: Time when the pair was last shown.
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
        """Return the points of the left text: 1, 0, or 0.5 for a tie; None before the answer."""
        return None if self.choice is None else _POINTS.get(self.choice)

    @property
    def duration_s(self) -> float | None:
        """Return the seconds that the person took to answer; None before the answer."""
        return None if self.voted_at is None else (self.voted_at - self.shown_at).total_seconds()


class Ballot(Record):
    """Two anonymous texts for a person to choose from.

    Attributes:
        document: Path of the document.
        masked: Number of masked passages that could identify an author, by kind.
        votes: Number of votes that the person has given in this run.
        open_pairs: Number of pairs not yet shown to the person, including this pair.
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
        choice: Choice of the person; absent if the vote was undone, in which case the pair is shown
            again.
        votes: Number of votes that the person has given in this run.
    """

    vote_id: str
    choice: Choice | None
    votes: int


class PersonStatistics(Record):
    """The statistics of one person.

    Attributes:
        votes: Number of votes, without skipped pairs.
        left: Number of votes for the left text among the ``decided`` votes.
        same: Number of ``shared`` votes that agree with another person's vote on the same pair; one
            half if only one of the two persons saw no difference.
        reliability: Estimated probability of choosing the better one of two texts of the run; 0.5
            is chance. Estimated from the judges and the other people, pooled between people.
        low: Lower end of the 95 % interval of the reliability.
        high: Upper end of that interval.
        sharpness: Log odds of choosing the better text, per logit of difference in strength.
        seconds: Median duration of a vote.
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
    """The rate at which a judge prefers the same text as people; a tie counts one half.

    Attributes:
        votes: Number of votes on pairs for which the judge has a preference.
        pairs: Number of all pairs of the run for which the judge has a preference; ``agreement``
            refers to these pairs.
        agreement: Rate from 0 to 1; absent, like ``low`` and ``high``, with fewer than two votes.
        low: Lower end of the 95 % interval.
        high: Upper end of that interval.
        method: ``people`` uses only votes; ``prediction`` also uses the judgements of all judges on
            pairs without a vote.
        people_low: Lower end of the agreement's interval, based only on votes.
        people_high: Upper end of that interval.
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
        p_best: Probability that this winner is the best candidate, without votes.
        voted_winner: Name of the winner with votes.
        voted_winner_id: Id of that winner's artifact.
        voted_p_best: Probability that that winner is the best candidate, with votes.
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
        """Return whether the votes change the winner."""
        return self.winner != self.voted_winner


class VotingResult(Record):
    """The results of the votes on a run.

    Attributes:
        votes: Number of votes, without skipped pairs.
        winners: Winners of documents with votes.
    """

    run_id: str
    votes: int
    skipped: int
    people: tuple[PersonStatistics, ...]
    judges: tuple[JudgeAgreement, ...]
    winners: tuple[VotedWinner, ...]
