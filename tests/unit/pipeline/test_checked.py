"""Candidates that do not pass a gate of the checks: not judged, not combined, never the winner."""

import pytest

from acm_workers.pipeline import explain, units
from acm_workers.pipeline.next_step import next_step
from acm_workers.pipeline.ranking_diff import JudgedDocument
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import scores
from schemas.units import CheckResult
from tests.support import judging_records, pipeline_runs
from tests.support.judging_records import artifact, evaluation
from tests.support.pipeline_runs import ByRank, play
from tests.support.stored import config, making

FOUR = {"runs": [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 4}]}
LENGTH = CheckResult(
    name="length", type="length", gate=True, weight=0.0, passed=False, score=0.5,
    reason="9 words; at most 3",
)  # fmt: skip
UNKNOWN = LENGTH.model_copy(
    update={"name": "mine", "passed": None, "score": None, "reason": "the function failed"}
)
PASSED = LENGTH.model_copy(update={"passed": True, "score": 1.0})
SHOWN = LENGTH.model_copy(update={"gate": False})


def checked(*results: tuple[CheckResult, ...]) -> DocumentSnapshot:
    """Return a document whose candidates are written and checked, and scored if they passed."""
    results_of = ByRank()
    view = pipeline_runs.begun(config(**FOUR), results_of)
    written = [
        one.model_copy(update={"checks": found})
        for one, found in zip(view.artifacts, results, strict=True)
    ]
    scored = [
        pipeline_runs.ended(unit, results_of)
        for one in written
        for unit in units.evaluations(one, config(**FOUR), making())
    ]
    return view._replace(artifacts=written, evaluations=scored)


def test_a_candidate_that_fails_a_gate_is_neither_scored_nor_compared_nor_combined() -> None:
    view = checked((LENGTH,), (SHOWN,), (PASSED,), (UNKNOWN, PASSED))
    barred = {view.artifacts[0].id, view.artifacts[3].id}

    went = play(config(**FOUR), ByRankOf(view), view)

    assert {one.artifact_id for one in view.evaluations}.isdisjoint(barred)
    assert all(barred.isdisjoint({one.a_id, one.b_id}) for one in went.view.comparisons)
    (combined,) = [one for one in went.view.artifacts if one.combined]
    assert barred.isdisjoint(combined.parents)
    assert barred.isdisjoint({one.artifact_id for one in went.outcome.standings})
    assert went.outcome.state == "done"
    assert went.outcome.reason.endswith(
        "2 candidates do not pass the checks: 1 × length (9 words; at most 3),"
        " 1 × mine (the function failed)."
    )


class ByRankOf(ByRank):
    """Results by rank for a document that is scored already."""

    def __init__(self, view: DocumentSnapshot) -> None:
        super().__init__()
        for one in view.artifacts:
            self(one)


def test_the_only_candidate_that_passes_wins() -> None:
    view = checked((LENGTH,), (LENGTH,), (PASSED,), (LENGTH,))

    step = next_step(view, config(**FOUR, playoffs={"enabled": False}), making())

    assert step is not None
    assert step.outcome is not None
    assert (step.outcome.state, step.outcome.winner_id) == ("done", view.artifacts[2].id)
    assert step.outcome.reason.startswith("The only candidate that passes the checks;")


def test_where_none_passes_the_document_fails_and_says_why() -> None:
    view = checked((LENGTH,), (LENGTH, UNKNOWN), (LENGTH,), (LENGTH,))

    step = next_step(view, config(**FOUR), making())

    assert step is not None
    assert step.outcome is not None
    assert (step.outcome.state, step.outcome.winner_id) == ("failed", None)
    assert step.outcome.reason == (
        "no candidate passes the checks: 4 × length (9 words; at most 3),"
        " 1 × mine (the function failed)"
    )


def test_the_explanation_names_those_that_cannot_win_and_counts_the_rest() -> None:
    view = checked((LENGTH,), (LENGTH,), (LENGTH, UNKNOWN), (LENGTH,))
    seen = JudgedDocument(view, config(**FOUR), [])

    notes = explain.explain(seen, []).notes

    name = view.artifacts[2].name
    assert f"{name} cannot win, as it does not pass length: 9 words; at most 3; mine: " in notes[2]
    assert notes[3] == "1 more do not pass the checks."


@pytest.mark.parametrize(
    ("score", "expected"),
    [(1.0, (7.0 * 1 + 10 * 0.5) / 1.5), (0.0, (7.0 * 1 + 1 * 0.5) / 1.5), (None, 7.0)],
)
def test_a_weight_is_a_share_in_the_score_beside_the_criteria(
    score: float | None, expected: float
) -> None:
    weighted = LENGTH.model_copy(update={"gate": False, "weight": 0.5, "score": score})
    subject = artifact("p").model_copy(update={"checks": (weighted, SHOWN)})
    known = judging_records.config()

    found = scores.summaries([subject], [evaluation("p", 7.0)], known)["p"]

    assert found.overall == pytest.approx(expected)
    assert found.by_judge == {"j": pytest.approx(expected)}
    assert found.judges[0].singles[0] == pytest.approx(expected)
