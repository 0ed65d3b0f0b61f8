"""Scores: from single criteria to one number per candidate."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from schemas.config.config import Config
from schemas.config.judging import Criterion
from schemas.config.ranking import Aggregation
from schemas.ranking import Confidence, ScoreSummary
from schemas.units import Artifact, Evaluation

_TRIMMED = 3
"""So many scores there must be for the highest and the lowest to be left out."""


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

    Evaluations by anybody but the artifact's judges with a weight above 0 are not counted; an
    artifact without any result is absent. Nothing that is missing is filled in.

    Args:
        artifacts: Those to tell of.
        evaluations: Of any artifacts, in any order.
        config: Its judges, criteria, playoffs and way of aggregation.
    """
    by_artifact: dict[str, list[Evaluation]] = {}
    for evaluation in evaluations:
        by_artifact.setdefault(evaluation.artifact_id, []).append(evaluation)
    ways = {combined: _way(config, combined=combined) for combined in (False, True)}
    found = {}
    for artifact in artifacts:
        way = ways[artifact.combined]
        planned = [one for one in by_artifact.get(artifact.id, ()) if one.judge in way.weights]
        if any(has_result(evaluation) for evaluation in planned):
            found[artifact.id] = _summary(artifact.id, planned, way)
    return found


def has_result(evaluation: Evaluation) -> bool:
    """Return whether a judge's scores are there."""
    return evaluation.state == "done" and evaluation.overall is not None


def over_iterations(values: Sequence[float], aggregation: Aggregation) -> float:
    """Return as one what a judge gave a candidate in several iterations; at least one.

    The median of an even number is the mean of the two in the middle.
    """
    if aggregation == "median":
        return statistics.median(values)
    if aggregation == "trimmed_mean" and len(values) >= _TRIMMED:
        return statistics.fmean(sorted(values)[1:-1])
    return statistics.fmean(values)


class _Way(NamedTuple):
    """How the scores of one kind of candidate become one: weights by judge."""

    weights: Mapping[str, float]
    criteria: Sequence[Criterion]
    aggregation: Aggregation
    same_scale: bool


def _way(config: Config, *, combined: bool) -> _Way:
    return _Way(
        {judge.name: judge.weight for judge in config.judges_of(combined=combined)},
        config.criteria_of(combined=combined),
        config.ranking.aggregation,
        not combined or config.playoffs.same_scale,
    )


def _summary(artifact_id: str, planned: Sequence[Evaluation], way: _Way) -> ScoreSummary:
    # By iteration, lest the order in which they came in decide about the last digit.
    done = sorted(filter(has_result, planned), key=lambda one: (one.judge, one.iteration, one.id))
    singles = [(one.judge, one.overall) for one in done if one.overall is not None]
    by_judge = _by_judge(singles, way.aggregation)
    by_criterion = {
        criterion.name: _by_judge(
            (
                (one.judge, one.scores[criterion.name])
                for one in done
                if criterion.name in one.scores
            ),
            way.aggregation,
        )
        for criterion in way.criteria
    }
    values = [score for _, score in singles]
    std_dev = statistics.stdev(values) if len(values) > 1 else None
    return ScoreSummary(
        artifact_id=artifact_id,
        overall=_over_judges(by_judge, way.weights),
        criteria={
            name: _over_judges(given, way.weights) for name, given in by_criterion.items() if given
        },
        by_judge=by_judge,
        std_dev=std_dev,
        lowest=min(values),
        highest=max(values),
        confidence=_confidence(std_dev),
        count=len(values),
        missing=len(planned) - len(done),
        filled=sum(bool(one.filled) for one in done),
        same_scale=way.same_scale,
    )


def _by_judge(scores: Iterable[tuple[str, float]], aggregation: Aggregation) -> dict[str, float]:
    """Return what each judge gave, its iterations as one."""
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
