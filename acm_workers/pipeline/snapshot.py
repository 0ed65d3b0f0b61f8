"""Snapshots of documents, from which decisions are computed, and the records of decisions."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from schemas.ranking import Fusion, Rating, Standing
from schemas.units import (
    ENDED,
    Artifact,
    Comparison,
    Document,
    DocumentState,
    Evaluation,
    Stage,
)


class RecordContext(NamedTuple):
    """The clock and the ids of new records, so that decisions stay pure."""

    now: datetime
    new_id: Callable[[], str]


class GivenText(NamedTuple):
    """A candidate of a document that existed before the run.

    Attributes:
        variant: Number of its ``runs:`` entry, from 1.
        name: Name of its author or of the text, for users.
        file: Path of the text, relative to the output folder.
    """

    variant: int
    name: str
    file: str
    text: str


class DocumentSnapshot(NamedTuple):
    """A document with its units; the artifacts have no texts."""

    document: Document
    artifacts: list[Artifact]
    evaluations: list[Evaluation]
    comparisons: list[Comparison]

    @property
    def open(self) -> bool:
        """Return whether any unit has not ended."""
        return any(unit.state not in ENDED for unit in self.units())

    @property
    def interrupted(self) -> bool:
        """Return whether any unit was cancelled, and waits for the run to be resumed."""
        return any(unit.state == "cancelled" for unit in self.units())

    @property
    def candidates(self) -> list[Artifact]:
        """Return the artifacts that may win: they are written, and pass the gates of the checks."""
        return [one for one in self.artifacts if one.state == "done" and not one.barred]

    @property
    def barred(self) -> list[Artifact]:
        """Return the written artifacts that cannot win because of a check."""
        return [one for one in self.artifacts if one.state == "done" and one.barred]

    @property
    def failed(self) -> int:
        """Return the number of failed units."""
        return sum(unit.state == "failed" for unit in self.units())

    def units(self) -> Iterable[Artifact | Evaluation | Comparison]:
        """Yield the units of every kind."""
        yield from self.artifacts
        yield from self.evaluations
        yield from self.comparisons


class DocumentOutcome(NamedTuple):
    """The outcome of a document.

    Attributes:
        settled: Whether it was decided early.
    """

    state: DocumentState
    reason: str
    winner_id: str | None
    standings: list[Standing]
    ratings: list[Rating]
    fusions: list[Fusion]
    settled: bool = False


class NextStep(NamedTuple):
    """The next stage with the units to plan, or the outcome."""

    stage: Stage
    artifacts: list[Artifact] = []  # noqa: RUF012  never changed
    comparisons: list[Comparison] = []  # noqa: RUF012  never changed
    outcome: DocumentOutcome | None = None
