"""Routes of artifacts: the candidates of a run and their texts."""

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from acm_api.http import paging
from acm_api.http.access import Authorized
from acm_api.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunId, UnitId
from acm_workers.errors import NotFound
from acm_workers.store import artifacts, runs
from schemas.units import Artifact

router = APIRouter(tags=["artifacts"])


@router.get("/runs/{run_id}/artifacts")
def list_artifacts(
    run_id: RunId,
    service: CurrentService,
    caller: Authorized.read,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    document_id: str | None = None,
) -> Page[Artifact]:
    """List the artifacts of a run, without their texts."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = artifacts.page(connection, run.id, limit + 1, cursor, document_id)
    return paging.page(found, limit, [one.id for one in found])


@router.get("/runs/{run_id}/artifacts/{artifact_id}")
def show(
    run_id: RunId, artifact_id: UnitId, service: CurrentService, caller: Authorized.read
) -> Artifact:
    """Return an artifact with its text."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        return artifacts.in_run(connection, run.id, artifact_id)


@router.get(
    "/runs/{run_id}/artifacts/{artifact_id}/text",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/markdown": {"schema": {"type": "string"}}}}},
)
def text(
    run_id: RunId, artifact_id: UnitId, service: CurrentService, caller: Authorized.read
) -> PlainTextResponse:
    """Download the text of an artifact."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = artifacts.in_run(connection, run.id, artifact_id)
    if found.text is None:
        raise NotFound(f"artifact {found.id} has no text: it is {found.state}")
    return PlainTextResponse(found.text, media_type="text/markdown; charset=utf-8")
