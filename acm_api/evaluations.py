"""Evaluations of a run's artifacts: starting with other judges, following, reading, reporting.

A started evaluation is a separate run, which takes over the artifacts and writes none. Without a
started evaluation, the results are those of the run itself.
"""

import statistics
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection

from acm_api.config import rejudging
from acm_api.config.provider_checks import Keys
from acm_api.config.rejudging import EvaluationChanges
from acm_workers import runtime, submit
from acm_workers.errors import NotFound
from acm_workers.store import artifacts, evaluations, results, runs
from acm_workers.store.connection.database import Database
from acm_workers.store.results import Progress
from schemas.record import Record
from schemas.run import Phase, Run

EvaluationState = Literal[
    "pending", "running", "paused", "cancelling", "completed", "partial", "failed", "cancelled"
]
_MESSAGES = {True: "Evaluation started", False: "Evaluation continues"}
_ENDED: dict[str, EvaluationState] = {
    "done": "completed",
    "partial": "partial",
    "failed": "failed",
    "cancelled": "cancelled",
    "paused": "paused",
}


class StartedEvaluation(Record):
    """The answer to the start of an evaluation."""

    eval_task_id: str
    status: EvaluationState
    artifacts_count: int
    estimated_duration_seconds: int
    message: str


class EvaluationProgress(Record):
    """The finished part of an evaluation.

    Attributes:
        artifacts_evaluated: Number of artifacts whose evaluations have all ended.
        pairs_total: Comparisons planned so far; adaptive rounds plan more.
    """

    single_doc_complete: bool
    artifacts_evaluated: int
    pairs_total: int
    pairs_compared: int
    percent: int


class EvaluationStatus(Record):
    """The progress of an evaluation."""

    eval_task_id: str
    status: EvaluationState
    phase: Phase
    progress: EvaluationProgress
    started_at: datetime
    estimated_completion: datetime | None


class EvaluationRank(Record):
    """An artifact in the ranking of its document."""

    rank: int | None
    artifact_id: str
    document_id: str
    document: str
    generator: str
    model: str
    overall_score: float | None
    elo_rating: float | None
    p_best: float | None
    criteria_scores: dict[str, float]


class EvaluationScores(Record):
    """The scores that one judge gave one artifact in one iteration."""

    artifact_id: str
    judge: str
    iteration: int
    overall_score: float | None
    criteria_scores: dict[str, float]
    reasoning: dict[str, str]


class EvaluationVerdict(Record):
    """A comparison; ``a`` was shown first."""

    artifact_a_id: str
    artifact_b_id: str
    judge: str
    iteration: int
    winner: str
    confidence: float | None
    reasoning: str | None


class EvaluationSummary(Record):
    """An evaluation in figures; scores are those of artifacts."""

    artifacts_evaluated: int
    judges_used: int
    iterations_per_judge: int
    pairwise_comparisons: int
    top_score: float | None
    mean_score: float | None
    score_std_dev: float | None


class EvaluationResults(Record):
    """The results of an evaluation; parts that were not requested are absent."""

    run_id: str
    eval_task_id: str
    status: EvaluationState
    rankings: tuple[EvaluationRank, ...] | None
    scores: tuple[EvaluationScores, ...] | None
    comparisons: tuple[EvaluationVerdict, ...] | None
    summary: EvaluationSummary
    completed_at: datetime | None


class EvaluationReport(Record):
    """A report, which is rendered from the store whenever it is read."""

    report_id: str
    type: Literal["eval"]
    format: Literal["html"]
    storage_path: str
    created_at: datetime


def config_of(run: Run, changes: EvaluationChanges, keys: Keys) -> Any:
    """Return the config of an evaluation; see ``rejudging.evaluation``."""
    return rejudging.evaluation(run, changes, keys=keys)


def start_in(
    connection: Connection,
    database: Database,
    run: Run,
    config: Any,
    only: list[str] | None,
) -> StartedEvaluation:
    """Start an evaluation in a transaction that is open, or resume the unfinished one.

    Args:
        config: See ``config_of``.
        only: Ids of the artifacts; default: all.

    Raises:
        Conflict: The run has no artifact to evaluate.
    """
    wanted = None if only is None else frozenset(only)
    begun = submit.rejudge_in(connection, database, run, config, runtime.making(), wanted)
    new = runs.get(connection, begun.run_id)
    number = len(artifacts.of_run(connection, new.id))
    return StartedEvaluation(
        eval_task_id=new.id,
        status="pending",
        artifacts_count=number,
        estimated_duration_seconds=_seconds(new),
        message=_MESSAGES[begun.candidates is not None],
    )


def latest(connection: Connection, run: Run) -> Run:
    """Return the last started evaluation of a run; the run itself if there is none."""
    return next(iter(_evaluations_of(connection, run)), run)


def status(connection: Connection, task: Run, progress: Progress) -> EvaluationStatus:
    """Return the progress of an evaluation."""
    units = progress.units
    scored, compared = units["evaluation"], units["comparison"]
    open_scores = scored.get("planned", 0) + scored.get("claimed", 0)
    state = state_of(task, progress)
    return EvaluationStatus(
        eval_task_id=task.id,
        status=state,
        phase=progress.phase,
        progress=EvaluationProgress(
            single_doc_complete=(bool(scored) and not open_scores) or task.state == "done",
            artifacts_evaluated=evaluations.count_evaluated(connection, task.id),
            pairs_total=sum(compared.values()),
            pairs_compared=compared.get("done", 0),
            percent=progress.percent,
        ),
        started_at=task.created_at,
        estimated_completion=_completion(task, progress.percent),
    )


