"""The examples and rules of seed 003, sections 5.3, 6.3, 9 and 16.2 to 16.3."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_workers.ranking import scores
from schemas.config.config import Config
from schemas.config.judging import DEFAULT_CRITERIA, Criterion, Judge
from schemas.config.ranking import Aggregation, Playoffs, RankingOptions
from schemas.ranking import JudgeScores, ScoreSummary
from schemas.units import Evaluation, UnitState
from tests.support.judging_records import artifact, config, evaluation, judge
from tests.support.records_builder import CRITERIA


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
        scores.overall({"accuracy": 8, "completeness": 7, "relevance": 9}, CRITERIA)


def test_overall_refuses_criteria_without_any_weight() -> None:
    with pytest.raises(ValueError, match="no weight"):
        scores.overall({"x": 8}, [Criterion(name="x", weight=0)])


@given(st.lists(st.integers(1, 10), min_size=5, max_size=5))
def test_overall_lies_between_lowest_and_highest_score(given_scores: list[int]) -> None:
    named = {one.name: score for one, score in zip(CRITERIA, given_scores, strict=True)}

    found = scores.overall(named, CRITERIA)

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


EXAMPLE = {"accuracy": 8, "completeness": 7, "clarity": 9, "relevance": 8, "formatting": 7}


def judges(**weights: float) -> Config:
    named = tuple(judge(name, weight) for name, weight in weights.items())
    criteria = tuple(Criterion(name=name) for name in ("x", "y"))
    return config(criteria=criteria).model_copy(update={"judges": named})


def summary(given: list[Evaluation], known: Config) -> ScoreSummary:
    return scores.summaries([artifact("p")], given, known)["p"]


@pytest.mark.parametrize(
    ("weights", "final"), [((1.0, 1.0), 7.5), ((3.0, 1.0), 7.75), ((0.0, 1.0), 7.0)]
)
def test_5_3_judges_are_weighed(weights: tuple[float, float], final: float) -> None:
    given = [evaluation("p", 8, judge="gpt"), evaluation("p", 7, judge="claude")]

    found = summary(given, judges(gpt=weights[0], claude=weights[1]))

    assert found.overall == final


def test_6_1_default_criteria() -> None:
    assert {one.name: one.weight for one in DEFAULT_CRITERIA} == {
        "accuracy": 0.30, "completeness": 0.25, "clarity": 0.20, "relevance": 0.15,
        "formatting": 0.10,
    }  # fmt: skip
    assert {(one.min, one.max, one.step) for one in DEFAULT_CRITERIA} == {(1, 10, 1)}


def test_6_3_overall_of_the_example_is_7_85() -> None:
    parts = {one.name: round(EXAMPLE[one.name] * one.weight, 2) for one in CRITERIA}

    assert list(parts.values()) == [2.4, 1.75, 1.8, 1.2, 0.7]
    assert scores.overall(EXAMPLE, CRITERIA) == pytest.approx(7.85)


def test_6_4_criteria_of_a_run_replace_the_default_ones() -> None:
    own = [
        Criterion(name="accuracy", weight=0.40),
        Criterion(name="completeness", weight=0.30),
        Criterion(name="policy_alignment", weight=0.30),
    ]

    found = scores.overall({"accuracy": 8, "completeness": 7, "policy_alignment": 6}, own)

    assert found == pytest.approx(7.1)


def test_9_1_a_scale_may_be_given_in_steps() -> None:
    assert Criterion(name="x", min=1, max=5).scale == (1, 2, 3, 4, 5)
    assert Criterion(name="x", min=0, max=10, step=5).scale == (0, 5, 10)
    with pytest.raises(ValueError, match="max must be at least one step above min"):
        Criterion(name="x", min=5, max=5)


def test_9_2_weights_need_not_sum_to_one() -> None:
    doubled = [one.model_copy(update={"weight": 2 * one.weight}) for one in CRITERIA]

    assert scores.overall(EXAMPLE, doubled) == pytest.approx(7.85)


def test_9_3_criteria_are_averaged_over_judges() -> None:
    given = [
        evaluation("p", 8, judge="a", scores={"x": 9, "y": 7}),
        evaluation("p", 6, judge="b", scores={"x": 5, "y": 7}),
    ]

    found = summary(given, judges(a=1, b=1))

    assert (found.criteria, found.overall) == ({"x": 7.0, "y": 7.0}, 7.0)
    assert len(found.by_judge) == 2
    assert found.std_dev == pytest.approx(1.4142, abs=1e-4)


@pytest.mark.parametrize(
    ("aggregation", "values", "found"),
    [
        ("mean", [6, 8, 7], 7.0),
        ("median", [6, 9, 7], 7.0),
        ("median", [9], 9.0),
        # The seed's sorted(scores)[count // 2] would be 8: see ops/decisions/0017.
        ("median", [6, 8], 7.0),
        ("trimmed_mean", [1, 7, 8, 9], 7.5),
        ("trimmed_mean", [1, 7, 9], 7.0),
        ("trimmed_mean", [1, 9], 5.0),
        ("trimmed_mean", [4], 4.0),
    ],
)
def test_9_4_iterations(aggregation: Aggregation, values: list[float], found: float) -> None:
    assert scores.over_iterations(values, aggregation) == found


def test_9_4_mean_is_the_default() -> None:
    assert config().ranking.aggregation == "mean"


@pytest.mark.parametrize(
    ("values", "std_dev", "confidence"),
    [
        ([8], None, None),
        ([8, 8], 0.0, "high"),
        ([7.7, 8.3], 0.4243, "high"),
        ([7.5, 8, 8.5], 0.5, "medium"),
        ([7, 8, 9], 1.0, "medium"),
        ([6.9, 8, 9], 1.0504, "low"),
    ],
)
def test_9_5_confidence(values: list[float], std_dev: float | None, confidence: str | None) -> None:
    given = [evaluation("p", score, judge="a", iteration=one) for one, score in enumerate(values)]

    found = summary(given, judges(a=1))

    assert found.confidence == confidence
    assert found.std_dev == (None if std_dev is None else pytest.approx(std_dev, abs=1e-4))


def test_9_6_a_summary_tells_everything() -> None:
    given = [
        evaluation("p", 6, judge="a", iteration=1, scores={"x": 5, "y": 7}),
        evaluation("p", 8, judge="a", iteration=2, scores={"x": 7, "y": 9}),
        evaluation("p", 9, judge="b", iteration=1, scores={"x": 9, "y": 9}),
        evaluation("p", None, judge="b", iteration=2, state="failed"),
    ]

    found = summary(given, judges(a=1, b=1))

    assert found == ScoreSummary(
        artifact_id="p",
        overall=8.0,
        criteria={"x": 7.5, "y": 8.5},
        by_judge={"a": 7.0, "b": 9.0},
        std_dev=found.std_dev,
        lowest=6.0,
        highest=9.0,
        confidence="low",
        count=3,
        missing=1,
        judges=(
            JudgeScores(judge="a", weight=1, overall=7.0, singles=(6.0, 8.0)),
            JudgeScores(judge="b", weight=1, overall=9.0, singles=(9.0,)),
        ),
        scale=9.0,
    )
    assert found.std_dev == pytest.approx(1.5275, abs=1e-4)


def test_16_2_iterations_of_one_judge_are_averaged() -> None:
    given = [
        evaluation("p", 7, judge="a", iteration=1, scores={"x": 6, "y": 8}),
        evaluation("p", 9, judge="a", iteration=2, scores={"x": 10, "y": 8}),
    ]

    found = summary(given, judges(a=1))

    assert (found.overall, found.criteria) == (8.0, {"x": 8.0, "y": 8.0})


def test_16_3_judges_are_weighed_after_their_iterations_became_one() -> None:
    thrice = [
        evaluation("p", 4, judge="a", iteration=one, scores={"x": 2, "y": 6}) for one in (1, 2, 3)
    ]
    once = [evaluation("p", 8, judge="b", scores={"x": 6, "y": 10})]

    found = summary([*thrice, *once], judges(a=1, b=3))

    assert found.overall == 7.0
    assert found.criteria == {"x": 5.0, "y": 9.0}
