"""Routes for downloads of a run: results, report, tables, and all files in one archive."""

from typing import Any, Literal, get_args

from fastapi import APIRouter
from fastapi.responses import Response

from acm_api.files import archive
from acm_api.http.access import Authorized
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunId
from acm_api.ranked_results import Results
from acm_workers import runtime, submit
from acm_workers.store import artifact_files, results, runs

router = APIRouter(tags=["downloads"])

TableName = Literal["rankings", "evaluations", "comparisons", "elo_summary", "calls"]
TABLES: tuple[TableName, ...] = get_args(TableName)


@router.get("/runs/{run_id}/results")
def show_results(run_id: RunId, service: CurrentService, caller: Authorized.read) -> dict[str, Any]:
    """Return ``results.json``: rankings, scores, comparisons, judges and costs."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        known = results.records(connection, run.id)
    return submit.report_values(known, runtime.utc_now())


@router.get("/runs/{run_id}/ranking")
def show_ranking(run_id: RunId, service: CurrentService, caller: Authorized.read) -> Results:
    """Return the values of ``acm_api.Results``: candidates with texts, scores and verdicts."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    return Results.of_run(service.database, run)


@router.get(
    "/runs/{run_id}/report",
    response_class=Response,
    responses={200: {"content": {"text/html": {"schema": {"type": "string"}}}}},
)
def report(run_id: RunId, service: CurrentService, caller: Authorized.read) -> Response:
    """Return the report as one HTML page, rendered from the store."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        known = results.records(connection, run.id)
    return report_page(submit.report_files(known, runtime.utc_now())["index.html"])


def report_page(page: bytes) -> Response:
    """Return the page of a report with a policy that allows only its own script."""
    policy = f"{submit.report_policy()}; frame-ancestors 'self'; sandbox allow-scripts"
    headers = {"Content-Security-Policy": policy}
    return Response(page, headers=headers, media_type="text/html; charset=utf-8")


@router.get(
    "/runs/{run_id}/tables/{name}.csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}},
)
def table(
    run_id: RunId, name: TableName, service: CurrentService, caller: Authorized.read
) -> Response:
    """Download one of the tables of a run's report."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        known = results.records(connection, run.id)
    content = submit.report_files(known, runtime.utc_now())[f"{name}.csv"]
    disposition = f"attachment; filename=acm-{run.id}-{name}.csv"
    return Response(
        content,
        headers={"Content-Disposition": disposition},
        media_type="text/csv; charset=utf-8",
    )


@router.get(
    "/runs/{run_id}/files.zip",
    response_class=Response,
    responses={200: {"content": {"application/zip": {"schema": {"type": "string"}}}}},
)
def files(run_id: RunId, service: CurrentService, caller: Authorized.read) -> Response:
    """Download all files that ``acm export`` writes for a run."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        known = results.records(connection, run.id)
        wrote = [one.id for one in known.artifacts if one.child is not None]
        others = artifact_files.of_artifacts(connection, wrote) if wrote else {}
    name = f"attachment; filename=acm-{run.id}.zip"
    content = archive.of_run(known, runtime.utc_now(), others)
    return Response(content, headers={"Content-Disposition": name}, media_type="application/zip")
