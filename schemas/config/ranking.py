"""Ratings, the final ranking, and the playoffs."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.config.judging import Criterion, Judge
from schemas.config.variant import Model
from schemas.record import Record


class EloOptions(Record):
    """Parameters of the Elo rating.

    Attributes:
        order: ``chronological`` rates the games once, as they were played; ``shuffled`` is the
            mean over seeded shuffles, which no order of the games changes.
    """

    k: Annotated[float, Field(gt=0)] = 32.0
    initial: float = 1500.0
    order: Literal["chronological", "shuffled"] = "chronological"


class TopN(Record):
    """Which candidates count as the best ones.

    Attributes:
        threshold: Lowest rank score that is good enough, on a scale from 0 to 1.
    """

    count: Annotated[int, Field(ge=1)] = 3
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.7
    min: Annotated[int, Field(ge=1)] = 1
    max: Annotated[int, Field(ge=1)] = 5

    @model_validator(mode="after")
    def _min_is_not_above_max(self) -> "TopN":
        if self.min > self.max:
            raise ValueError("min must not be above max")
        return self


RankingMethod = Literal["posterior", "combined", "elo", "score", "bradley_terry"]
Aggregation = Literal["mean", "median", "trimmed_mean"]


class RankingOptions(Record):
    """How scores and comparisons become one order.

    Attributes:
        method: ``auto`` is ``posterior`` where pairs were chosen adaptively, else ``combined``.
        aggregation: How the scores that one judge gave a candidate become one;
            ``trimmed_mean`` leaves out the highest and the lowest where there are three or more.
    """

    method: Literal["auto"] | RankingMethod = "auto"
    aggregation: Aggregation = "mean"
    elo: EloOptions = EloOptions()
    top_n: TopN = TopN()


class Playoffs(Record):
    """Whether the best candidates are combined into new ones, and how those are judged.

    Attributes:
        models: Models that combine, one new candidate each; the model of the best candidate
            where absent.
        min_confidence: A combined candidate wins only if the probability that it is better than
            its best parent is at least this.
        iterations: How often each judge of the first round scores a combined candidate.
        judges: Judges of combined candidates, each with iterations of its own; those of the first
            round where absent.
        criteria: What combined candidates are scored by; as the others where absent.
        pairwise: Whether combined candidates are compared with the others.
    """

    enabled: bool = True
    models: tuple[Model, ...] | None = None
    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    iterations: Annotated[int, Field(ge=1, le=100)] = 2
    judges: tuple[Judge, ...] | None = None
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1)] | None = None
    pairwise: bool = True

    @property
    def same_scale(self) -> bool:
        """Return whether scores of combined candidates mean what those of the others mean."""
        return self.judges is None and self.criteria is None

    @model_validator(mode="after")
    def _something_compares_with_the_parents(self) -> "Playoffs":
        if not self.pairwise and not self.same_scale:
            raise ValueError(
                "pairwise: false needs the judges and criteria of the first round, "
                "else nothing would tell whether a combined candidate is better"
            )
        return self
