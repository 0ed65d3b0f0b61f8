"""From which stage an ended document goes on."""

from typing import Any

import pytest

from acm_workers.engine.advance import stage_to_reopen
from acm_workers.pipeline.snapshot import DocumentSnapshot
from schemas.units import Artifact, Comparison, Evaluation, Stage
from tests.support import pipeline_runs, stored

WHOLE = pipeline_runs.play(stored.config(), lambda unit: 1.0).view
NEW = WHOLE.artifacts[-1]


def first_round(unit: Artifact | Evaluation | Comparison) -> bool:
    if isinstance(unit, Comparison):
        return NEW.id not in (unit.a_id, unit.b_id)
    return (unit.artifact_id if isinstance(unit, Evaluation) else unit.id) != NEW.id


def broken(kind: str, state: str, *, first: bool, stage: Stage = "finished") -> DocumentSnapshot:
    """Return the whole document with one unit of a kind that is to be done again."""
    units: list[Any] = getattr(WHOLE, kind)
    again = next(unit for unit in units if first_round(unit) == first)
    new = [unit.model_copy(update={"state": state}) if unit is again else unit for unit in units]
    document = WHOLE.document.model_copy(update={"stage": stage})
    return WHOLE._replace(document=document, **{kind: new})


@pytest.mark.parametrize("state", ["failed", "cancelled"])
@pytest.mark.parametrize(
    ("kind", "first", "stage"),
    [
        ("artifacts", True, "generate"),
        ("evaluations", True, "generate"),
        ("comparisons", True, "compare"),
        ("artifacts", False, "combine"),
        ("evaluations", False, "combine"),
        ("comparisons", False, "playoff"),
    ],
)
def test_a_finished_document_goes_back_to_where_its_unit_belongs(
    kind: str, first: bool, stage: Stage, state: str
) -> None:
    assert stage_to_reopen(broken(kind, state, first=first)) == stage


def test_the_earliest_of_several_units_decides() -> None:
    late = broken("comparisons", "failed", first=False)
    early = broken("evaluations", "failed", first=True)

    assert stage_to_reopen(late._replace(evaluations=early.evaluations)) == "generate"


def test_a_candidate_that_failed_before_the_cancel_is_compared_after_all() -> None:
    view = broken("artifacts", "failed", first=True, stage="compare")

    assert stage_to_reopen(view) == "generate"


@pytest.mark.parametrize("stage", ["planned", "generate", "compare", "combine", "playoff"])
def test_a_document_that_was_cancelled_between_units_goes_on_where_it_was(stage: Stage) -> None:
    document = WHOLE.document.model_copy(update={"stage": stage})

    assert stage_to_reopen(WHOLE._replace(document=document)) == stage


def test_a_document_that_has_not_begun_begins() -> None:
    document = WHOLE.document.model_copy(update={"stage": "planned"})

    assert stage_to_reopen(DocumentSnapshot(document, [], [], [])) == "planned"
