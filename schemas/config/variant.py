"""Variants: generators with models and parameters that write candidates."""

from typing import Annotated, Any, Literal

from pydantic import Field

from schemas import lanes
from schemas.calls import Effort, Grounding, Reasoning
from schemas.config.research import Research
from schemas.record import Record

Delivery = Literal["live", "batch"]
JsonMode = bool | Literal["auto"]


class RequiredEvidence(Record):
    """Evidence that an answer must contain; without it the answer is requested again.

    Attributes:
        grounding: Evidence of web search that the provider reports: ``searched``; ``sourced`` if it
            found pages; ``cited`` if the text cites them. With any value but ``none`` the model may
            search.
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
            Researcher's report, ``dr`` its deep research, ``ma`` its multi-agent report; ``files``
            uses existing texts.
        engine: With ``fpf``, ``external`` writes the texts with a checkout of FilePromptForge (see
            the section ``fpf``); ``provider`` and ``model`` are then the names that FilePromptForge
            uses.
        folder: With ``files``, the folder of the texts, laid out like the input folder. The texts
            of ``a/intro.md`` are ``a/intro.md``, ``a/intro.ANYTHING.md`` and all files in
            ``a/intro``.
        provider: Name of a provider; optional with ``files``.
        model: The provider's name of the model; with ``files`` the name of the author or folder.
        prompt: Name of the entry's instructions, if ``instructions_file`` of the config is a list.
        instructions: Instructions that replace the instructions of the run; ``instructions_file``
            reads them from a file. Judges see the instructions of the run.
        iterations: Number of candidates per document.
        json_mode: Whether candidates are written as JSON; requires ``schema``.
        json_schema: JSON Schema of the candidates, or the path of its file. It may have ``type``,
            ``properties`` (all ``required``), ``additionalProperties: false``, ``enum``, ``items``
            and ``description``.
        require: Evidence that each answer must contain.
        effort: How much the model should think; default: the model's own choice.
        max_searches: Maximum number of web searches of one answer, where the provider accepts such
            a limit.
        max_tokens: Maximum number of tokens of an answer; doubled once if an answer is cut off.
        temperature: Temperature of the model; sent only if set, because many models refuse it.
        delivery: ``batch`` sends the first request of each candidate in a batch: half price, and
            the answer may take a day. Requests that follow an answer are sent ``live``.
        research: Options of GPT Researcher; absent for ``fpf``.
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
        """Return the kind of child process that writes the candidates; None without one."""
        if self.type == "fpf":
            return "fpf" if self.engine == "external" else None
        return None if self.type == "files" else self.type

    @property
    def calls_provider(self) -> bool:
        """Return whether the texts are written by calls to a provider of the config."""
        return self.writes and self.engine == "builtin"

    @property
    def lane(self) -> str:
        """Return the lane of the units that write the candidates."""
        if self.child_kind is not None:
            return lanes.child(self.child_kind)
        return lanes.generate(self.provider)

    @property
    def writes(self) -> bool:
        """Return whether the run writes the texts; false for existing texts."""
        return self.type != "files"


class Model(Record):
    """A model at a provider.

    Attributes:
        provider: Name of a provider.
        model: The provider's name of the model.
    """

    provider: str
    model: str
