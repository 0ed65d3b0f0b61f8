"""Judges, criteria and comparisons."""

from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from schemas.calls import Effort
from schemas.config.variant import Delivery, JsonMode, RequiredEvidence
from schemas.record import Record


class JudgePrompts(Record):
    """Custom templates for the prompts of a judge, in place of the shipped templates.

    Templates may use ``{{ name }}`` and ``{% if name %}``. The names are ``criteria``, ``context``
    (``instructions``, ``guidelines`` and ``source`` together, which are also separate names), and
    ``artifact_content``, or ``artifact_a`` and ``artifact_b``. Each text is inserted between marker
    lines, and the required answer format is appended to the prompt.

    Attributes:
        score: Template for scores; ``score_file`` reads the template from a file.
        compare: Template for comparisons; ``compare_file`` reads the template from a file.
    """

    score: str | None = None
    compare: str | None = None


class Judge(Record):
    """A model that scores and compares candidates.

    Attributes:
        name: Name of the judge, unique in a run.
        provider: Name of a provider.
        model: The provider's name of the model.
        weight: Weight in a candidate's score; 0 disables the judge.
        iterations: Number of times that the judge scores each candidate.
        max_tokens: Maximum number of tokens of an answer, including thinking; doubled if an answer
            is cut off.
        temperature: Temperature of the model; sent only if set, because many models refuse it.
        system_prompt: Replaces the shipped system prompt.
        prompts: Custom templates for the prompts of the judge.
        json_mode: Overrides the top-level ``json`` for this judge.
        require: Evidence that each answer must contain; an answer without it is discarded and
            requested again.
        effort: How much the model should think; default: the model's own choice.
        max_searches: Maximum number of web searches of one answer, where the provider accepts such
            a limit.
        delivery: ``batch`` sends the first request of each judgement in a batch: half price, and
            the answer may take a day. Comparisons with combined candidates are always ``live``, and
            so are their scores, unless ``playoffs.judges`` sets ``batch``.
    """

    name: str
    provider: str
    model: str
    weight: Annotated[float, Field(ge=0)] = 1.0
    iterations: Annotated[int, Field(ge=1, le=100)] = 3
    max_tokens: Annotated[int, Field(ge=16)] = 4096
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    system_prompt: str | None = None
    prompts: JudgePrompts | None = None
    json_mode: Annotated[JsonMode | None, Field(alias="json")] = None
    require: RequiredEvidence = RequiredEvidence()
    effort: Effort | None = None
    max_searches: Annotated[int, Field(ge=1, le=100)] | None = None
    delivery: Delivery = "live"


class Jsonify(Record):
    """The model that converts a judge's prose into JSON.

    Attributes:
        provider: Name of a provider.
        model: The provider's name of the model; it needs no web search.
        max_tokens: Maximum number of tokens of an answer.
    """

    provider: str
    model: str
    max_tokens: Annotated[int, Field(ge=16)] = 4096


MOST_STEPS = 10_000
"""Maximum number of steps of a scale; judges do not distinguish more."""


def _plain(value: float) -> float:
    """Convert a whole number to ``int``, so that prompts and digests contain no decimal point."""
    return int(value) if value.is_integer() else value


Number = Annotated[float, Field(allow_inf_nan=False), AfterValidator(_plain)]


class Criterion(Record):
    """An aspect of a text that judges score from ``min`` to ``max`` in steps of ``step``.

    Attributes:
        name: Name of the criterion.
        description: Description of the criterion for judges; the default criteria have built-in
            descriptions.
        weight: Weight in a candidate's score; each default criterion has a built-in weight.
        min: Lowest score.
        max: Highest score.
        step: Distance between two scores, such as 0.5.
        prompt_guidance: Additional text for the prompts of judges.
    """

    name: Annotated[str, Field(min_length=1, max_length=64)]
    description: str = ""
    weight: Annotated[float, Field(ge=0)] = 0.2
    min: Number = 1
    max: Number = 10
    step: Annotated[Number, Field(gt=0)] = 1
    prompt_guidance: str = ""

    @model_validator(mode="after")
    def _scale_has_two_ends(self) -> "Criterion":
        if self.steps < 1:
            raise ValueError("max must be at least one step above min")
        if self.steps > MOST_STEPS:
            raise ValueError(f"the scale has more than {MOST_STEPS:,} steps; use a larger step")
        return self

    @property
    def steps(self) -> int:
        """Return the number of steps between the lowest and the highest score."""
        return int((_exact(self.max) - _exact(self.min)) // _exact(self.step))

    @property
    def whole(self) -> bool:
        """Return whether all scores are whole numbers."""
        return isinstance(self.min, int) and isinstance(self.step, int)

    @property
    def scale(self) -> tuple[float, ...]:
        """Return all valid scores in ascending order; whole numbers are ``int``."""
        return _scale(self.min, self.step, self.steps)


@lru_cache(maxsize=256)
def _scale(lowest: float, step: float, steps: int) -> tuple[float, ...]:
    start, distance = _exact(lowest), _exact(step)
    return tuple(_plain(float(start + number * distance)) for number in range(steps + 1))


def _exact(number: float) -> Decimal:
    """Convert the number to its exact decimal value, since ``float`` is inexact."""
    return Decimal(str(number))


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
    """The comparisons of candidates with each other.

    Attributes:
        enabled: Whether candidates are compared.
        strategy: ``adaptive`` compares, in rounds, the pairs that are most informative about the
            best candidate; ``round_robin`` compares every pair; ``swiss`` compares candidates of
            similar rating in rounds; ``top_k`` compares every pair of the best ``top_n`` by score
            (10 if absent); ``auto`` is ``round_robin`` up to 10 candidates, ``swiss`` up to 50, and
            ``top_k`` above.
        position_swap: ``both`` compares each pair in both orders; ``random`` in one order, balanced
            and seeded; ``none`` always shows the earlier candidate first.
        top_n: Number of candidates to compare, the best by score; default: all candidates.
        iterations: Number of times that each judge compares each pair.
        judges: Judges of comparisons, a list like ``judges``; default: the same as for scores.
        stop_confidence: Probability of the best candidate at which ``adaptive`` stops.
        stop_within: ``adaptive`` also stops when, with the probability ``stop_confidence``, no
            other candidate is better by more than this many points of the overall score; not used
            by default.
        max_comparisons: Maximum number of comparisons of ``adaptive`` and ``swiss`` before the
            playoffs, and the same number in the playoffs; never more than one round robin.
        tie_below_confidence: Verdicts with less confidence count as ties.
    """

    enabled: bool = True
    strategy: Strategy = "adaptive"
    position_swap: PositionSwap = "random"
    top_n: Annotated[int, Field(ge=2)] | None = None
    iterations: Annotated[int, Field(ge=1, le=100)] = 1
    judges: tuple[Judge, ...] | None = None
    stop_confidence: Annotated[float, Field(gt=0.5, lt=1)] = 0.9
    stop_within: Annotated[float, Field(gt=0)] | None = None
    max_comparisons: Annotated[int, Field(ge=1)] | None = None
    tie_below_confidence: Annotated[float, Field(gt=0, le=1)] | None = None
