"""Elo ratings of finished documents."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, delete, select

from acm_workers.store.ids import new_id
from acm_workers.store.rows import insert_once, to_record
from acm_workers.store.tables import RatingRow
from schemas.ranking import Rating
from schemas.units import Document


def replace(
    connection: Connection, document: Document, ratings: Iterable[Rating], now: datetime
) -> None:
    """Replace the ratings of a document."""
    connection.execute(delete(RatingRow).where(RatingRow.document_id == document.id))
    insert_once(
        connection,
        RatingRow,
        [
            {
                **rating.model_dump(),
                "id": new_id(),
                "run_id": document.run_id,
                "document_id": document.id,
                "updated_at": now,
            }
            for rating in ratings
        ],
    )


def of_run(
    connection: Connection, run_id: str, document_id: str | None = None
) -> dict[str, tuple[Rating, ...]]:
    """Return the ratings of a run or of one document, by document, highest first."""
    names = [getattr(RatingRow, name).label(name) for name in Rating.model_fields]
    query = select(RatingRow.document_id, *names).where(RatingRow.run_id == run_id)
    if document_id is not None:
        query = query.where(RatingRow.document_id == document_id)
    found: dict[str, tuple[Rating, ...]] = {}
    for row in connection.execute(query.order_by(RatingRow.points.desc(), RatingRow.artifact_id)):
        rating = to_record(row, _DocumentRating)
        document_id = rating.document_id
        plain = Rating(**rating.model_dump(exclude={"document_id"}))
        found[document_id] = (*found.get(document_id, ()), plain)
    return found


class _DocumentRating(Rating):
    document_id: str
