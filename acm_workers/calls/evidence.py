"""Whether an answer proves what it was to rest on, and what to do about one that does not."""

from collections.abc import Sequence
from enum import IntEnum
from typing import get_args

import structlog

from schemas.calls import Effort, Evidence, Flag, Grounding, Proof, Reasoning
from schemas.config.variant import RequiredEvidence

MOST_RETRIES = 3
"""How often an answer is asked for again because its evidence is missing."""

_GROUNDING: tuple[Grounding, ...] = get_args(Grounding)
_REASONING: tuple[Reasoning, ...] = get_args(Reasoning)
_EFFORTS: tuple[Effort, ...] = get_args(Effort)

log = structlog.get_logger()


class Lack(IntEnum):
    """What an answer fails to prove; the numbers are the first version's exit codes.

    ``UNKNOWN`` is an answer that ended for a reason that nobody knows, so that it is not known
    either what it is worth.
    """

    GROUNDING = 1
    REASONING = 2
    BOTH = 3
    UNKNOWN = 4

    @property
    def missing(self) -> tuple[str, ...]:
        """Return what is missing, in words."""
        return {1: ("grounding",), 2: ("reasoning",), 3: ("grounding", "reasoning")}.get(self, ())


def lack(found: Evidence, require: RequiredEvidence) -> Lack | None:
    """Return what of the required evidence was not found; None if it all was."""
    grounded = _GROUNDING.index(found.grounding) >= _GROUNDING.index(require.grounding)
    reasoned = _REASONING.index(found.reasoning) >= _REASONING.index(require.reasoning)
    if grounded:
        return None if reasoned else Lack.REASONING
    return Lack.GROUNDING if reasoned else Lack.BOTH


def told(evidence: Evidence, require: RequiredEvidence) -> str:
    """Return what was found beside what is required, for people."""
    pairs = (
        ("grounding", evidence.grounding, require.grounding),
        ("reasoning", evidence.reasoning, require.reasoning),
    )
    said = [
        f"{name} is {has}, {wants} is required" for name, has, wants in pairs if wants != "none"
    ]
    return "; ".join(said)


def report(model: str, found: Evidence, require: RequiredEvidence, lacking: Lack) -> None:
    """Put a failed attempt into the log, in the words of the first version's failure reports.

    What the model wrote stays in the ledger: logs hold no texts.
    """
    log.warning(
        "evidence missing",
        run_context={"model": model},
        validation_summary={
            "grounding_detected": found.grounding != "none",
            "reasoning_detected": found.reasoning != "none",
            "validation_passed": False,
        },
        missing=list(lacking.missing),
        code=int(lacking),
        error=told(found, require),
    )


def proof(evidence: Evidence, flags: Sequence[Flag] = ()) -> Proof:
    """Return what is kept with a unit of what its answer proves."""
    return Proof(
        grounding=evidence.grounding,
        reasoning=evidence.reasoning,
        searches=len(evidence.queries),
        sources=len(evidence.sources),
        flags=tuple(flags),
    )


def more(effort: Effort | None) -> Effort:
    """Return the effort to ask for after one that showed no thinking."""
    if effort is None:
        return "medium"
    return _EFFORTS[min(_EFFORTS.index(effort) + 1, len(_EFFORTS) - 1)]
