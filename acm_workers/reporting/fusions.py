"""What combining brought: each combined candidate beside its best parent."""

from collections.abc import Sequence

from acm_workers.reporting.data import Candidate, FusionRow
from acm_workers.reporting.facts import DocumentRecords

_WORDS = (
    (0.95, "better"),
    (0.75, "probably better"),
    (0.25, "about the same"),
    (0.05, "probably worse"),
    (0.0, "worse"),
)
"""Lowest probability of being better, and what to call it."""


def rows(facts: DocumentRecords, candidates: Sequence[Candidate]) -> tuple[FusionRow, ...]:
    """Return what is known of each combined candidate that could be ranked."""
    labels = {candidate.artifact.id: candidate.label for candidate in candidates}
    needed = facts.run.config.playoffs.min_confidence
    return tuple(
        FusionRow(
            fusion,
            labels.get(fusion.artifact_id, fusion.artifact_id),
            labels.get(fusion.parent_id, fusion.parent_id),
            facts.run.config.playoffs.same_scale,
            word(fusion.better),
            fusion.better >= needed,
        )
        for fusion in facts.fusions
    )


def word(better: float) -> str:
    """Say what a probability of being better than the best parent comes to."""
    return next(said for least, said in _WORDS if better >= least)