def state_of(task: Run, progress: Progress | None = None) -> EvaluationState:
    """Return the name of an evaluation's state in the HTTP API."""
    if task.state in _ENDED:
        return _ENDED[task.state]
    if task.cancel_requested:
        return "cancelling"
    if progress is not None and not progress.calls.sent and not progress.calls.cached:
        return "pending"
    return "running"


def read(database: Database, run: Run, task: Run, include: frozenset[str]) -> EvaluationResults:
    """Return the results of an evaluation.

    Args:
        run: The run whose artifacts were evaluated.
        include: The parts to return: ``rankings``, ``scores``, ``comparisons``.
    """
    with database.read() as connection:
        known = results.records(connection, task.id)
    values = submit.report_values(known, runtime.utc_now())
    origin = {one.id: one.taken_from or one.id for one in known.artifacts}
    ranks = [
        _rank(document, candidate, origin)
        for document in values["documents"]
        for candidate in document["candidates"]
    ]
    ranks.sort(key=lambda one: (one.document, one.rank is None, one.rank or 0, one.artifact_id))
    given = [
        EvaluationScores(
            artifact_id=origin[one.artifact_id],
            judge=one.judge,
            iteration=one.iteration,
            overall_score=one.overall,
            criteria_scores=one.scores,
            reasoning=one.reasons,
        )
        for one in known.evaluations
        if one.state == "done"
    ]
    verdicts = [
        EvaluationVerdict(
            artifact_a_id=origin[one.a_id],
            artifact_b_id=origin[one.b_id],
            judge=one.judge,
            iteration=one.iteration,
            winner=one.winner,
            confidence=one.confidence,
            reasoning=one.reason,
        )
        for one in known.comparisons
        if one.state == "done" and one.winner is not None
    ]
    return EvaluationResults(
        run_id=run.id,
        eval_task_id=task.id,
        status=state_of(task),
        rankings=tuple(ranks) if "rankings" in include else None,
        scores=tuple(given) if "scores" in include else None,
        comparisons=tuple(verdicts) if "comparisons" in include else None,
        summary=_summary(task, ranks, len(verdicts)),
        completed_at=task.finished_at,
    )


def reports(connection: Connection, run: Run) -> list[EvaluationReport]:
    """Return the reports of a run and of its evaluations, the oldest first."""
    tasks = [run, *reversed(_evaluations_of(connection, run))]
    return [
        EvaluationReport(
            report_id=task.id,
            type="eval",
            format="html",
            storage_path=_storage_path(run, task),
            created_at=task.finished_at,
        )
        for task in tasks
        if task.finished_at is not None
    ]


def reported(connection: Connection, run: Run, report_id: str) -> Run:
    """Return the run or evaluation of a report.

    Raises:
        NotFound: The run has no such report.
    """
    for task in (run, *_evaluations_of(connection, run)):
        if task.id == report_id and task.finished_at is not None:
            return task
    raise NotFound(f'run {run.id} has no report "{report_id}"')


def _evaluations_of(connection: Connection, run: Run) -> list[Run]:
    """Return the evaluations of a run, the newest first."""
    return [one for one in runs.rejudged(connection, run.id) if one.crossed_with is None]


def _storage_path(run: Run, task: Run) -> str:
    """Return the path of a report as exports would name it; the file does not exist."""
    below = "" if task.id == run.id else f"{task.id}/"
    return f"runs/{run.id}/reports/{below}eval_report.html"


def _seconds(task: Run) -> int:
    """Return the approximate duration of a run's calls; 5 s each if unknown."""
    calls = 0 if task.expected is None else task.expected.calls
    at_once = max((one.max_in_flight for one in task.config.providers.values()), default=1)
    return max(1, round(calls * 5 / at_once))


def _completion(task: Run, percent: int) -> datetime | None:
    if task.finished_at is not None or task.state == "paused":
        return task.finished_at
    if percent == 0:
        return task.created_at + timedelta(seconds=_seconds(task))
    now = runtime.utc_now()
    return now + (now - task.created_at) * (100 - percent) / percent


def _rank(
    document: Mapping[str, Any], candidate: Mapping[str, Any], origin: Mapping[str, str]
) -> EvaluationRank:
    artifact, standing = candidate["artifact"], candidate["standing"]
    summary, rating = candidate["summary"], candidate["rating"]
    return EvaluationRank(
        rank=None if standing is None else standing["rank"],
        artifact_id=origin[artifact["id"]],
        document_id=document["id"],
        document=document["path"],
        generator=artifact["generator"],
        model=artifact["model"],
        overall_score=None if summary is None else summary["overall"],
        elo_rating=None if rating is None else rating["points"],
        p_best=None if standing is None else standing["p_best"],
        criteria_scores={} if summary is None else summary["criteria"],
    )


def _summary(task: Run, ranks: list[EvaluationRank], verdicts: int) -> EvaluationSummary:
    scores = [one.overall_score for one in ranks if one.overall_score is not None]
    judges = {one.name: one for one in (*task.config.scoring_judges, *task.config.comparing_judges)}
    return EvaluationSummary(
        artifacts_evaluated=len(scores) or len([one for one in ranks if one.rank is not None]),
        judges_used=len(judges),
        iterations_per_judge=max((one.iterations for one in judges.values()), default=0),
        pairwise_comparisons=verdicts,
        top_score=max(scores, default=None),
        mean_score=statistics.fmean(scores) if scores else None,
        score_std_dev=statistics.stdev(scores) if len(scores) > 1 else None,
    )
