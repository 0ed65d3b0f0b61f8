"""Routes of evaluations, which judge the artifacts of a run again."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import Field

from acm_api import evaluations
from acm_api.config.rejudging import EvaluationChanges
from acm_api.evaluations import EvaluationResults, EvaluationStatus, StartedEvaluation
from acm_api.http.access import Authorized
from acm_api.http.idempotency import Once
from acm_api.http.routes.downloads import report_page
from acm_api.http.service import CurrentService
from acm_api.http.shapes import Mode, RunId
from acm_workers import runtime, submit
from acm_workers.store import accounts, results, runs
from schemas.record import Record

router = APIRouter(tags=["evaluation"])

_ALL = frozenset({"rankings", "scores", "comparisons"})
_Part = Literal["rankings", "scores", "comparisons", "all"]


class EvaluationConfig(Record):
    """Values that differ from the run's config.

    Attributes:
        judges: Judges as in a config (with ``provider``, ``model`` and further keys), names of the
            run's judges, or models as ``provider:model``.
        iterations: Iterations of each judge.
        pairwise: Whether pairs are compared.
        top_n: Number of artifacts that are listed as the best.
        criteria: Criteria as in a config (names or objects), or names of the run's criteria.
        budget_usd: Maximum cost; default: that of the run.
    """

    judges: Annotated[list[str | dict[str, Any]], Field(min_length=1, max_length=100)] | None = None
    iterations: Annotated[int, Field(ge=1, le=1000)] | None = None
    pairwise: bool | None = None
    top_n: Annotated[int, Field(ge=1, le=1000)] | None = None
    criteria: Annotated[list[str | dict[str, Any]], Field(min_length=1)] | None = None
    budget_usd: Annotated[float, Field(gt=0, le=1e9)] | None = None


class NewEvaluation(Record):
    """A new evaluation; without ``artifacts`` it covers all written artifacts.

    Attributes:
        mode: Whether artifacts are scored, compared, or both; null means as in the run.
    """

    mode: Mode | None = "full"
    config: EvaluationConfig = EvaluationConfig()
    artifacts: Annotated[list[str], Field(min_length=1, max_length=10_000)] | None = None


class CancelledEvaluation(Record):
    """The answer to a cancel."""

    eval_task_id: str
    status: Literal["cancelling"]
    message: str


class ListedReports(Record):
    """The reports of a run."""

    reports: tuple[evaluations.EvaluationReport, ...]


@router.post("/runs/{run_id}/evaluate", status_code=202)
def start(
    run_id: RunId,
    service: CurrentService,
    caller: Authorized.run,
    once: Once,
    body: NewEvaluation | None = None,
) -> StartedEvaluation:
    """Evaluate artifacts of a run again: score them, compare them, or both.

    The same request resumes an evaluation that has not ended.
    """
    asked = body or NewEvaluation()
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    changes = EvaluationChanges(
        mode=asked.mode,
        judges=asked.config.judges,
        criteria=asked.config.criteria,
        iterations=asked.config.iterations,
        pairwise=asked.config.pairwise,
        top_n=asked.config.top_n,
        budget_usd=asked.config.budget_usd,
    )
    local = service.settings.broker_url is None
    config = evaluations.config_of(run, changes, "here" if local else "workers")
    with once.write(service.database) as (connection, earlier):
        if earlier is None:
            caller.check_quota(connection, 0)
            budget = caller.budget_usd(connection, config.budget_usd)
            bound = config.model_copy(update={"budget_usd": budget})
            answer = evaluations.start_in(connection, service.database, run, bound, asked.artifacts)
            now, task_id = runtime.utc_now(), answer.eval_task_id
            runs.request(connection, task_id, now)
            accounts.audit(connection, caller.scope, caller.name, "evaluate", now, task_id)
            once.save(connection, answer)
        else:
            answer = StartedEvaluation.model_validate(earlier)
    service.dispatcher.wake()
    return answer


@router.get("/runs/{run_id}/evaluate/status")
def status(run_id: RunId, service: CurrentService, caller: Authorized.read) -> EvaluationStatus:
    """Return the progress of the latest evaluation, or of the run if there is none."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        task = evaluations.latest(connection, run)
    progress = service.progress.of(task.id)
    with service.database.read() as connection:
        # Read again: the progress may be of a run that has ended since.
        return evaluations.status(connection, runs.get(connection, task.id), progress)


@router.get("/runs/{run_id}/evaluate/results", response_model_exclude_none=False)
def show_results(
    run_id: RunId,
    service: CurrentService,
    caller: Authorized.read,
    format: Annotated[Literal["json", "summary"], Query()] = "json",
    include: Annotated[
        list[_Part], Query(max_length=4, description="Part to return; repeatable.")
    ] = ["rankings"],  # noqa: B006  FastAPI copies it
) -> EvaluationResults:
    """Return the results of the latest evaluation, or of the run if there is none.

    The ids of artifacts are the same as in the run.
    """
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        task = evaluations.latest(connection, run)
    wanted = _ALL if "all" in include else frozenset(include)
    return evaluations.read(
        service.database, run, task, frozenset() if format == "summary" else wanted
    )


@router.get("/runs/{run_id}/reports")
def list_reports(run_id: RunId, service: CurrentService, caller: Authorized.read) -> ListedReports:
    """List the reports of a run and of its evaluations, the oldest first."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        return ListedReports(reports=tuple(evaluations.reports(connection, run)))


@router.get(
    "/runs/{run_id}/reports/{report_id}",
    response_class=Response,
    responses={200: {"content": {"text/html": {"schema": {"type": "string"}}}}},
)
def show_report(
    run_id: RunId,
    report_id: Annotated[str, Path(pattern=r"^[0-9A-Za-z]{26}$")],
    service: CurrentService,
    caller: Authorized.read,
) -> Response:
    """Return a report as one HTML page, rendered from the store."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        task = evaluations.reported(connection, run, report_id)
        known = results.records(connection, task.id)
    return report_page(submit.report_files(known, runtime.utc_now())["index.html"])


@router.post("/runs/{run_id}/evaluate/cancel")
def cancel(run_id: RunId, service: CurrentService, caller: Authorized.run) -> CancelledEvaluation:
    """Cancel the latest evaluation; its results so far are kept."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        task = evaluations.latest(connection, run)
    submit.cancel(service.database, task.id, runtime.making())
    submit.cancel_background_calls(service.database, task, runtime.utc_now)
    with service.database.write() as connection:
        now = runtime.utc_now()
        accounts.audit(connection, caller.scope, caller.name, "cancel evaluation", now, task.id)
    service.dispatcher.wake()
    return CancelledEvaluation(
        eval_task_id=task.id,
        status="cancelling",
        message="Cancellation requested, saving partial results",
    )
