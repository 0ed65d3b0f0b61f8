"""A document whose texts were taken over: judged in all stages, and nothing is written."""

from acm_workers.engine import rejudging
from acm_workers.pipeline import plan, units
from acm_workers.pipeline.snapshot import DocumentSnapshot
from schemas.units import Artifact
from tests.support import pipeline_runs, stored
from tests.support.pipeline_runs import ByRank, begun, ended, play
from tests.support.stored import making

CONFIG = rejudging.without_playoffs(
    stored.config(pairwise={"strategy": "round_robin", "position_swap": "none"})
)


def with_combined(results: ByRank) -> DocumentSnapshot:
    """Return a document of two candidates and one that combines them, all written and scored."""
    view = begun(CONFIG, results)
    first, second = view.artifacts
    child = Artifact(
        id=stored.new_id(),
        run_id=first.run_id,
        document_id=first.document_id,
        generator="combine",
        variant=1,
        iteration=1,
        number=1,
        provider="alpha",
        model="m1",
        lane="generate.alpha",
        parents=(second.id, first.id),
        created_at=stored.NOW,
    )
    written = ended(child, results)
    scored = [ended(unit, results) for unit in units.evaluations(written, CONFIG, making())]
    return view._replace(
        artifacts=[*view.artifacts, written], evaluations=[*view.evaluations, *scored]
    )


def test_combined_candidates_that_are_there_are_compared_and_may_win() -> None:
    results = ByRank(fused=9.0)
    view = with_combined(results)
    first, second, child = (artifact.id for artifact in view.artifacts)

    went = play(CONFIG, results, view)

    assert went.stages == ["compare", "playoff", "finished"]
    assert all(not step.artifacts for step in went.steps)
    assert pipeline_runs.pairs(went.view.comparisons) == {
        frozenset((first, second)),
        frozenset((first, child)),
        frozenset((second, child)),
    }
    assert went.outcome.winner_id == child
    assert [fusion.artifact_id for fusion in went.outcome.fusions] == [child]


def test_without_combined_candidates_none_is_made() -> None:
    results = ByRank()

    went = play(CONFIG, results)

    assert went.stages == ["compare", "finished"]
    assert len(went.view.artifacts) == 2


def test_a_single_candidate_beside_a_combined_one_is_compared_with_it() -> None:
    results = ByRank(fused=9.0)
    view = with_combined(results)
    lonely = view._replace(artifacts=view.artifacts[1:])

    assert play(CONFIG, results, lonely).stages == ["playoff", "finished"]


def test_the_plan_counts_the_judging_of_what_is_there() -> None:
    found = plan.plan_judging(
        CONFIG, "Write.", None, [("A source.", 2, 1), ("B", 2, 0)], stored.NOW
    )

    # 2 scores and 1 pair for each; 2 scores of the combined one, and 2 pairs with it.
    assert (found.likely.calls, found.likely.usd) == (2 * (2 + 1) + 2 + 2, None)
