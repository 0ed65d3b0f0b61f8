"""The examples and rules of seed 003, sections 5.3, 6.3, 9 and 16.2 to 16.3."""

import pytest

from acm_workers.ranking import scores
from schemas.config.config import Config
from schemas.config.judging import DEFAULT_CRITERIA, Criterion
from schemas.config.ranking import Aggregation
from schemas.ranking import ScoreSummary
from schemas.units import Evaluation
from tests.support.judged import artifact, config, evaluation, judge

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
    parts = {one.name: round(EXAMPLE[one.name] * one.weight, 2) for one in DEFAULT_CRITERIA}

    assert list(parts.values()) == [2.4, 1.75, 1.8, 1.2, 0.7]
    assert scores.overall(EXAMPLE, DEFAULT_CRITERIA) == pytest.approx(7.85)


def test_6_4_criteria_of_a_run_replace_the_default_ones() -> None:
    own = [
        Criterion(name="accuracy", weight=0.40),
        Criterion(name="completeness", weight=0.30),
        Criterion(name="policy_alignment", weight=0.30),
    ]

    found = scores.overall({"accuracy": 8, "completeness": 7, "policy_alignment": 6}, own)

    assert found == pytest.approx(7.1)


def test_9_1_a_scale_may_be_given_in_steps() -> None:
    assert Criterion(name="x", min=1, max=5).scale == [1, 2, 3, 4, 5]
    assert Criterion(name="x", min=0, max=10, step=5).scale == [0, 5, 10]
    with pytest.raises(ValueError, match="max must be at least one step above min"):
        Criterion(name="x", min=5, max=5)


def test_9_2_weights_need_not_sum_to_one() -> None:
    doubled = [one.model_copy(update={"weight": 2 * one.weight}) for one in DEFAULT_CRITERIA]

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
