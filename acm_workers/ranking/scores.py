"""Scores: aggregated from single criteria to one number per candidate."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.config.config import Config
from schemas.config.judging import Criterion
from schemas.config.ranking import Aggregation
from schemas.ranking import Confidence, JudgeScores, ScoreSummary
from schemas.units import Artifact, Evaluation

_TRIMMED = 3
"""Minimum number of scores for a trimmed mean, which omits the highest and the lowest."""


def overall(scores: Mapping[str, float], criteria: Sequence[Criterion]) -> float:
    """Return the weighted mean of the scores, by criterion name.

    Raises:
        ValueError: A criterion has no score, or no criterion has a weight above 0.
    """
    missing = [criterion.name for criterion in criteria if criterion.name not in scores]
    if missing:
        raise ValueError(f"no score for {', '.join(missing)}")
    return _weighted((scores[criterion.name], criterion.weight) for criterion in criteria)


def summaries(
    artifacts: Iterable[Artifact], evaluations: Iterable[Evaluation], config: Config
) -> dict[str, ScoreSummary]:
    """Aggregate the evaluations of each artifact, by artifact id.

    Only evaluations by the artifact's judges with a weight above 0 count; an artifact without any
    result is absent. Missing values are not filled in.

    Args:
        artifacts: Artifacts whose evaluations are aggregated.
        evaluations: Evaluations of any artifacts, in any order.
        config: Only judges, criteria, playoffs and ranking are read.
    """
    by_artifact: dict[str, list[Evaluation]] = {}
    for evaluation in evaluations:
        by_artifact.setdefault(evaluation.artifact_id, []).append(evaluation)
    rules = {combined: _aggregation(config, combined=combined) for combined in (False, True)}
    found = {}
    for artifact in artifacts:
        rule = rules[artifact.combined]
        planned = [one for one in by_artifact.get(artifact.id, ()) if one.judge in rule.weights]
        if any(has_result(evaluation) for evaluation in planned):
            found[artifact.id] = _summary(artifact, planned, rule)
    return found


def has_result(evaluation: Evaluation) -> bool:
    """Return whether an evaluation has scores."""
    return evaluation.state == "done" and evaluation.overall is not None


def over_iterations(values: Sequence[float], aggregation: Aggregation) -> float:
    """Return the aggregate of the scores that a judge gave a candidate in its iterations.

    The median of an even number of scores is the mean of the two middle scores.
    """
    if aggregation == "median":
        return statistics.median(values)
    if aggregation == "trimmed_mean" and len(values) >= _TRIMMED:
        return statistics.fmean(sorted(values)[1:-1])
    return statistics.fmean(values)


class _Aggregation(NamedTuple):
    """The aggregation of the scores of one kind of candidate; weights by judge."""

    weights: Mapping[str, float]
    criteria: Sequence[Criterion]
    aggregation: Aggregation
    same_scale: bool


def _aggregation(config: Config, *, combined: bool) -> _Aggregation:
    return _Aggregation(
        {judge.name: judge.weight for judge in config.judges_of(combined=combined)},
        config.criteria_of(combined=combined),
        config.ranking.aggregation,
        not combined or config.playoffs.same_scale,
    )


def _with_checks(
    score: float, artifact: Artifact, criteria: Sequence[Criterion], ends: tuple[float, float]
) -> float:
    """Return an overall score with the checks of the candidate as further criteria.

    Args:
        ends: The lowest and the highest overall score, between which checks score as well.
    """
    low, high = ends
    weight = sum(criterion.weight for criterion in criteria)
    checked = [
        (low + (high - low) * check.score, check.weight)
        for check in artifact.checks
        if check.score is not None and check.weight > 0
    ]
    return _weighted([(score, weight), *checked]) if checked else score


def _summary(artifact: Artifact, planned: Sequence[Evaluation], rule: _Aggregation) -> ScoreSummary:
    lowest = {criterion.name: float(criterion.min) for criterion in rule.criteria}
    highest = {criterion.name: float(criterion.max) for criterion in rule.criteria}
    ends = overall(lowest, rule.criteria), overall(highest, rule.criteria)
    # Sorted, or the order of arrival would decide about the last digit.
    done = sorted(filter(has_result, planned), key=lambda one: (one.judge, one.iteration, one.id))
    singles = [
        (one.judge, _with_checks(one.overall, artifact, rule.criteria, ends))
        for one in done
        if one.overall is not None
    ]
    by_judge = _by_judge(singles, rule.aggregation)
    by_criterion = {
        criterion.name: _by_judge(
            (
                (one.judge, one.scores[criterion.name])
                for one in done
                if criterion.name in one.scores
            ),
            rule.aggregation,
        )
        for criterion in rule.criteria
    }
    values = [score for _, score in singles]
    std_dev = statistics.stdev(values) if len(values) > 1 else None
    return ScoreSummary(
        artifact_id=artifact.id,
        overall=_over_judges(by_judge, rule.weights),
        criteria={
            name: _over_judges(given, rule.weights) for name, given in by_criterion.items() if given
        },
        by_judge=by_judge,
        std_dev=std_dev,
        lowest=min(values),
        highest=max(values),
        confidence=_confidence(std_dev),
        count=len(values),
        missing=len(planned) - len(done),
        filled=sum(bool(one.filled) for one in done),
        same_scale=rule.same_scale,
        judges=tuple(
            JudgeScores(
                judge=judge,
                weight=rule.weights[judge],
                overall=score,
                singles=tuple(single for name, single in singles if name == judge),
            )
            for judge, score in by_judge.items()
        ),
        scale=ends[1] - ends[0],
    )


def _by_judge(scores: Iterable[tuple[str, float]], aggregation: Aggregation) -> dict[str, float]:
    """Return the score by judge, aggregated over iterations."""
    by_judge: dict[str, list[float]] = {}
    for judge, score in scores:
        by_judge.setdefault(judge, []).append(score)
    return {judge: over_iterations(given, aggregation) for judge, given in by_judge.items()}


def _over_judges(given: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return _weighted((score, weights[judge]) for judge, score in given.items())


def _weighted(values: Iterable[tuple[float, float]]) -> float:
    pairs = list(values)
    total = sum(weight for _, weight in pairs)
    if total <= 0:
        raise ValueError("no weight is above 0")
    return sum(value * weight for value, weight in pairs) / total


def _confidence(std_dev: float | None) -> Confidence | None:
    if std_dev is None:
        return None
    if std_dev < 0.5:
        return "high"
    return "medium" if std_dev <= 1.0 else "low"
