"""What holds for every config and every result, from the first candidate to the winner."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from hypothesis import example, given
from hypothesis import strategies as st

from acm_workers.pipeline.next_step import next_step
from acm_workers.pipeline.plan import plan
from acm_workers.pipeline.snapshot import DocumentSnapshot, NextStep
from schemas.config.config import Config
from schemas.config.judging import Strategy
from schemas.units import Artifact, Comparison, Evaluation, Stage
from tests.support import stored
from tests.support.examples import few
from tests.support.pipeline_runs import Played, Results, play
from tests.support.stored import NOW, making

_few = st.integers(1, 2)
_STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
# Adaptive rounds end as soon as one candidate is surely the best.
_TO_THE_END = tuple(one for one in _STRATEGIES if one != "adaptive")


@st.composite
def configs(draw: st.DrawFn, strategies: Sequence[Strategy] = _STRATEGIES) -> Config:
    """Return a small config of any kind."""
    runs = [
        {"type": "fpf", "provider": "alpha", "model": f"m{number}", "iterations": draw(_few)}
        for number in range(draw(_few))
    ]
    models = st.lists(st.just({"provider": "alpha", "model": "big"}), min_size=1, max_size=2)
    return stored.config(
        runs=runs,
        judges=draw(_judges("j")),
        pairwise={
            "enabled": draw(st.booleans()),
            "strategy": draw(st.sampled_from(strategies)),
            "position_swap": draw(st.sampled_from(["both", "random", "none"])),
            "top_n": draw(st.none() | st.integers(2, 3)),
            "iterations": draw(_few),
            "judges": draw(st.none() | _judges("c")),
        },
        playoffs={
            "enabled": draw(st.booleans()),
            "models": draw(st.none() | models),
            "iterations": draw(_few),
        },
        seed=draw(st.integers(0, 3)),
    )


@st.composite
def _judges(draw: st.DrawFn, name: str) -> list[dict[str, Any]]:
    return [
        {"name": f"{name}{number}", "provider": "alpha", "model": "j", "iterations": draw(_few),
         "weight": draw(st.sampled_from([0.0, 1.0, 2.0]))}
        for number in range(draw(st.integers(0, 2)))
    ]  # fmt: skip


def anything(seed: int, failing: float) -> Results:
    """Return results that are drawn, of which that share fails."""
    draw = random.Random(seed)

    def results(unit: Artifact | Evaluation | Comparison) -> float | None:
        if draw.random() < failing:
            return None
        return draw.choice([-1.0, 0.0, 1.0]) if isinstance(unit, Comparison) else draw.uniform(1, 9)

    return results


results = st.builds(anything, st.integers(0, 99), st.sampled_from([0.0, 0.2, 0.6]))


def keys(units: list[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield what the tables take for the identity of units."""
    for unit in units:
        if isinstance(unit, Artifact):
            yield unit.generator, unit.variant, unit.iteration
        elif isinstance(unit, Evaluation):
            yield unit.artifact_id, unit.judge, unit.iteration
        else:
            yield unit.a_id, unit.b_id, unit.judge, unit.iteration


def numbers(went: Played) -> dict[str, int]:
    view = went.view
    return {
        "generate": sum(not unit.combined for unit in view.artifacts),
        "combine": sum(unit.combined for unit in view.artifacts),
        "score": len(view.evaluations),
        "compare": len(view.comparisons),
    }


def at_stage(view: DocumentSnapshot, stage: Stage) -> DocumentSnapshot:
    return view._replace(document=view.document.model_copy(update={"stage": stage}))


def without_ids(step: NextStep | None) -> Any:
    if step is None:
        return None
    units = [*step.artifacts, *step.comparisons]
    return step.stage, [unit.model_copy(update={"id": ""}) for unit in units], step.outcome


_WITHOUT_SCORES = stored.config(
    runs=[{"type": "fpf", "provider": "alpha", "model": "m", "iterations": 4}],
    judges=[],
    pairwise={"top_n": 2, "judges": [{"name": "c", "provider": "alpha", "model": "j"}]},
)


@few
@given(configs(_TO_THE_END), st.integers(0, 99))
@example(_WITHOUT_SCORES, 0)
def test_a_plan_counts_exactly_what_is_done_when_nothing_fails(config: Config, seed: int) -> None:
    went = play(config, anything(seed, 0.0))

    planned = plan(config, "Write.", None, ["The source."], NOW)

    assert planned.units == numbers(went)
    assert planned.likely.calls == sum(numbers(went).values())


@given(configs(), results)
def test_a_plan_is_the_most_that_is_done_whatever_fails(config: Config, results: Results) -> None:
    went = play(config, results)

    planned = plan(config, "Write.", None, ["The source."], NOW)

    done = numbers(went)
    assert all(done[kind] <= most for kind, most in planned.units.items())


@given(configs(), results)
def test_no_unit_is_ever_planned_twice(config: Config, results: Results) -> None:
    went = play(config, results)

    for units in (went.view.artifacts, went.view.evaluations, went.view.comparisons):
        counted = Counter(keys(list(units)))
        assert counted.total() == len(counted)


@given(configs(), results)
def test_a_document_that_goes_through_its_stages_again_plans_nothing_new(
    config: Config, results: Results
) -> None:
    went = play(config, results)

    for stage in ("generate", "compare", "combine", "playoff"):
        step = next_step(at_stage(went.view, stage), config, making())
        assert step is not None
        assert (step.stage, step.outcome) == ("finished", went.outcome)


@given(configs(), results)
def test_the_same_question_gets_the_same_answer(config: Config, results: Results) -> None:
    went = play(config, results)
    seen = went.view._replace(comparisons=[])

    for stage in ("generate", "compare", "combine", "playoff"):
        view = at_stage(seen, stage)
        copy = DocumentSnapshot(view.document, list(view.artifacts), list(view.evaluations), [])
        answers = [without_ids(next_step(view, config, making())) for _ in range(2)]
        assert answers[0] == answers[1]
        assert view == copy


@given(configs(), results)
def test_every_document_ends_with_a_winner_or_the_reason_why_not(
    config: Config, results: Results
) -> None:
    went = play(config, results)

    ranked = [standing.artifact_id for standing in went.outcome.standings]
    assert went.outcome.reason
    assert sorted(ranked) == sorted(artifact.id for artifact in went.view.candidates)
    judged = bool(config.scoring_judges or config.comparing_judges) or len(ranked) == 1
    assert (went.outcome.winner_id in ranked) == (went.outcome.state == "done" and judged)
    assert (went.outcome.state == "failed") == (not ranked)


@given(configs(), results)
def test_comparisons_of_the_playoffs_are_about_new_candidates(
    config: Config, results: Results
) -> None:
    went = play(config, results)

    new = {artifact.id for artifact in went.view.candidates if artifact.combined}
    for step in went.steps:
        for unit in step.comparisons:
            assert bool({unit.a_id, unit.b_id} & new) == (step.stage == "playoff")
