"""What the playoffs of a document are made of."""

import pytest

from schemas.units import Artifact, Comparison, Evaluation
from tests.support.played import ByRank, pairs, play
from tests.support.stored import config

Unit = Artifact | Evaluation | Comparison
FOUR = {"runs": [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 4}]}
NO_PLAYOFFS = {"playoffs": {"enabled": False}}


def test_the_best_two_are_combined_the_better_one_first() -> None:
    went = play(config(**FOUR), ByRank())

    (combined,) = went.steps[1].artifacts
    assert combined.parents == (went.view.artifacts[3].id, went.view.artifacts[2].id)
    assert (combined.generator, combined.model) == ("combine", "m1")


def test_each_model_of_the_playoffs_combines_once() -> None:
    models = [{"provider": "alpha", "model": model} for model in ("big", "small")]
    went = play(config(playoffs={"models": models}), ByRank())

    combined = went.steps[1].artifacts
    assert [(one.model, one.variant, one.number) for one in combined] == [
        ("big", 1, 1),
        ("small", 2, 2),
    ]
    assert len({one.parents for one in combined}) == 1


def test_the_model_of_the_best_candidate_combines_where_none_is_given() -> None:
    runs = [{"type": "fpf", "provider": "alpha", "model": model} for model in ("worse", "better")]
    quality = {"worse": 3.0, "better": 7.0}

    def results(unit: Unit) -> float:
        if isinstance(unit, Comparison):
            return 0.0
        by_model = {one.id: one.model for one in (unit,) if isinstance(one, Artifact)}
        models.update(by_model)
        return quality[models[unit.artifact_id if isinstance(unit, Evaluation) else unit.id]]

    models: dict[str, str] = {}
    went = play(config(runs=runs), results)

    assert went.steps[1].artifacts[0].model == "better"


def test_nothing_is_combined_where_the_playoffs_are_off() -> None:
    went = play(config(**FOUR, **NO_PLAYOFFS), ByRank())

    assert went.stages == ["compare", "finished"]
    assert went.outcome.fusions == []


def test_playoffs_without_comparisons_go_by_scores() -> None:
    went = play(config(pairwise={"enabled": False}), ByRank())

    assert went.stages == ["combine", "finished"]
    assert went.outcome.winner_id == went.view.artifacts[-1].id


def test_combined_candidates_are_scored_as_often_as_the_playoffs_say() -> None:
    went = play(config(playoffs={"iterations": 3}), ByRank())

    combined = went.view.artifacts[-1]
    scored = [unit.iteration for unit in went.view.evaluations if unit.artifact_id == combined.id]
    assert scored == [1, 2, 3]


def test_every_pair_of_the_playoffs_has_a_new_candidate() -> None:
    models = [{"provider": "alpha", "model": model} for model in ("big", "small")]
    went = play(config(**FOUR, playoffs={"models": models}), ByRank())

    new = {one.id for one in went.view.artifacts if one.combined}
    met = pairs(went.steps[2].comparisons)
    assert all(pair & new for pair in met)
    assert len(met) == 4 * 2 + 1


def test_new_candidates_meet_only_those_that_were_admitted() -> None:
    went = play(config(**FOUR, pairwise={"top_n": 2}), ByRank())

    new = went.view.artifacts[-1].id
    assert pairs(went.steps[2].comparisons) == {
        frozenset((new, one.id)) for one in went.view.artifacts[2:4]
    }


def test_playoffs_whose_candidates_all_failed_change_nothing() -> None:
    def failing(unit: Unit) -> bool:
        return isinstance(unit, Artifact) and unit.combined

    went = play(config(**FOUR), ByRank(failing))

    assert went.stages == ["compare", "combine", "finished"]
    assert went.outcome.winner_id == went.view.artifacts[3].id
    assert went.outcome.state == "done"


@pytest.mark.parametrize(
    ("fused", "needed", "wins"),
    [(9.0, 0.5, True), (9.0, 0.95, False), (0.5, 0.5, False), (0.5, 0.0, False)],
)
def test_a_combined_candidate_wins_only_if_it_is_surely_better(
    fused: float, needed: float, wins: bool
) -> None:
    went = play(config(playoffs={"min_confidence": needed}), ByRank(fused=fused))

    combined, best_before = went.view.artifacts[-1], went.view.artifacts[1]
    assert went.outcome.winner_id == (combined.id if wins else best_before.id)
    assert [fusion.artifact_id for fusion in went.outcome.fusions] == [combined.id]
