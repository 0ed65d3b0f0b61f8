"""The tasks that score one candidate and compare one pair."""

from typing import Any

from celery import shared_task

from acm_workers.calls.caller import Caller
from acm_workers.judging import compare as comparing
from acm_workers.judging import score as scoring
from acm_workers.judging.context import Context
from acm_workers.providers.catalog import capabilities
from acm_workers.runtime import Runtime
from acm_workers.store import artifacts, comparisons, evaluations
from acm_workers.tasks.deliver import Result, deliver, quietly
from schemas.config.config import Config
from schemas.config.judging import Criterion, Judge
from schemas.units import Comparison, Evaluation


# Results exist for the counting of chords, whose header these tasks are.
@shared_task(name="acm.score", ignore_result=False)
@quietly
def score(evaluation_id: str) -> None:
    """Score one candidate by one judge, once."""
    deliver("evaluation", evaluation_id, evaluations.get, _score)


@shared_task(name="acm.compare", ignore_result=False)
@quietly
def compare(comparison_id: str) -> None:
    """Compare one pair by one judge, in one order, once."""
    deliver("comparison", comparison_id, comparisons.get, _compare)


def _score(live: Runtime, evaluation: Evaluation, caller: Caller) -> Result:
    config = live.run(evaluation.run_id).config
    combined = _combined(live, config, evaluation.artifact_id)
    judge = _judge(config.judges_of(combined=combined), evaluation)
    criteria = config.criteria_of(combined=combined)
    text = live.text(evaluation.artifact_id)
    scored = scoring.score(caller, judge, _context(live, evaluation, judge, criteria), text)
    return Result(scored.model_dump())


def _combined(live: Runtime, config: Config, artifact_id: str) -> bool:
    """Return whether a candidate is a combined one, where that makes a difference."""
    if config.playoffs.judges is None and config.playoffs.criteria is None:
        return False
    with live.database.read() as connection:
        artifact = artifacts.get(connection, artifact_id)
    return artifact is not None and artifact.combined


def _compare(live: Runtime, comparison: Comparison, caller: Caller) -> Result:
    config = live.run(comparison.run_id).config
    judge = _judge(config.comparing_judges, comparison)
    texts = live.text(comparison.a_id), live.text(comparison.b_id)
    context = _context(live, comparison, judge, config.criteria)
    verdict = comparing.compare(caller, judge, context, *texts)
    return Result(verdict.model_dump())


def _judge(judges: tuple[Judge, ...], unit: Evaluation | Comparison) -> Judge:
    return next(judge for judge in judges if judge.name == unit.judge)


def _context(
    live: Runtime, unit: Evaluation | Comparison, judge: Judge, criteria: tuple[Criterion, ...]
) -> Context:
    run = live.run(unit.run_id)
    config, jsonify = run.config, run.config.jsonify
    values: dict[str, Any] = {
        "instructions": run.instructions,
        "guidelines": run.guidelines,
        "source": live.source(unit.document_id),
        "criteria": criteria,
        "json_mode": config.json_mode if judge.json_mode is None else judge.json_mode,
        "able": capabilities.of(config.providers[judge.provider], judge.model),
        "attempts": config.retries.attempts,
        "missing_score": config.missing_score,
    }
    if jsonify is not None:
        able = capabilities.of(config.providers[jsonify.provider], jsonify.model)
        values |= {"jsonify": jsonify, "jsonify_able": able}
    return Context(**values)
