"""Deciding a document with what there is."""

from typing import Any

import pytest

from acm_workers.engine.advance import stage_to_reopen
from acm_workers.pipeline import settling
from acm_workers.pipeline.snapshot import DocumentSnapshot
from tests.support.pipeline_runs import ByRank, play
from tests.support.stored import config

THREE = {"runs": [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 3}]}


def cut(artifacts: int, evaluations: int, comparisons: int = 0) -> DocumentSnapshot:
    """Return a document whose first units ended; the others of the kind were left out."""
    view = play(config(**THREE, playoffs={"enabled": False}), ByRank()).view
    ended = (artifacts, evaluations, comparisons)
    kinds: list[Any] = [view.artifacts, view.evaluations, view.comparisons]
    left = [
        [
            unit if number < most else unit.model_copy(update={"state": "cancelled"})
            for number, unit in enumerate(units)
        ]
        for units, most in zip(kinds, ended, strict=True)
    ]
    return DocumentSnapshot(view.document, *left)


def test_two_judged_candidates_make_a_winner_with_its_probability() -> None:
    found = settling.outcome(cut(2, 2), config(**THREE))

    best = found.standings[0]
    assert (found.state, found.winner_id, found.settled) == ("done", best.artifact_id, True)
    assert found.reason.startswith("Settled early, 5 units left out. Rank 1 of 2 by scores")
    assert best.p_best is not None
    assert 0.5 < best.p_best < 1


def test_what_was_compared_counts() -> None:
    found = settling.outcome(cut(3, 3, 2), config(**THREE))

    assert found.settled
    assert "scores and comparisons" in found.reason
    assert "1 unit left out" in found.reason


@pytest.mark.parametrize(("artifacts", "judged"), [(1, 1), (3, 1), (2, 0)])
def test_fewer_make_none_and_what_there_is_is_kept(artifacts: int, judged: int) -> None:
    found = settling.outcome(cut(artifacts, judged), config(**THREE))

    assert (found.state, found.winner_id, found.settled) == ("partial", None, True)
    assert f"and there are {judged}" in found.reason
    assert len(found.standings) == artifacts


def test_without_a_candidate_the_document_fails() -> None:
    found = settling.outcome(cut(0, 0), config(**THREE))

    assert (found.state, found.winner_id, found.standings) == ("failed", None, [])
    assert found.reason == "Settled early, before a candidate was written."


def test_where_nothing_was_planned_nothing_is_called_left_out() -> None:
    found = settling.outcome(cut(3, 3, 3), config(**THREE))

    assert found.reason.startswith("Settled early. Rank 1")


def test_a_settled_document_is_reopened_from_its_first_stage() -> None:
    view = cut(3, 3)
    settled = view._replace(
        document=view.document.model_copy(update={"settled": True, "stage": "finished"})
    )

    assert stage_to_reopen(settled) == "generate"
    assert stage_to_reopen(settled._replace(artifacts=[])) == "planned"
