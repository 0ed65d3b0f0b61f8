import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking import scores
from schemas.config.config import Config
from schemas.config.judging import DEFAULT_CRITERIA, Criterion, Judge
from schemas.config.ranking import Aggregation, Playoffs, RankingOptions
from schemas.ranking import ScoreSummary
from schemas.units import Evaluation, UnitState
from tests.support.judged import artifact, config, evaluation, judge


def settings(
    *judges: Judge,
    criteria: tuple[Criterion, ...] | None = None,
    playoffs: Playoffs | None = None,
    aggregation: Aggregation = "mean",
) -> Config:
    values = {
        "judges": judges or (judge(),),
        "playoffs": playoffs or Playoffs(),
        "ranking": RankingOptions(aggregation=aggregation),
    }
    return config(criteria=criteria).model_copy(update=values)


def of_p(given_scores: list[Evaluation], known: Config) -> ScoreSummary:
    return scores.summaries([artifact("p")], given_scores, known)["p"]


def test_overall_does_not_need_weights_that_sum_to_one() -> None:
    criteria = [Criterion(name="x", weight=3), Criterion(name="y", weight=1)]

    assert scores.overall({"x": 8, "y": 4}, criteria) == 7.0


def test_overall_refuses_a_missing_criterion() -> None:
    with pytest.raises(ValueError, match="no score for clarity, formatting"):
        scores.overall({"accuracy": 8, "completeness": 7, "relevance": 9}, DEFAULT_CRITERIA)


def test_overall_refuses_criteria_without_any_weight() -> None:
    with pytest.raises(ValueError, match="no weight"):
        scores.overall({"x": 8}, [Criterion(name="x", weight=0)])


@given(st.lists(st.integers(1, 10), min_size=5, max_size=5))
def test_overall_lies_between_lowest_and_highest_score(given_scores: list[int]) -> None:
    named = {one.name: score for one, score in zip(DEFAULT_CRITERIA, given_scores, strict=True)}

    found = scores.overall(named, DEFAULT_CRITERIA)

    assert min(given_scores) - 1e-9 <= found <= max(given_scores) + 1e-9


def test_iterations_become_one_before_judges_are_weighed() -> None:
    given_scores = [
        evaluation("p", 4, judge="one", iteration=1, scores={"x": 3, "y": 5}),
        evaluation("p", 6, judge="one", iteration=2, scores={"x": 5, "y": 7}),
        evaluation("p", 9, judge="two", iteration=1, scores={"x": 8, "y": 10}),
    ]
    criteria = (Criterion(name="x"), Criterion(name="y"), Criterion(name="never scored"))

    summary = of_p(given_scores, settings(judge("one", 3), judge("two", 1), criteria=criteria))

    assert summary.overall == 6.0
    assert summary.by_judge == {"one": 5.0, "two": 9.0}
    assert summary.criteria == {"x": 5.0, "y": 7.0}
    assert (summary.lowest, summary.highest, summary.count) == (4.0, 9.0, 3)
    assert summary.std_dev == pytest.approx(2.5166, abs=1e-4)


@pytest.mark.parametrize(
    ("aggregation", "by_one", "overall"),
    [("mean", 5.5, 6.25), ("median", 6.5, 6.75), ("trimmed_mean", 6.5, 6.75)],
)
def test_a_slip_of_one_judge_counts_less_by_median_and_trimmed_mean(
    aggregation: Aggregation, by_one: float, overall: float
) -> None:
    slipped = [
        evaluation("p", score, judge="one", iteration=place, scores={"x": score})
        for place, score in enumerate((6, 8, 7, 1), 1)
    ]
    known = settings(
        judge("one"), judge("two"), criteria=(Criterion(name="x"),), aggregation=aggregation
    )

    summary = of_p([*slipped, evaluation("p", 7, judge="two", scores={"x": 7})], known)

    assert summary.by_judge == {"one": by_one, "two": 7.0}
    assert summary.overall == overall
    assert summary.criteria == {"x": overall}
    assert (summary.lowest, summary.highest, summary.count) == (1.0, 8.0, 5)


@given(
    st.lists(st.integers(10, 100), min_size=1, max_size=9),
    st.sampled_from(["mean", "median", "trimmed_mean"]),
)
def test_aggregate_lies_between_lowest_and_highest_in_whatever_order(
    given_scores: list[int], aggregation: Aggregation
) -> None:
    values = [score / 10 for score in given_scores]

    found = scores.over_iterations(values, aggregation)

    assert found == scores.over_iterations(values[::-1], aggregation)
    assert min(values) - 1e-9 <= found <= max(values) + 1e-9


