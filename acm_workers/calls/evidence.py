"""Checks answers for evidence of required search and thinking, and writes hints for prompts."""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple, get_args

import structlog

import prompts
from schemas.calls import Effort, Evidence, EvidenceSummary, Flag, Grounding, Reasoning
from schemas.config.variant import RequiredEvidence

MOST_RETRIES = 3
"""Maximum number of further requests for an answer without evidence."""

_GROUNDING: tuple[Grounding, ...] = get_args(Grounding)
_REASONING: tuple[Reasoning, ...] = get_args(Reasoning)
_EFFORTS: tuple[Effort, ...] = get_args(Effort)

log = structlog.get_logger()


class MissingEvidence(IntEnum):
    """The evidence that an answer lacks, numbered like the exit codes of the first version.

    ``UNKNOWN`` marks an answer that ended for an unknown reason and may be incomplete.
    """

    GROUNDING = 1
    REASONING = 2
    BOTH = 3
    UNKNOWN = 4

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of evidence that are missing."""
        return {1: ("grounding",), 2: ("reasoning",), 3: ("grounding", "reasoning")}.get(self, ())


def missing(found: Evidence, require: RequiredEvidence) -> MissingEvidence | None:
    """Return the required evidence that was not found; None if all of it was found."""
    grounded = _GROUNDING.index(found.grounding) >= _GROUNDING.index(require.grounding)
    reasoned = _REASONING.index(found.reasoning) >= _REASONING.index(require.reasoning)
    if grounded:
        return None if reasoned else MissingEvidence.REASONING
    return MissingEvidence.GROUNDING if reasoned else MissingEvidence.BOTH


def summary(found: Evidence, require: RequiredEvidence) -> str:
    """Return a text that names the evidence found and the evidence required."""
    levels = (
        ("grounding", found.grounding, require.grounding),
        ("reasoning", found.reasoning, require.reasoning),
    )
    return "; ".join(
        f"{name} is {level}, {required} is required"
        for name, level, required in levels
        if required != "none"
    )


def log_missing(
    model: str, found: Evidence, require: RequiredEvidence, lacking: MissingEvidence
) -> None:
    """Log a failed attempt with the field names of the first version's failure reports.

    The answer is in the ledger: logs contain no texts.
    """
    log.warning(
        "evidence missing",
        run_context={"model": model},
        validation_summary={
            "grounding_detected": found.grounding != "none",
            "reasoning_detected": found.reasoning != "none",
            "validation_passed": False,
        },
        missing=list(lacking.kinds),
        code=int(lacking),
        error=summary(found, require),
    )


def proof(found: Evidence, flags: Sequence[Flag] = ()) -> EvidenceSummary:
    """Return the summary of an answer's evidence that is saved with its unit."""
    return EvidenceSummary(
        grounding=found.grounding,
        reasoning=found.reasoning,
        searches=len(found.queries),
        sources=len(found.sources),
        flags=tuple(flags),
    )


def higher_effort(effort: Effort | None) -> Effort:
    """Return the next higher effort, for use after an answer without thinking."""
    if effort is None:
        return "medium"
    return _EFFORTS[min(_EFFORTS.index(effort) + 1, len(_EFFORTS) - 1)]


class PreviousAnswers(NamedTuple):
    """The problems of the previous answers to one question.

    Attributes:
        attempt: Number of the next answer, from 1. It distinguishes otherwise identical requests,
            so that one stored answer does not serve both.
        lacking: The evidence that was missing from the last answer with too little evidence.
        unproven: Number of answers without enough evidence.
        problem: Any other problem of the last answer, as the end of a sentence.
        hint: Instruction for avoiding the problem, as a sentence.
    """

    attempt: int = 1
    lacking: MissingEvidence | None = None
    unproven: int = 0
    problem: str | None = None
    hint: str = ""

    def and_unproven(
        self, attempt: int, lacking: MissingEvidence | None, unproven: int
    ) -> "PreviousAnswers":
        """Return a copy with one more answer that had too little evidence."""
        return PreviousAnswers(attempt, lacking, unproven)

    def and_unusable(self, attempt: int, problem: str, hint: str) -> "PreviousAnswers":
        """Return a copy with one more unusable answer; the missing evidence is kept."""
        return PreviousAnswers(attempt, self.lacking, self.unproven, problem, hint)


def retry_hints(require: RequiredEvidence, previous: PreviousAnswers) -> str | None:
    """Return the part of a prompt about required evidence and previous answers; may be empty."""
    if require == RequiredEvidence() and previous == PreviousAnswers():
        return None
    rendered = prompts.render(
        "retry_hints.md.j2",
        grounding=require.grounding,
        reasoning=require.reasoning,
        missing=previous.lacking.kinds if previous.lacking is not None else (),
        unproven=previous.unproven,
        attempt=previous.attempt,
        problem=previous.problem,
        hint=previous.hint,
    )
    return rendered or None
