"""A document played through its stages without store or models: results come from a function."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from acm_workers.pipeline import units
from acm_workers.pipeline.next_step import next_step
from acm_workers.pipeline.snapshot import DocumentOutcome, DocumentSnapshot, NextStep
from schemas.config.config import Config
from schemas.units import Artifact, Comparison, Document, Evaluation
from tests.support import stored
from tests.support.stored import NOW, making

Unit = TypeVar("Unit", Artifact, Evaluation, Comparison)
AnyUnit = Artifact | Evaluation | Comparison
Results = Callable[[AnyUnit], "float | None"]
"""Returns the overall score of a unit or, for a comparison, by how much the first text is better;
None if the unit fails. For artifacts any number will do."""


class Played(NamedTuple):
    """How it went.

    Attributes:
        view: What is known in the end.
        steps: What was done after the candidates were written.
    """

    view: DocumentSnapshot
    steps: list[NextStep]

    @property
    def outcome(self) -> DocumentOutcome:
        """Return how it ended."""
        found = self.steps[-1].outcome
        assert found is not None
        return found

    @property
    def stages(self) -> list[str]:
        """Return the stages that it went through."""
        return [step.stage for step in self.steps]


def document() -> Document:
    """Return a document whose candidates are being written."""
    return Document(
        id=stored.new_id(), run_id="RUN", path="a.md", key="k", stage="generate", created_at=NOW
    )


def begun(config: Config, results: Results) -> DocumentSnapshot:
    """Return a document whose candidates are written and scored."""
    subject = document()
    planned = units.candidates(subject, config, making())
    return _with_artifacts(DocumentSnapshot(subject, [], [], []), planned, config, results)


def play(config: Config, results: Results, view: DocumentSnapshot | None = None) -> Played:
    """Play a document to its end.

    Args:
        view: Where to begin; with its candidates written and scored if absent.
    """
    view = begun(config, results) if view is None else view
    steps: list[NextStep] = []
    while not steps or steps[-1].outcome is None:
        step = next_step(view, config, making(len(steps)))
        assert step is not None
        steps.append(step)
        view = apply(view, step, config, results)
    return Played(view, steps)


def apply(
    view: DocumentSnapshot, step: NextStep, config: Config, results: Results
) -> DocumentSnapshot:
    """Return the view after all units of a step have ended."""
    moved = view.document.model_copy(update={"stage": step.stage})
    view = _with_artifacts(view._replace(document=moved), step.artifacts, config, results)
    compared = [ended(unit, results) for unit in step.comparisons]
    return view._replace(comparisons=[*view.comparisons, *compared])


def ended(unit: Unit, results: Results) -> Unit:
    """Return a unit with its result."""
    value = results(unit)
    if value is None:
        values: dict[str, object] = {"state": "failed", "error": f"{type(unit).__name__} broke"}
    elif isinstance(unit, Evaluation):
        values = {"state": "done", "overall": value, "scores": {}}
    elif isinstance(unit, Comparison):
        winner = "tie" if value == 0 else "a" if value > 0 else "b"
        values = {"state": "done", "winner": winner, "confidence": 0.9}
    else:
        values = {"state": "done"}
    return unit.model_copy(update={**values, "finished_at": NOW})


def _with_artifacts(
    view: DocumentSnapshot, planned: list[Artifact], config: Config, results: Results
) -> DocumentSnapshot:
    written = [ended(artifact, results) for artifact in planned]
    scored = [
        ended(unit, results)
        for artifact in written
        if artifact.state == "done"
        for unit in units.evaluations(artifact, config, making())
    ]
    return view._replace(
        artifacts=[*view.artifacts, *written], evaluations=[*view.evaluations, *scored]
    )


class ByRank:
    """Results by rank: the later a candidate was planned, the better it is.

    Args:
        failing: Says of which units none is wanted.
        fused: How good a combined candidate is.
    """

    def __init__(
        self, failing: Callable[[AnyUnit], bool] = lambda _unit: False, fused: float = 9.0
    ) -> None:
        self._failing = failing
        self._fused = fused
        self._quality: dict[str, float] = {}

    def __call__(self, unit: AnyUnit) -> float | None:
        if isinstance(unit, Artifact):
            self._quality[unit.id] = self._fused if unit.combined else 1.0 + unit.number
        if self._failing(unit):
            return None
        if isinstance(unit, Comparison):
            return self._quality[unit.a_id] - self._quality[unit.b_id]
        return self._quality[unit.artifact_id if isinstance(unit, Evaluation) else unit.id]


def pairs(units: list[Comparison]) -> set[frozenset[str]]:
    """Return who meets whom, whatever the order."""
    return {frozenset((unit.a_id, unit.b_id)) for unit in units}
