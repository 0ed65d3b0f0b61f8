"""Ratings, the final ranking, and the playoffs."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.config.judging import Criterion, Judge
from schemas.config.variant import Model
from schemas.record import Record


class EloOptions(Record):
    """Parameters of the Elo rating.

    Attributes:
        k: Maximum change of a rating in one game.
        initial: Rating before the first game.
        order: ``chronological`` rates games once, in the order of play; ``shuffled`` takes the mean
            over seeded shuffles and does not depend on the order of the games.
    """

    k: Annotated[float, Field(gt=0)] = 32.0
    initial: float = 1500.0
    order: Literal["chronological", "shuffled"] = "chronological"


class TopN(Record):
    """The candidates that the report lists as the best.

    Attributes:
        count: Number of candidates to list.
        threshold: Minimum rank score of a listed candidate, from 0 to 1.
        min: Minimum number of listed candidates.
        max: Maximum number of listed candidates.
    """

    count: Annotated[int, Field(ge=1)] = 3
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.7
    min: Annotated[int, Field(ge=1)] = 1
    max: Annotated[int, Field(ge=1)] = 5

    @property
    def most(self) -> int:
        """Return the maximum number of listed candidates."""
        return max(min(self.count, self.max), self.min)

    @model_validator(mode="after")
    def _min_is_not_above_max(self) -> "TopN":
        if self.min > self.max:
            raise ValueError("min must not be above max")
        return self


RankingMethod = Literal["posterior", "combined", "elo", "score", "bradley_terry"]
Aggregation = Literal["mean", "median", "trimmed_mean"]


class RankingOptions(Record):
    """The method that ranks candidates by scores and comparisons.

    Attributes:
        method: ``posterior`` ranks by the probability of being the best, given scores and verdicts;
            ``combined`` by 0.6 Elo and 0.4 score; ``auto`` is ``posterior`` if pairs were chosen
            adaptively, else ``combined``.
        aggregation: How several scores of one judge for one candidate are aggregated;
            ``trimmed_mean`` leaves out the highest and the lowest of three or more scores.
        elo: Parameters of the Elo rating.
        top_n: Selection of candidates that the report lists as the best; no list if ``null``.
    """

    method: Literal["auto"] | RankingMethod = "auto"
    aggregation: Aggregation = "mean"
    elo: EloOptions = EloOptions()
    top_n: TopN | None = TopN()


class Playoffs(Record):
    """The combination of the best candidates into new candidates, and the judging of the result.

    Attributes:
        enabled: Whether the best candidates are combined.
        parents: Number of candidates that are combined into one; ``top_n`` combines the candidates
            selected by ``ranking.top_n``, at least two.
        models: Models that combine candidates, as a list of ``provider`` and ``model``; each model
            writes one new candidate. Default: the model of the best candidate.
        instructions: Text that replaces the shipped instructions for combining;
            ``instructions_file`` reads the text from a file.
        min_confidence: A combined candidate can win only if the probability that it is better than
            its best parent is at least this.
        iterations: How often each judge scores a combined candidate.
        judges: Judges of combined candidates, a list like ``judges`` with separate iterations;
            default: the judges of other candidates.
        criteria: Criteria of combined candidates, a list like ``criteria``, or ``criteria_file``;
            default: the criteria of other candidates.
        pairwise: Whether combined candidates are compared with other candidates; ``false`` requires
            the same judges and criteria for both.
    """

    enabled: bool = True
    parents: Literal[2, 3, 4, 5, "top_n"] = 2
    models: tuple[Model, ...] | None = None
    instructions: str | None = None
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    iterations: Annotated[int, Field(ge=1, le=100)] = 2
    judges: tuple[Judge, ...] | None = None
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1)] | None = None
    pairwise: bool = True

    @property
    def same_scale(self) -> bool:
        """Return whether scores of combined candidates are comparable with all other scores."""
        return self.judges is None and self.criteria is None

    @model_validator(mode="after")
    def _something_compares_with_the_parents(self) -> "Playoffs":
        if not self.pairwise and not self.same_scale:
            raise ValueError(
                "pairwise: false needs the judges and criteria of the first round, "
                "else nothing would tell whether a combined candidate is better"
            )
        return self
