"""Gates for pipelines: minimum values for winners, and the maximum loss against another run."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from schemas.run import DocumentResult, RunResult
    from schemas.run_difference import RunDifference

MISSED = 5
"""Exit code if a gate is missed."""


class Gates(NamedTuple):
    """Minimum values for each winner; an absent gate passes everything.

    Attributes:
        score: Minimum overall score, on the scale of the criteria.
        p_best: Minimum probability of being the best candidate.
    """

    score: float | None = None
    p_best: float | None = None

    @property
    def given(self) -> bool:
        """Return whether there is anything to check."""
        return self.score is not None or self.p_best is not None


def missed(result: "RunResult", gates: Gates) -> list[str]:
    """Return a line for each gate that a document fails; an unknown value fails it."""
    return [line for document in result.documents for line in _missed(document, gates)]


def worse(found: "RunDifference", points: float | None) -> str | None:
    """Return why a run is worse than another by more than allowed; None if it is not.

    Args:
        found: The difference of two runs.
        points: Maximum decrease of the winners' mean score; no limit by default.
    """
    if points is None:
        return None
    difference = found.measures[0].difference if found.measures else None
    if difference is None:
        return f"nobody can tell whether run {found.b.run_id} is worse: {found.reason}"
    if difference >= -points:
        return None
    return f"winners of run {found.b.run_id} score {-difference:.2f} lower; {points:g} is allowed"


def _missed(document: "DocumentResult", gates: Gates) -> Iterator[str]:
    winner = document.winner
    if winner is None:
        yield f"{document.path}: no winner is known here ({document.state})"
        return
    for what, value, least in (
        ("score", winner.overall, gates.score),
        ("P(best)", winner.p_best, gates.p_best),
    ):
        if least is not None and (value is None or value < least):
            found = "is not known" if value is None else f"{value:.2f} is below {least:g}"
            yield f"{document.path}: {what} {found}"
