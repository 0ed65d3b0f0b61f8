"""The tasks that score one candidate and compare one pair."""

from celery import shared_task

from acm_workers.calls.caller import Caller
from acm_workers.calls.unit_work import UnitResult
from acm_workers.judging import compare as comparing
from acm_workers.judging import score as scoring
from acm_workers.judging.conversation import JudgingContext
from acm_workers.runtime import Runtime
from acm_workers.store import artifacts, comparisons, evaluations
from acm_workers.tasks import unit_task
from acm_workers.tasks.unit_task import never_raises
from schemas.config.config import Config
from schemas.config.judging import Criterion, Judge
from schemas.config.variant import Delivery
from schemas.units import Comparison, Evaluation


# Results exist for the counting of chords, whose headers these tasks are.
@shared_task(name="acm.score", ignore_result=False)
@never_raises
def score(evaluation_id: str) -> None:
    """Score one candidate with one judge in one iteration."""
    unit_task.run("evaluation", evaluation_id, evaluations.get, score_with, _score_delivery)


@shared_task(name="acm.compare", ignore_result=False)
@never_raises
def compare(comparison_id: str) -> None:
    """Compare one pair with one judge in one order and iteration."""
    unit_task.run("comparison", comparison_id, comparisons.get, compare_with, _compare_delivery)


def score_with(live: Runtime, evaluation: Evaluation, caller: Caller) -> UnitResult:
    """Return the scores of a candidate, requested through ``caller``."""
    config = live.run(evaluation.run_id).config
    combined = _is_combined(live, config, evaluation.artifact_id)
    judge = _judge(config.judges_of(combined=combined), evaluation)
    context = _context(live, evaluation, judge, config.criteria_of(combined=combined))
    scored = scoring.score(caller, judge, context, live.text(evaluation.artifact_id))
    return UnitResult(scored.model_dump())


def compare_with(live: Runtime, comparison: Comparison, caller: Caller) -> UnitResult:
    """Return the verdict on a pair, requested through ``caller``."""
    config = live.run(comparison.run_id).config
    judge = _judge(config.comparing_judges, comparison)
    context = _context(live, comparison, judge, config.criteria)
    a, b = live.text(comparison.a_id), live.text(comparison.b_id)
    return UnitResult(comparing.compare(caller, judge, context, a, b).model_dump())


def _score_delivery(live: Runtime, evaluation: Evaluation) -> Delivery:
    config = live.run(evaluation.run_id).config
    if all(judge.delivery == "live" for judge in (*config.judges, *(config.playoffs.judges or ()))):
        return "live"
    combined = _is_a_combination(live, evaluation.artifact_id)
    judge = _judge(config.judges_of(combined=combined), evaluation)
    return config.delivery_of(judge, combined=combined)


def _compare_delivery(live: Runtime, comparison: Comparison) -> Delivery:
    judge = _judge(live.run(comparison.run_id).config.comparing_judges, comparison)
    if judge.delivery == "live":
        return "live"
    pair = (comparison.a_id, comparison.b_id)
    return "live" if any(_is_a_combination(live, one) for one in pair) else judge.delivery


def _is_combined(live: Runtime, config: Config, artifact_id: str) -> bool:
    """Return whether a candidate is combined, if combined candidates have separate settings."""
    if config.playoffs.judges is None and config.playoffs.criteria is None:
        return False
    return _is_a_combination(live, artifact_id)


def _is_a_combination(live: Runtime, artifact_id: str) -> bool:
    with live.database.read() as connection:
        artifact = artifacts.get(connection, artifact_id)
    return artifact is not None and artifact.combined


def _judge(judges: tuple[Judge, ...], unit: Evaluation | Comparison) -> Judge:
    return next(judge for judge in judges if judge.name == unit.judge)


def _context(
    live: Runtime, unit: Evaluation | Comparison, judge: Judge, criteria: tuple[Criterion, ...]
) -> JudgingContext:
    # Texts that were there may have no source.
    source = live.source(unit.document_id) or None
    return JudgingContext.of_run(live.run(unit.run_id), source, judge, criteria)
