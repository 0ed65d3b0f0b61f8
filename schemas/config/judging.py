"""Judges, criteria and comparisons."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from schemas.calls import Effort
from schemas.config.variant import Delivery, JsonMode, RequiredEvidence
from schemas.record import Record


class JudgePrompts(Record):
    """Own templates for what a judge is asked, in place of the shipped ones.

    They know ``{{ name }}`` and ``{% if name %}``. Values are ``criteria``, ``context`` (all of
    ``instructions``, ``guidelines`` and ``source``, which are values as well), and
    ``artifact_content``, or ``artifact_a`` and ``artifact_b``. Each text comes between marker
    lines; how to answer is added.

    Attributes:
        score: For scores; ``score_file`` reads it from a file.
        compare: For comparisons; ``compare_file`` reads it from a file.
    """

    score: str | None = None
    compare: str | None = None


class Judge(Record):
    """A model that scores and compares candidates.

    Attributes:
        name: Name of the judge, unique in a run.
        provider: Name of a provider.
        model: The provider's name of the model.
        weight: Share in a candidate's score; 0 switches the judge off.
        iterations: How often it scores each candidate.
        max_tokens: Maximum number of tokens of an answer, thinking included; doubled if an answer
            is cut off.
        temperature: Sent only if set; many models refuse it.
        system_prompt: Replaces the shipped system prompt.
        prompts: Own templates for what it is asked.
        json_mode: Overrides the top-level ``json`` for this judge.
        require: Evidence that each answer must carry; an answer without it is discarded and
            requested again.
        effort: How much the model should think; the model's own choice if absent.
        max_searches: Maximum number of web searches of one answer, where the provider accepts such
            a limit.
        delivery: ``batch`` sends the first request of each judgement in a batch: half price, and
            the answer may take a day. Comparisons with combined candidates are always ``live``, and
            so are scores of these, unless ``playoffs.judges`` says ``batch``.
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
"""Steps of one scale; no judge tells more of them apart."""


def _plain(value: float) -> float:
    """Return a whole number as an ``int``, so that prompts and digests write it without a point."""
    return int(value) if value.is_integer() else value


Number = Annotated[float, Field(allow_inf_nan=False), AfterValidator(_plain)]


class Criterion(Record):
    """One aspect that judges score, from ``min`` to ``max`` in steps of ``step``.

    Attributes:
        name: Name of the criterion.
        description: Its meaning for judges; the default criteria have one.
        weight: Share in a candidate's score; each default criterion has its own.
        min: Lowest score.
        max: Highest score.
        step: Distance between two scores, such as 0.5.
        prompt_guidance: Further text for the judges' prompt.
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
        """Return how many steps lie between the lowest score and the highest."""
        return int((_exact(self.max) - _exact(self.min)) // _exact(self.step))

    @property
    def whole(self) -> bool:
        """Return whether all scores are whole numbers."""
        return isinstance(self.min, int) and isinstance(self.step, int)

    @property
    def scale(self) -> list[float]:
        """Return every score that may be given, ascending; whole numbers are ``int``."""
        start, step = _exact(self.min), _exact(self.step)
        return [_plain(float(start + number * step)) for number in range(self.steps + 1)]


def _exact(number: float) -> Decimal:
    """Return the number as it is written: in binary, ten times 0.1 is not 1."""
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
        strategy: ``adaptive`` asks, in rounds, the pairs that most change the belief about who is
            best; ``round_robin`` every pair; ``swiss`` pairs of equals in rounds; ``top_k`` every
            pair of the best ``top_n`` by score (10 if absent); ``auto`` is ``round_robin`` up to 10
            candidates, ``swiss`` up to 50, else ``top_k``.
        position_swap: ``both`` asks each pair in both orders; ``random`` in one, balanced and
            seeded; ``none`` always shows the earlier candidate first.
        top_n: Compare only this many candidates, the best by score; all if absent.
        iterations: How often each judge compares each pair.
        judges: Judges of comparisons, a list like ``judges``; the same as for scores if absent.
        stop_confidence: Probability of the best candidate at which ``adaptive`` stops.
        stop_within: ``adaptive`` also stops once no other candidate is better by more than this, in
            points of the overall score, with that probability; never if absent.
        max_comparisons: Maximum number of comparisons of ``adaptive`` and ``swiss`` before the
            playoffs, and again in them; never more than one round robin.
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
