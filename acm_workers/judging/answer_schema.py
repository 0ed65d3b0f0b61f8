"""JSON schemas of judges' answers.

They use only keywords that every provider's strict mode accepts: ``type``, ``properties``,
``required`` (all), ``additionalProperties: false``, ``enum`` and ``description``. The same criteria
always give the same bytes, because providers cache compiled schemas.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Any

from schemas.config.judging import Criterion

REMARKS = ("summary", "confidence")
"""Keys of a judge's remarks on all of its scores; an answer may omit them."""


def slug(name: str) -> str:
    """Return a name as a JSON key: ``[a-z][a-z0-9_]*``, or "criterion" if nothing remains."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    if not words:
        return "criterion"
    return words if words[0].isalpha() else f"criterion_{words}"


@lru_cache(maxsize=64)
def by_slug(criteria: tuple[Criterion, ...]) -> dict[str, Criterion]:
    """Return the criteria in their order, each under a unique key.

    The result is shared by all judge calls of a run and must not be changed.
    """
    keyed: dict[str, Criterion] = {}
    for criterion in criteria:
        key, number = slug(criterion.name), 1
        while key in keyed or key in REMARKS:
            number += 1
            key = f"{slug(criterion.name)}_{number}"
        keyed[key] = criterion
    return keyed


@lru_cache(maxsize=64)
def scores(criteria: tuple[Criterion, ...]) -> dict[str, Any]:
    """Return the schema of an answer with a reason and a score for each criterion, and remarks."""
    keyed = by_slug(criteria).items()
    cells = {key: _score(criterion, list(criterion.scale)) for key, criterion in keyed}
    return _object(cells | _remarks("0 to 1"))


@lru_cache(maxsize=64)
def copied_scores(criteria: tuple[Criterion, ...]) -> dict[str, Any]:
    """Return the schema of scores copied from a text in which some scores may be missing."""
    keyed = by_slug(criteria).items()
    return _object(
        {
            key: _score(criterion, [not_given(criterion), *criterion.scale])
            for key, criterion in keyed
        }
        | _remarks("0 to 1, or -1")
    )


def _remarks(confidence: str) -> dict[str, Any]:
    return {
        "summary": {"type": "string"},
        "confidence": {"type": "number", "description": confidence},
    }


def not_given(criterion: Criterion) -> float:
    """Return the value that marks a score as missing from the copied text.

    Strict schemas require every score; without such a value a model would have to invent missing
    scores.
    """
    return criterion.min - 1


def verdict() -> dict[str, Any]:
    """Return the schema of a verdict on two candidates."""
    return _verdict(["A", "B", "tie"], "0 to 1")


def copied_verdict() -> dict[str, Any]:
    """Return the schema of a verdict copied from a text that may contain no verdict."""
    return _verdict(["A", "B", "tie", "none"], "0 to 1, or -1")


def _verdict(winners: list[str], confidence: str) -> dict[str, Any]:
    return _object(
        {
            "reasoning": {"type": "string"},
            "winner": {"type": "string", "enum": winners},
            "confidence": {"type": "number", "description": confidence},
        }
    )


def _score(criterion: Criterion, scale: list[float]) -> dict[str, Any]:
    kind = "integer" if criterion.whole else "number"
    # The reason comes first, so that it guides the score.
    shape = _object({"reason": {"type": "string"}, "score": {"type": kind, "enum": scale}})
    return {**shape, "description": criterion.name}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }
