"""The outcome of a version that judges scored."""

from collections.abc import Sequence

from acm_workers.submissions.execution import VersionOutcome
from schemas.config.config import Config
from schemas.ranking import ScoreSummary
from schemas.submissions import Score
from schemas.units import Evaluation

_MOST_MESSAGE = 2000
_MOST_ERROR = 2000


def outcome(
    summary: ScoreSummary | None, evaluations: Sequence[Evaluation], config: Config
) -> VersionOutcome:
    """Return the score of a version, or a failure if no judge gave a score.

    Args:
        summary: Summary of the evaluations; None if none has a result.
        evaluations: All planned evaluations.
    """
    if summary is None:
        found = [one.error for one in evaluations if one.error]
        why = found[0] if found else "there is no judge"
        return VersionOutcome(
            cause="evaluator", error=f"Evaluation system error: {why}"[:_MOST_ERROR]
        )
    formatted = {name: round(value, 2) for name, value in summary.criteria.items()}
    metrics: dict[str, float | int] = dict(formatted)
    metrics["judgements"] = summary.count
    if summary.missing:
        metrics["missing judgements"] = summary.missing
    if summary.filled:
        metrics["filled judgements"] = summary.filled
    score = Score(
        value=float(summary.overall), metrics=metrics, message=_message(evaluations, config)
    )
    return VersionOutcome(score=score)


def _message(evaluations: Sequence[Evaluation], config: Config) -> str:
    """Return the reasons of the first evaluation with reasons, by criterion."""
    for one in evaluations:
        said = [
            f"{criterion.name}: {one.reasons[criterion.name]}"
            for criterion in config.criteria
            if one.reasons.get(criterion.name)
        ]
        if said:
            return "\n".join(said)[:_MOST_MESSAGE].replace("\0", "\N{REPLACEMENT CHARACTER}")
    return ""
