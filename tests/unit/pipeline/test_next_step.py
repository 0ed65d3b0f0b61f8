"""What comes next for a document."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from acm_workers.pipeline.next_step import next_step
from acm_workers.pipeline.snapshot import DocumentSnapshot
from schemas.units import Artifact, Comparison, Evaluation, Stage
from tests.support import pipeline_runs
from tests.support.pipeline_runs import ByRank, pairs, play
from tests.support.stored import config, making

Unit = Artifact | Evaluation | Comparison
Some = TypeVar("Some", Artifact, Evaluation, Comparison)

FOUR = {"runs": [{"type": "fpf", "provider": "alpha", "model": "m1", "iterations": 4}]}
NO_PLAYOFFS = {"playoffs": {"enabled": False}}
UNJUDGED = {"judges": [], "playoffs": {"enabled": True}}
COMPARING = {"judges": [{"name": "j1", "provider": "alpha", "model": "j1"}]}
ONLY_COMPARED = {"judges": [], "pairwise": COMPARING}


def only(kind: type[Unit]) -> Callable[[Unit], bool]:
    return lambda unit: isinstance(unit, kind)


def changed(view: DocumentSnapshot, unit: Unit, **values: Any) -> DocumentSnapshot:
    """Return the view with one of its units changed."""

    def new(kind: list[Some]) -> list[Some]:
        return [one.model_copy(update=values) if one is unit else one for one in kind]

    return DocumentSnapshot(
        view.document, new(view.artifacts), new(view.evaluations), new(view.comparisons)
    )


def test_a_document_goes_through_every_stage_once() -> None:
    went = play(config(), ByRank())

    assert went.stages == ["compare", "combine", "playoff", "finished"]
    assert went.outcome.state == "done"


@pytest.mark.parametrize("state", ["planned", "claimed", "cancelled"])
def test_nothing_comes_next_while_a_unit_is_open_or_cancelled(state: str) -> None:
    view = play(config(), ByRank()).view

    for stage in ("generate", "compare", "combine", "playoff"):
        here = view._replace(document=view.document.model_copy(update={"stage": stage}))
        for unit in (view.artifacts[0], view.evaluations[0], view.comparisons[0]):
            assert next_step(changed(here, unit, state=state), config(), making()) is None


@pytest.mark.parametrize("stage", ["planned", "finished"])
def test_nothing_comes_next_before_the_start_and_after_the_end(stage: Stage) -> None:
    view = pipeline_runs.begun(config(), ByRank())
    view = view._replace(document=view.document.model_copy(update={"stage": stage}))

    assert next_step(view, config(), making()) is None


def test_a_document_without_candidates_fails_and_says_why() -> None:
    went = play(config(), ByRank(only(Artifact)))

    assert went.stages == ["finished"]
    assert (went.outcome.state, went.outcome.winner_id) == ("failed", None)
    assert "Artifact broke" in went.outcome.reason


def test_the_only_candidate_wins_without_comparisons() -> None:
    went = play(config(), ByRank(lambda unit: isinstance(unit, Artifact) and unit.number == 1))

    assert went.stages == ["finished"]
    assert (went.outcome.state, went.outcome.winner_id) == ("done", went.view.candidates[0].id)
    assert "only candidate" in went.outcome.reason
    assert "1 of its units failed" in went.outcome.reason


def test_without_judges_a_document_is_done_when_its_texts_are_written() -> None:
    went = play(config(**UNJUDGED), ByRank())

    assert went.stages == ["finished"]
    assert (went.outcome.state, went.outcome.winner_id) == ("done", None)
    assert "nothing was judged, as the configuration says" in went.outcome.reason


def test_when_no_judge_answers_nobody_can_win() -> None:
    went = play(config(), ByRank(lambda unit: not isinstance(unit, Artifact)))

    assert went.stages == ["compare", "finished"]
    assert went.outcome.state == "partial"
    assert "3 of its units failed" in went.outcome.reason


def test_the_best_score_wins_where_nothing_is_compared() -> None:
    went = play(config(**FOUR, **NO_PLAYOFFS, pairwise={"enabled": False}), ByRank())

    assert went.stages == ["finished"]
    assert went.outcome.winner_id == went.view.artifacts[3].id
    assert went.outcome.ratings == []


def test_comparisons_alone_can_decide() -> None:
    went = play(config(**FOUR, **NO_PLAYOFFS, **ONLY_COMPARED), ByRank())

    assert went.stages == ["compare", "finished"]
    assert went.outcome.winner_id == went.view.artifacts[3].id


def test_everybody_is_compared_with_everybody_once() -> None:
    went = play(config(**FOUR, **NO_PLAYOFFS), ByRank())

    assert len(went.steps[0].comparisons) == 6
    assert len(pairs(went.steps[0].comparisons)) == 6


def test_failed_candidates_are_not_compared() -> None:
    went = play(
        config(**FOUR, **NO_PLAYOFFS),
        ByRank(lambda unit: isinstance(unit, Artifact) and unit.number == 4),
    )

    ids = {one.id for one in went.view.artifacts[:3]}
    assert {one for pair in pairs(went.steps[0].comparisons) for one in pair} == ids
    assert went.outcome.winner_id == went.view.artifacts[2].id


def test_only_the_best_by_score_are_compared_where_the_config_says_so() -> None:
    went = play(config(**FOUR, **NO_PLAYOFFS, pairwise={"top_n": 2}), ByRank())

    best = went.view.artifacts[2:]
    assert pairs(went.steps[0].comparisons) == {frozenset(one.id for one in best)}
    assert went.outcome.winner_id == best[1].id
    assert [standing.admitted for standing in went.outcome.standings] == [True, True, False, False]


def test_without_scores_there_is_no_best_to_narrow_down_to() -> None:
    given = config(**FOUR, **NO_PLAYOFFS, judges=[], pairwise={**COMPARING, "top_n": 2})
    went = play(given, ByRank())

    assert len(went.steps[0].comparisons) == 6


def test_candidates_whose_scores_all_failed_are_the_last_to_be_compared() -> None:
    best: list[str] = []

    def failing(unit: Unit) -> bool:
        if isinstance(unit, Artifact) and unit.number == 4 and not unit.combined:
            best.append(unit.id)
        return isinstance(unit, Evaluation) and unit.artifact_id in best

    went = play(config(**FOUR, **NO_PLAYOFFS, pairwise={"top_n": 2}), ByRank(failing))

    second, third = went.view.artifacts[1:3]
    assert pairs(went.steps[0].comparisons) == {frozenset((second.id, third.id))}


def test_failed_comparisons_are_left_out_and_told() -> None:
    first: list[Comparison] = []

    def failing(unit: Unit) -> bool:
        if isinstance(unit, Comparison):
            first.append(unit)
        return unit is first[0] if first else False

    went = play(config(**FOUR, **NO_PLAYOFFS), ByRank(failing))

    assert went.outcome.state == "done"
    assert sum(rating.games for rating in went.outcome.ratings) == 10
    assert "1 of its units failed" in went.outcome.reason


def test_both_orders_are_asked_where_the_config_says_so() -> None:
    went = play(config(**NO_PLAYOFFS, pairwise={"position_swap": "both"}), ByRank())

    asked = {(unit.a_id, unit.b_id) for unit in went.steps[0].comparisons}
    assert len(asked) == 2
    assert len(pairs(went.steps[0].comparisons)) == 1


def test_a_reopened_document_compares_only_what_it_did_not_compare_before() -> None:
    given = config(**FOUR, **NO_PLAYOFFS)
    fails = ByRank(lambda unit: isinstance(unit, Artifact) and unit.number == 4)
    view = play(given, fails).view
    again = view.document.model_copy(update={"stage": "generate"})
    view = changed(view._replace(document=again), view.artifacts[3], state="done", error=None)

    step = next_step(view, given, making())

    assert step is not None
    assert step.stage == "compare"
    assert pairs(step.comparisons) == {
        frozenset((view.artifacts[3].id, one.id)) for one in view.artifacts[:3]
    }


def test_a_reopened_document_combines_nothing_a_second_time() -> None:
    given = config(**FOUR)
    view = play(given, ByRank()).view
    again = view.document.model_copy(update={"stage": "generate"})

    step = next_step(view._replace(document=again), given, making())

    assert step is not None
    assert step.stage == "finished"


def test_the_best_two_are_combined_the_better_one_first() -> None:
    went = play(config(**FOUR), ByRank())

    (combined,) = went.steps[1].artifacts
    assert combined.parents == (went.view.artifacts[3].id, went.view.artifacts[2].id)
    assert (combined.generator, combined.model) == ("combine", "m1")


@pytest.mark.parametrize(("parents", "expected"), [(3, [3, 2, 1]), (5, [3, 2, 1, 0])])
def test_as_many_are_combined_as_the_playoffs_say_if_there_are_so_many(
    parents: int, expected: list[int]
) -> None:
    went = play(config(**FOUR, playoffs={"parents": parents}), ByRank())

    (combined,) = went.steps[1].artifacts
    assert combined.parents == tuple(went.view.artifacts[place].id for place in expected)


@pytest.mark.parametrize(
    ("top_n", "expected"),
    [
        ({"count": 3, "threshold": 0.0}, [3, 2, 1]),
        ({"count": 1, "threshold": 0.0}, [3, 2]),
        ({"threshold": 1.0}, [3, 2]),
    ],
)
def test_the_top_n_can_be_combined_and_are_at_least_two(
    top_n: dict[str, float], expected: list[int]
) -> None:
    given = config(**FOUR, playoffs={"parents": "top_n"}, ranking={"top_n": top_n})
    went = play(given, ByRank())

    (combined,) = went.steps[1].artifacts
    assert combined.parents == tuple(went.view.artifacts[place].id for place in expected)


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
    [(9.0, 0.5, True), (9.0, 0.99, False), (0.5, 0.5, False), (0.5, 0.0, False)],
)
def test_a_combined_candidate_wins_only_if_it_is_surely_better(
    fused: float, needed: float, wins: bool
) -> None:
    went = play(config(playoffs={"min_confidence": needed}), ByRank(fused=fused))

    combined, best_before = went.view.artifacts[-1], went.view.artifacts[1]
    assert went.outcome.winner_id == (combined.id if wins else best_before.id)
    assert [fusion.artifact_id for fusion in went.outcome.fusions] == [combined.id]


def test_combined_candidates_are_not_compared_where_the_playoffs_do_not_compare() -> None:
    went = play(config(**FOUR, playoffs={"pairwise": False}), ByRank())

    assert went.stages == ["compare", "combine", "finished"]
    assert "combined candidates are judged by their scores alone" in went.outcome.reason


def test_strengths_are_fitted_where_the_ranking_goes_by_them() -> None:
    went = play(config(**FOUR, **NO_PLAYOFFS, ranking={"method": "bradley_terry"}), ByRank())

    best, *_ = went.outcome.standings
    assert went.outcome.winner_id == best.artifact_id
    assert best.bradley_terry is not None
    assert best.bradley_terry.points == best.rank_score
