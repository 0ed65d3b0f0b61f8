"""Which units a config asks for, and which sample each of them stands for."""

from collections.abc import Iterator
from typing import Any

from acm_workers.pipeline import units
from acm_workers.pipeline.snapshot import DocumentSnapshot, GivenText
from acm_workers.pipeline.units import sample_number
from schemas.config.config import Config
from schemas.units import Artifact, Comparison, Evaluation
from tests.support import pipeline_runs, stored
from tests.support.stored import making


def variant(model: str, iterations: int = 1, **more: Any) -> dict[str, Any]:
    return {"type": "fpf", "provider": "alpha", "model": model, "iterations": iterations, **more}


def judge(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "provider": "alpha", "model": "j", "iterations": 2, **more}


def candidates(config: Config) -> list[Artifact]:
    return units.candidates(pipeline_runs.document(), config, making())


def evaluations(config: Config) -> list[Evaluation]:
    return units.evaluations(candidates(config)[0], config, making())


def comparisons(config: Config) -> list[Comparison]:
    return pipeline_runs.play(config, lambda _unit: 1.0).view.comparisons


def samples(planned: list[Any], config: Config) -> Iterator[int]:
    return (sample_number(unit, config) for unit in planned)


def test_candidates_are_numbered_on_through_variants_and_iterations() -> None:
    config = stored.config(runs=[variant("m1", 2), variant("m2"), variant("m1", 2)])

    found = [(one.variant, one.iteration, one.number, one.model) for one in candidates(config)]

    assert found == [
        (1, 1, 1, "m1"), (1, 2, 2, "m1"), (2, 1, 3, "m2"), (3, 1, 4, "m1"), (3, 2, 5, "m1")
    ]  # fmt: skip


def test_candidates_of_each_generator_have_their_own_numbers_and_lanes() -> None:
    options = {"max_calls": 9, "timeout_seconds": 60}
    deep = variant("m1", type="dr", research=options)
    config = stored.config(runs=[variant("m1"), deep, variant("m2"), deep])

    found = [(one.generator, one.number, one.lane) for one in candidates(config)]

    assert found == [
        ("fpf", 1, "generate.alpha"),
        ("dr", 1, "child.dr"),
        ("fpf", 2, "generate.alpha"),
        ("dr", 2, "child.dr"),
    ]
    assert config.all_lanes == ("generate.alpha", "judge.alpha", "child.dr")
    assert config.child_kinds == {"dr": ("alpha",)}


def test_candidates_belong_to_their_document() -> None:
    document = pipeline_runs.document()

    (one, other) = units.candidates(document, stored.config(), making())

    assert (one.document_id, one.run_id, one.state) == (document.id, document.run_id, "planned")
    assert one.id < other.id


def test_each_judge_scores_as_often_as_it_shall() -> None:
    config = stored.config(judges=[judge("j1"), judge("j2", iterations=1), judge("j3", weight=0)])

    found = [(one.judge, one.iteration) for one in evaluations(config)]

    assert found == [("j1", 1), ("j1", 2), ("j2", 1)]


def test_iterations_are_different_samples() -> None:
    config = stored.config(runs=[variant("m1", 3)])

    assert list(samples(candidates(config), config)) == [1, 2, 3]


def test_variants_that_are_alike_get_answers_of_their_own() -> None:
    config = stored.config(runs=[variant("m1", 2), variant("m1", 3), variant("m1", 1)])

    found = list(samples(candidates(config), config))

    assert len(set(found)) == len(found) == 6


def test_variants_that_differ_share_samples() -> None:
    config = stored.config(
        runs=[variant("m1", 2), variant("m2", 2), variant("m1", 2, temperature=0.5)]
    )

    assert list(samples(candidates(config), config)) == [1, 2, 1, 2, 1, 2]


def test_judges_that_are_alike_but_for_name_and_weight_get_answers_of_their_own() -> None:
    config = stored.config(judges=[judge("j1"), judge("j2", weight=2), judge("j3", iterations=1)])

    found = list(samples(evaluations(config), config))

    assert len(set(found)) == len(found) == 5


def test_judges_that_ask_differently_share_samples() -> None:
    config = stored.config(judges=[judge("j1"), judge("j2", system_prompt="Be strict.")])

    assert list(samples(evaluations(config), config)) == [1, 2, 1, 2]


def test_comparing_judges_that_are_alike_get_answers_of_their_own() -> None:
    twins = [judge("c1"), judge("c2")]
    for pairwise in ({"judges": twins}, {}):
        config = stored.config(
            judges=twins, pairwise={"position_swap": "none", "iterations": 2, **pairwise}
        )
        planned = comparisons(config)[:4]  # all of one pair

        found = list(samples(planned, config))

        assert len(set(found)) == len(found) == 4


def test_models_that_combine_twice_get_answers_of_their_own() -> None:
    big, small = ({"provider": "alpha", "model": model} for model in ("big", "small"))
    config = stored.config(playoffs={"models": [big, small, big]})
    made = [
        one for one in pipeline_runs.play(config, lambda _unit: 1.0).view.artifacts if one.combined
    ]

    found = list(samples(made, config))

    assert (found[0], found[1]) == (1, 1)
    assert found[2] not in found[:2]


def test_the_model_of_the_best_combines_as_the_first_sample() -> None:
    config = stored.config(runs=[variant("m1"), variant("m1")])
    made = [
        one for one in pipeline_runs.play(config, lambda _unit: 1.0).view.artifacts if one.combined
    ]

    assert list(samples(made, config)) == [1]


def test_no_number_of_iterations_reaches_the_samples_of_a_twin() -> None:
    config = stored.config(runs=[variant("m1", 1000), variant("m1", 1000)])

    found = list(samples(candidates(config), config))

    assert len(set(found)) == 2000


GIVEN = [GivenText(2, "drafts", "drafts/a.md", "A text."), GivenText(2, "two", "two.md", "Two.")]
FILES = {"type": "files", "folder": "drafts", "provider": "files", "model": "drafts"}


def test_texts_that_are_there_are_candidates_that_are_done() -> None:
    config = stored.config(runs=[variant("m1"), FILES])

    found = units.given(pipeline_runs.document(), GIVEN, config, making())

    assert [(one.generator, one.variant, one.iteration, one.number) for one in found] == [
        ("files", 2, 1, 1), ("files", 2, 2, 2)
    ]  # fmt: skip
    assert (found[0].model, found[0].text, found[0].state) == ("drafts", "A text.", "done")
    assert found[0].file == "drafts/a.md"
    assert [one.model for one in candidates(config)] == ["m1"]


def test_a_text_that_was_there_is_combined_by_a_model_of_the_run() -> None:
    config = stored.config(runs=[FILES, variant("m1")])
    document = pipeline_runs.document()
    given = units.given(document, [GIVEN[0]._replace(variant=1)], config, making())
    written = candidates(config)

    for parents in (given + written, given + given):
        view = DocumentSnapshot(document, given + written, [], [])
        (combined,) = units.missing_combinations(view, parents, config, making())
        assert (combined.provider, combined.model) == ("alpha", "m1")


def test_nothing_is_combined_where_no_model_writes() -> None:
    config = stored.config(runs=[FILES])
    document = pipeline_runs.document()
    given = units.given(document, [one._replace(variant=1) for one in GIVEN], config, making())
    view = DocumentSnapshot(document, given, [], [])

    assert units.missing_combinations(view, given, config, making()) == []
