"""Judges, criteria and comparisons."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.calls import Effort
from schemas.config.variant import JsonMode, RequiredEvidence
from schemas.record import Record


class Judge(Record):
    """A model that scores and compares candidates.

    Attributes:
        name: Unique in a run; ``provider:model`` where the config gives none.
        weight: Share in the aggregate; 0 switches the judge off.
        iterations: How often it scores each candidate.
        max_tokens: Answer budget, thinking included; doubled when an answer is cut off.
        temperature: Sent only where given, for many models refuse it.
        system_prompt: Replaces the shipped one.
        json_mode: As the config's ``json`` where absent.
        effort: How much the judge is to think; its own choice where absent.
        max_searches: Most searches of one answer, where the provider can be told.
    """

    name: str
    provider: str
    model: str
    weight: Annotated[float, Field(ge=0)] = 1.0
    iterations: Annotated[int, Field(ge=1, le=100)] = 3
    max_tokens: Annotated[int, Field(ge=16)] = 4096
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    system_prompt: str | None = None
    json_mode: Annotated[JsonMode | None, Field(alias="json")] = None
    require: RequiredEvidence = RequiredEvidence()
    effort: Effort | None = None
    max_searches: Annotated[int, Field(ge=1, le=100)] | None = None


class Jsonify(Record):
    """The model that puts a judge's prose into JSON, where the judge cannot do both at once."""

    provider: str
    model: str
    max_tokens: Annotated[int, Field(ge=16)] = 4096


class Criterion(Record):
    """One thing a judge scores, from ``min`` to ``max`` in steps of ``step``."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    description: str = ""
    weight: Annotated[float, Field(ge=0)] = 0.2
    min: int = 1
    max: int = 10
    step: Annotated[int, Field(ge=1)] = 1
    prompt_guidance: str = ""

    @model_validator(mode="after")
    def _scale_has_two_ends(self) -> "Criterion":
        if self.min + self.step > self.max:
            raise ValueError("max must be at least one step above min")
        return self

    @property
    def scale(self) -> list[int]:
        """Return every score that may be given, ascending."""
        return list(range(self.min, self.max + 1, self.step))


DEFAULT_CRITERIA = (
    Criterion(name="accuracy", weight=0.30, description="Facts are right; nothing is invented"),
    Criterion(name="completeness", weight=0.25, description="Covers everything that was asked for"),
    Criterion(name="clarity", weight=0.20, description="Well written and easy to understand"),
    Criterion(name="relevance", weight=0.15, description="Stays on the subject"),
    Criterion(name="formatting", weight=0.10, description="Sound structure, headings and lists"),
)

Strategy = Literal["adaptive", "auto", "round_robin", "swiss", "top_k"]
PositionSwap = Literal["both", "random", "none"]


class Pairwise(Record):
    """How candidates are compared with each other.

    Attributes:
        strategy: ``adaptive`` asks in rounds what most changes the belief about who is best;
            ``round_robin`` asks every pair, ``swiss`` pairs of equals in rounds, ``top_k`` every
            pair of the best ``top_n`` by score (10 where absent); ``auto`` is ``round_robin`` up
            to 10 candidates, ``swiss`` up to 50, else ``top_k``.
        position_swap: ``both`` asks for each order, ``random`` for one, balanced and seeded,
            ``none`` always shows the earlier candidate first.
        top_n: Compare only this many candidates, the best by score; all if absent.
        iterations: How often each judge compares each pair.
        judges: Judges of the comparisons; those that score where absent.
        stop_confidence: Adaptive asks no more once the best candidate is the best one with this
            probability.
        max_comparisons: The most that adaptive and swiss ask before the playoffs, and again in
            them; never more than a round robin has.
        tie_below_confidence: Verdicts with less confidence count as ties; as given where absent.
    """

    enabled: bool = True
    strategy: Strategy = "adaptive"
    position_swap: PositionSwap = "random"
    top_n: Annotated[int, Field(ge=2)] | None = None
    iterations: Annotated[int, Field(ge=1, le=100)] = 1
    judges: tuple[Judge, ...] | None = None
    stop_confidence: Annotated[float, Field(gt=0.5, lt=1)] = 0.9
    max_comparisons: Annotated[int, Field(ge=1)] | None = None
    tie_below_confidence: Annotated[float, Field(gt=0, le=1)] | None = None
