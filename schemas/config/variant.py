"""Variants: the ways in which candidates are written."""

from typing import Annotated, Literal

from pydantic import Field

from schemas.calls import Effort, Grounding, Reasoning
from schemas.record import Record

JsonMode = bool | Literal["auto"]


class RequiredEvidence(Record):
    """Evidence that an answer must carry; without it the answer is asked for again.

    Attributes:
        grounding: Above ``none`` the model is given its provider's web search.
    """

    grounding: Grounding = "none"
    reasoning: Reasoning = "none"

    @property
    def search(self) -> bool:
        """Return whether the model has to search the web."""
        return self.grounding != "none"


class Variant(Record):
    """One ``runs:`` entry: generator, provider, model and parameters.

    Attributes:
        effort: How much the model is to think; its own choice where absent.
        max_searches: Most searches of one answer, where the provider can be told.
    """

    type: Literal["fpf"]
    provider: str
    model: str
    iterations: Annotated[int, Field(ge=1, le=1000)] = 1
    json_mode: Annotated[JsonMode, Field(alias="json")] = "auto"
    require: RequiredEvidence = RequiredEvidence()
    effort: Effort | None = None
    max_searches: Annotated[int, Field(ge=1, le=100)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None


class Model(Record):
    """A model at a provider."""

    provider: str
    model: str
