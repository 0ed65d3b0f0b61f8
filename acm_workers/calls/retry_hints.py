"""What a prompt says of evidence, and of the answers before the one it asks for."""

from typing import NamedTuple

import prompts
from acm_workers.calls.evidence import Lack
from schemas.config.variant import RequiredEvidence


class Before(NamedTuple):
    """What was wrong with the answers before this one.

    Attributes:
        attempt: Number of the answer that is asked for now, from 1. It makes two requests that are
            otherwise the same different, so that a stored answer does not serve the second.
        lacking: What the last answer without enough evidence did not prove.
        strength: How many answers were without it.
        problem: What else was wrong with the last answer, as the end of a sentence.
        hint: What to do about that, as a sentence.
    """

    attempt: int = 1
    lacking: Lack | None = None
    strength: int = 0
    problem: str | None = None
    hint: str = ""

    def unproven(self, attempt: int, lacking: Lack | None, strength: int) -> "Before":
        """Return this with one more answer that did not prove enough."""
        return Before(attempt, lacking, strength)

    def unusable(self, attempt: int, problem: str, hint: str) -> "Before":
        """Return this with one more answer that could not be used; what it must prove stays."""
        return Before(attempt, self.lacking, self.strength, problem, hint)


def text(require: RequiredEvidence, before: Before) -> str | None:
    """Return the words to add to a prompt; None where there is nothing to say."""
    if require == RequiredEvidence() and before == Before():
        return None
    rendered = prompts.render(
        "remarks.md.j2",
        grounding=require.grounding,
        reasoning=require.reasoning,
        missing=before.lacking.missing if before.lacking is not None else (),
        strength=before.strength,
        attempt=before.attempt,
        problem=before.problem,
        hint=before.hint,
    )
    return rendered or None
