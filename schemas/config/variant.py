"""Variants: the ways in which candidates are written."""

from typing import Annotated, Any, Literal

from pydantic import Field

from schemas import lanes
from schemas.calls import Effort, Grounding, Reasoning
from schemas.config.research import Research
from schemas.record import Record

Delivery = Literal["live", "batch"]
JsonMode = bool | Literal["auto"]


class RequiredEvidence(Record):
    """Evidence that an answer must carry; without it the answer is requested again.

    Attributes:
        grounding: Evidence of web search that the provider reports: ``searched``; ``sourced`` if it
            found pages; ``cited`` if the text cites them. Above ``none`` the model may search.
        reasoning: Evidence of thinking: ``tokens``, or a ``summary`` as well.
    """

    grounding: Grounding = "none"
    reasoning: Reasoning = "none"

    @property
    def search(self) -> bool:
        """Return whether the model has to search the web."""
        return self.grounding != "none"


class Variant(Record):
    """One ``runs`` entry: generator, provider, model and parameters.

    Attributes:
        type: Generator: ``fpf`` sends instructions and document to one model; ``gptr`` is GPT
            Researcher's report, ``dr`` its deep one, ``ma`` that of its agents; ``files`` takes
            existing texts.
        engine: With ``fpf``, ``external`` has a checkout of FilePromptForge write the texts, see
            the section ``fpf``; ``provider`` and ``model`` are then by its names.
        folder: With ``files``, the folder of the texts, laid out like the input folder. Those of
            ``a/intro.md`` are ``a/intro.md``, ``a/intro.ANYTHING.md`` and all files in ``a/intro``.
        provider: Name of a provider; with ``files`` it may be left out.
        model: The provider's name of the model; with ``files`` the author's, or the folder's.
        prompt: Name of its instructions, if ``instructions_file`` of the config is a list.
        instructions: What to write, instead of the instructions of the run; a text, or
            ``instructions_file`` reads it from a file. Judges see those of the run.
        iterations: Candidates per document.
        json_mode: ``true`` has the candidates written as JSON, which needs ``schema``.
        json_schema: JSON Schema of the candidates, or the path of its file. It may have ``type``,
            ``properties`` (all ``required``), ``additionalProperties: false``, ``enum``,
            ``items`` and ``description``.
        require: Evidence that each answer must carry.
        effort: How much the model should think; the model's own choice if absent.
        max_searches: Maximum number of web searches of one answer, where the provider accepts such
            a limit.
        max_tokens: Maximum number of tokens of an answer; doubled once if an answer is cut off.
        temperature: Sent only if set; many models refuse it.
        delivery: ``batch`` sends the first request of each candidate in a batch: half price, and
            the answer may take a day. What follows from an answer is sent ``live``.
        research: How GPT Researcher works; absent for ``fpf``.
    """

    type: Literal["fpf", "gptr", "dr", "ma", "files"]
    engine: Literal["builtin", "external"] = "builtin"
    folder: str | None = None
    provider: str
    model: str
    prompt: Annotated[str, Field(max_length=100)] | None = None
    instructions: Annotated[str, Field(min_length=1)] | None = None
    iterations: Annotated[int, Field(ge=1, le=1000)] = 1
    json_mode: Annotated[JsonMode, Field(alias="json")] = "auto"
    json_schema: Annotated[dict[str, Any] | None, Field(alias="schema")] = None
    require: RequiredEvidence = RequiredEvidence()
    effort: Effort | None = None
    max_searches: Annotated[int, Field(ge=1, le=100)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    delivery: Delivery = "live"
    research: Research | None = None

    @property
    def child_kind(self) -> lanes.ChildKind | None:
        """Return the kind of child process that writes its candidates; None for ACM's own calls."""
        if self.type == "fpf":
            return "fpf" if self.engine == "external" else None
        return None if self.type == "files" else self.type

    @property
    def calls_provider(self) -> bool:
        """Return whether its texts are written by calls to a provider of the config."""
        return self.writes and self.engine == "builtin"

    @property
    def lane(self) -> str:
        """Return the lane that its candidates are written in."""
        if self.child_kind is not None:
            return lanes.child(self.child_kind)
        return lanes.generate(self.provider)

    @property
    def writes(self) -> bool:
        """Return whether its texts are written by the run, not there already."""
        return self.type != "files"


class Model(Record):
    """A model at a provider.

    Attributes:
        provider: Name of a provider.
        model: The provider's name of the model.
    """

    provider: str
    model: str