@given(st.randoms(use_true_random=False))
def test_order_of_evaluations_changes_nothing(luck: random.Random) -> None:
    given_scores = [
        evaluation("p", luck.uniform(1, 10), judge=name, iteration=number)
        for name in ("one", "two", "three")
        for number in range(1, 4)
    ]
    known = settings(judge("one", 0.3), judge("two", 0.7), judge("three", 1.1))
    shuffled = luck.sample(given_scores, len(given_scores))

    assert of_p(given_scores, known) == of_p(shuffled, known)


def test_judge_of_weight_zero_is_not_counted() -> None:
    given_scores = [
        evaluation("p", 8, judge="one"),
        evaluation("p", 1, judge="off"),
        evaluation("p", 1, judge="stranger"),
        evaluation("q", 1, judge="off"),
    ]
    artifacts = [artifact("p"), artifact("q")]

    found = scores.summaries(artifacts, given_scores, settings(judge("one"), judge("off", 0)))

    assert found.keys() == {"p"}
    assert (found["p"].overall, found["p"].count, found["p"].missing) == (8.0, 1, 0)


@pytest.mark.parametrize("state", ["planned", "claimed", "failed", "cancelled"])
def test_evaluation_without_a_result_counts_as_missing(state: UnitState) -> None:
    given_scores = [evaluation("p", 8), evaluation("p", None, iteration=2, state=state)]

    summary = of_p(given_scores, settings())

    assert (summary.overall, summary.count, summary.missing) == (8.0, 1, 1)


def test_a_judge_that_failed_every_time_leaves_the_others_their_weights() -> None:
    given_scores = [
        evaluation("p", None, judge="one", state="failed"),
        evaluation("p", 6, judge="two"),
        evaluation("p", 9, judge="three"),
    ]

    summary = of_p(given_scores, settings(judge("one", 5), judge("two", 2), judge("three", 1)))

    assert summary.overall == 7.0
    assert summary.by_judge == {"two": 6.0, "three": 9.0}
    assert summary.missing == 1


def test_artifact_without_any_result_is_absent() -> None:
    failed = [evaluation("p", None, state="failed")]

    assert scores.summaries([artifact("p")], failed, settings()) == {}


def test_only_the_given_artifacts_are_told_of() -> None:
    given_scores = [evaluation("p", 8), evaluation("of another document", 3)]

    assert scores.summaries([artifact("p")], given_scores, settings()).keys() == {"p"}


def test_combined_candidates_are_scored_by_judges_and_criteria_of_their_own() -> None:
    playoffs = Playoffs(judges=(judge("late"),), criteria=(Criterion(name="coherence"),))
    known = settings(judge("early"), criteria=(Criterion(name="x"),), playoffs=playoffs)
    given_scores = [
        evaluation(name, score, judge=by, scores={"x": score, "coherence": score})
        for name in ("p", "mix")
        for by, score in (("early", 4), ("late", 9))
    ]

    found = scores.summaries([artifact("p"), artifact("mix", parents=("p",))], given_scores, known)

    assert (found["p"].overall, found["p"].criteria, found["p"].same_scale) == (4, {"x": 4}, True)
    assert (found["mix"].overall, found["mix"].criteria) == (9, {"coherence": 9})
    assert not found["mix"].same_scale


def test_combined_candidates_are_on_the_same_scale_with_the_same_judges() -> None:
    found = scores.summaries(
        [artifact("mix", parents=("p",))], [evaluation("mix", 8)], settings(judge())
    )

    assert found["mix"].same_scale


def test_confidence_falls_as_scores_spread() -> None:
    spreads = [0.0, 0.2, 0.6, 0.9, 1.1, 3.0]
    found = [
        of_p([evaluation("p", 5 - x), evaluation("p", 5 + x, iteration=2)], settings()).confidence
        for x in spreads
    ]

    worth = {"high": 0, "medium": 1, "low": 2, None: 3}
    assert all(worth[one] <= worth[two] for one, two in pairwise(found))
    assert (found[0], found[-1]) == ("high", "low")


def test_one_score_has_no_spread_to_be_sure_by() -> None:
    summary = of_p([evaluation("p", 8)], settings())

    assert (summary.std_dev, summary.confidence) == (None, None)
