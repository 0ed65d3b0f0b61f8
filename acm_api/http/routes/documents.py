"""Routes of documents: source, stage and ranking."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse

from acm_api.http import paging, shapes
from acm_api.http.access import Authorized
from acm_api.http.paging import DEFAULT_LIMIT, Cursor, Limit, Page
from acm_api.http.service import CurrentService
from acm_api.http.shapes import RunId, UnitId
from acm_workers.store import documents, runs
from schemas.explained import Explanation
from schemas.units import Document

router = APIRouter(tags=["documents"])


@router.get("/runs/{run_id}/documents")
def list_documents(
    run_id: RunId,
    service: CurrentService,
    caller: Authorized.read,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Page[Document]:
    """List the documents of a run in their original order."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = documents.page(connection, run.id, limit + 1, cursor)
    return paging.page(found, limit, [one.id for one in found])


@router.get("/runs/{run_id}/explanation")
def explain(
    run_id: RunId,
    service: CurrentService,
    caller: Authorized.read,
    document: Annotated[
        str | None,
        Query(max_length=1000, description="Path of a document, or a part that no other has."),
    ] = None,
) -> Explanation:
    """Explain why the winner of a document won, and what would change the result.

    ``document`` can be left out if the run has only one.
    """
    from acm_api import explanations

    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
    return explanations.of_document(service.database, run, document)


@router.get("/runs/{run_id}/documents/{document_id}")
def show(
    run_id: RunId, document_id: UnitId, service: CurrentService, caller: Authorized.read
) -> shapes.ShownDocument:
    """Return a document with its text, and with its ranking if it has ended."""
    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = documents.in_run(connection, run.id, document_id)
        standings, fusions = documents.ranking(connection, found.id)
        text = documents.text(connection, found.id)
    values = found.model_dump(exclude={"key"})
    return shapes.ShownDocument(**values, text=text, standings=standings, fusions=fusions)


@router.get(
    "/runs/{run_id}/documents/{document_id}/winner",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/markdown": {"schema": {"type": "string"}}}}},
)
def winner(
    run_id: RunId, document_id: UnitId, service: CurrentService, caller: Authorized.read
) -> PlainTextResponse:
    """Download the text of the winner."""
    from acm_workers.errors import NotFound
    from acm_workers.store import artifacts

    with service.database.read() as connection:
        run = runs.get(connection, run_id, caller.scope)
        found = documents.in_run(connection, run.id, document_id)
        if found.winner_id is None:
            raise NotFound(f"{found.path} has no winner: it is {found.state}")
        text = artifacts.text(connection, found.winner_id)
    return PlainTextResponse(text or "", media_type="text/markdown; charset=utf-8")
