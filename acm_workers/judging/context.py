"""What judges know of a document beside the candidates."""

from typing import Any

from acm_workers.providers.catalog.capabilities import Capabilities
from schemas.config.judging import Criterion, Jsonify
from schemas.config.variant import JsonMode
from schemas.record import Record

_SOURCE_LIMIT = 24_000
"""Characters of the source that judges see."""


class Context(Record):
    """The task that the candidates of one document answer, and how to judge them.

    Attributes:
        json_mode: Whether a schema is sent; see ``providers.forms``.
        able: What the judge's model can do.
        jsonify: The model that puts prose into JSON, where the judge's cannot do both.
        jsonify_able: What that model can do.
        attempts: Highest number of whole answers that are read for one verdict.
        missing_score: Stands in for scores that no answer gives; without it they are an error.
    """

    instructions: str
    guidelines: str | None = None
    source: str
    criteria: tuple[Criterion, ...]
    json_mode: JsonMode = "auto"
    able: Capabilities = Capabilities()
    jsonify: Jsonify | None = None
    jsonify_able: Capabilities = Capabilities()
    attempts: int = 4
    missing_score: float | None = None

    def material(self) -> dict[str, Any]:
        """Return the values that all judge prompts share."""
        return {
            "criteria": self.criteria,
            "instructions": self.instructions,
            "guidelines": self.guidelines,
            "source": excerpt(self.source),
            "cut": len(self.source) > _SOURCE_LIMIT,
        }

    def texts(self, *candidates: str) -> tuple[str, ...]:
        """Return every text that a judge of ``candidates`` is given."""
        return (*candidates, self.source, self.instructions, self.guidelines or "")


def excerpt(source: str) -> str:
    """Return the beginning of the source, with a mark where it is cut."""
    left_out = len(source) - _SOURCE_LIMIT
    if left_out <= 0:
        return source
    return f"{source[:_SOURCE_LIMIT]}\n[… {left_out} characters left out …]"
