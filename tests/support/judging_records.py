"""Records for tests of ranking and judging, with defaults for what a test does not set."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from acm_workers.ranking import scores
from schemas.config.config import Config
from schemas.config.judging import Criterion, Judge
from schemas.config.ranking import RankingMethod, RankingOptions, TopN
from schemas.config.variant import Variant
from schemas.ranking import JudgeScores, ScoreSummary
from schemas.units import Artifact, Comparison, Evaluation, UnitState, Winner

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    """Return a time that many seconds after the start."""
    return START + timedelta(seconds=seconds)


def judge(name: str = "j", weight: float = 1.0) -> Judge:
    return Judge(name=name, provider="alpha", model="m", weight=weight)


def judge_scores(
    overall: float, *, name: str = "j", count: int = 1, std_dev: float | None = None
) -> JudgeScores:
    """Return that many scores of one judge with this mean and sample standard deviation."""
    steps = [number - (count - 1) / 2 for number in range(count)]
    width = math.sqrt(sum(step**2 for step in steps) / max(count - 1, 1)) or 1.0
    singles = tuple(overall + (std_dev or 0.0) * step / width for step in steps)
    return JudgeScores(judge=name, weight=1.0, overall=overall, singles=singles)


def artifact(
    name: str, *, parents: tuple[str, ...] = (), created: float = 0, state: UnitState = "done"
) -> Artifact:
    return Artifact(
        id=name,
        run_id="run",
        document_id="doc",
        generator="combine" if parents else "fpf",
        variant=1,
        iteration=1,
        number=1,
        provider="alpha",
        model="m",
        lane="generate.alpha",
        parents=parents,
        state=state,
        created_at=at(created),
    )


def evaluation(
    artifact_id: str,
    overall: float | None,
    *,
    judge: str = "j",
    iteration: int = 1,
    scores: dict[str, float] | None = None,
    state: UnitState = "done",
) -> Evaluation:
    return Evaluation(
        id=f"{artifact_id}-{judge}-{iteration}",
        run_id="run",
        document_id="doc",
        artifact_id=artifact_id,
        judge=judge,
        provider="alpha",
        model="m",
        lane="judge.alpha",
        iteration=iteration,
        state=state,
        scores=scores or {},
        overall=overall,
        created_at=START,
    )


def comparison(
    pair: tuple[str, str],
    winner: Winner | None,
    *,
    judge: str = "j",
    iteration: int = 1,
    finished: float | None = 0,
    confidence: float | None = 0.9,
) -> Comparison:
    """Return a comparison that is done, or one that failed if it has no winner."""
    a, b = pair
    return Comparison(
        id=f"{a}-{b}-{judge}-{iteration}",
        run_id="run",
        document_id="doc",
        a_id=a,
        b_id=b,
        judge=judge,
        provider="alpha",
        model="m",
        lane="judge.alpha",
        iteration=iteration,
        state="failed" if winner is None else "done",
        winner=winner,
        confidence=confidence,
        created_at=START,
        finished_at=None if finished is None else at(finished),
    )


def config(
    *,
    method: RankingMethod | None = None,
    top_n: TopN | None = None,
    criteria: tuple[Criterion, ...] | None = None,
) -> Config:
    given = {} if criteria is None else {"criteria": criteria}
    return Config.model_validate(
        {
            "input_folder": "inputs",
            "output_folder": "outputs",
            "winners_folder": "winners",
            "reports_folder": "reports",
            "instructions_file": "instructions.md",
            "providers": {},
            "runs": (Variant(type="fpf", provider="alpha", model="m"),),
            "judges": (judge(),),
            "ranking": RankingOptions(method=method or "auto", top_n=top_n or TopN()),
            **given,
        }
    )


def summaries(
    given: Mapping[str, Mapping[str, Sequence[float]]], highest: int = 5
) -> dict[str, ScoreSummary]:
    """Return what scores on a scale from 1 add up to: by iteration by judge by candidate."""
    judges = sorted({name for by_judge in given.values() for name in by_judge})
    known = config(criteria=(Criterion(name="all", min=1, max=highest),))
    return scores.summaries(
        [artifact(one) for one in given],
        [
            evaluation(one, score, judge=name, iteration=iteration)
            for one, by_judge in given.items()
            for name, singles in by_judge.items()
            for iteration, score in enumerate(singles, start=1)
        ],
        known.model_copy(update={"judges": tuple(map(judge, judges))}),
    )
