"""Documents: their text, stage and result."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, get_args

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    select,
    update,
)

from acm_workers.errors import NotFound
from acm_workers.store import rows
from acm_workers.store.rows import UNIT_ROWS, column, fetch_all, fetch_first, insert_once, select_as
from acm_workers.store.tables import DocumentRow
from schemas.ranking import Fusion, Standing
from schemas.scope import LOCAL, Scope
from schemas.units import Document, DocumentState, Stage, UnitKind

_KEYS_AT_ONCE = 10_000


def add(
    connection: Connection,
    documents: Sequence[Document],
    texts: dict[str, str],
    scope: Scope = LOCAL,
) -> None:
    """Insert the documents of a new run with their texts."""
    own = {"tenant_id": scope.tenant_id}
    insert_once(
        connection,
        DocumentRow,
        [{**document.model_dump(), "text": texts[document.id], **own} for document in documents],
    )


def get(connection: Connection, document_id: str) -> Document:
    """Return a document.

    Raises:
        NotFound: There is no document with this id.
    """
    found = fetch_first(
        connection, select_as(DocumentRow, Document).where(DocumentRow.id == document_id), Document
    )
    if found is None:
        raise NotFound(f'there is no document "{document_id}"')
    return found


def get_for_update(connection: Connection, document_id: str) -> Document:
    """Return a document, and lock its row until the transaction ends."""
    query = select_as(DocumentRow, Document).where(DocumentRow.id == document_id)
    # The weaker lock lets rows that refer to the document be inserted.
    query = query.with_for_update(key_share=True)
    found = fetch_first(connection, query, Document)
    if found is None:
        raise NotFound(f'there is no document "{document_id}"')
    return found


def of_run(connection: Connection, run_id: str) -> list[Document]:
    """Return the documents of a run, sorted by path."""
    query = select_as(DocumentRow, Document).where(DocumentRow.run_id == run_id)
    return fetch_all(connection, query.order_by(DocumentRow.path), Document)


def page(
    connection: Connection, run_id: str, limit: int, after: str | None = None
) -> list[Document]:
    """Return a page of the documents of a run, sorted by id and starting after ``after``."""
    query = select_as(DocumentRow, Document).where(DocumentRow.run_id == run_id)
    if after is not None:
        query = query.where(DocumentRow.id > after)
    return fetch_all(connection, query.order_by(DocumentRow.id).limit(limit), Document)


def in_run(connection: Connection, run_id: str, document_id: str) -> Document:
    """Return a document of a run.

    Raises:
        NotFound: The run has no document with this id.
    """
    query = select_as(DocumentRow, Document).where(
        DocumentRow.id == document_id, DocumentRow.run_id == run_id
    )
    found = fetch_first(connection, query, Document)
    if found is None:
        raise NotFound(f'run {run_id} has no document "{document_id}"')
    return found


def ranking(
    connection: Connection, document_id: str
) -> tuple[tuple[Standing, ...], tuple[Fusion, ...]]:
    """Return the final ranking of a document, best first, and its fusions; empty before its end."""
    query = select(DocumentRow.standings, DocumentRow.fusions).where(DocumentRow.id == document_id)
    standings, fusions = connection.execute(query).one()
    return (
        tuple(Standing.model_validate(one) for one in standings or ()),
        tuple(Fusion.model_validate(one) for one in fusions or ()),
    )


def winners(connection: Connection, ids: Sequence[str]) -> dict[str, Standing]:
    """Return the winner's standing for each document that has a winner."""
    query = select(DocumentRow.id, DocumentRow.winner_id, DocumentRow.standings)
    query = query.where(DocumentRow.id.in_(ids), DocumentRow.winner_id.is_not(None))
    found = {}
    for document_id, winner_id, kept in connection.execute(query):
        for one in kept or ():
            if one["artifact_id"] == winner_id:
                found[document_id] = Standing.model_validate(one)
    return found


def states(connection: Connection, run_id: str) -> set[str]:
    """Return the set of states of a run's documents."""
    of_run = select(DocumentRow.id).where(DocumentRow.run_id == run_id)
    known = get_args(DocumentState)
    query = select(*(of_run.where(DocumentRow.state == state).exists() for state in known))
    there = connection.execute(query).one()
    return {state for state, is_there in zip(known, there, strict=True) if is_there}


def stages(connection: Connection, run_id: str) -> dict[str, int]:
    """Return the number of documents of a run by stage, or by state for ended documents."""
    name = case((DocumentRow.state == "running", DocumentRow.stage), else_=DocumentRow.state)
    query = select(name.label("name"), func.count()).where(DocumentRow.run_id == run_id)
    return dict(connection.execute(query.group_by("name")).all())


def text(connection: Connection, document_id: str) -> str:
    """Return the source text of a document."""
    source: str = rows.value(connection, DocumentRow, "text", document_id)
    return source


def texts(connection: Connection, run_id: str) -> dict[str, str]:
    """Return the source texts of a run by document id."""
    query = select(DocumentRow.id, DocumentRow.text).where(DocumentRow.run_id == run_id)
    return dict(connection.execute(query).all())


def with_winner(
    connection: Connection, keys: Sequence[str], scope: Scope = LOCAL
) -> dict[str, Document]:
    """Return the newest document with a winner for each of ``keys``, if any.

    Documents that were settled early are ignored, since their winners are not final.
    """
    found: dict[str, Document] = {}
    # No database takes any number of parameters.
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        query = select_as(DocumentRow, Document).where(
            DocumentRow.tenant_id == scope.tenant_id,
            DocumentRow.key.in_(keys[start : start + _KEYS_AT_ONCE]),
            DocumentRow.state == "done",
            DocumentRow.settled.is_(False),
        )
        for document in fetch_all(connection, query.order_by(DocumentRow.id), Document):
            found[document.key] = document
    return found


def set_stage(connection: Connection, document_id: str, stage: Stage) -> None:
    """Set the stage of a document that this transaction has locked."""
    _set(connection, document_id, stage=stage)


def finish(
    connection: Connection,
    document: Document,
    standings: Sequence[Standing],
    fusions: Sequence[Fusion],
) -> None:
    """Save the result of a document that this transaction has locked."""
    _set(
        connection,
        document.id,
        stage="finished",
        state=document.state,
        reason=document.reason,
        winner_id=document.winner_id,
        finished_at=document.finished_at,
        standings=[standing.model_dump() for standing in standings],
        fusions=[fusion.model_dump() for fusion in fusions],
        settled=document.settled,
    )


def reopen(connection: Connection, document_id: str, stage: Stage) -> None:
    """Reopen an ended document at a stage."""
    _set(
        connection,
        document_id,
        stage=stage,
        state="running",
        published_at=None,
        reason=None,
        winner_id=None,
        finished_at=None,
        standings=None,
        fusions=None,
        settled=False,
    )


def standings(connection: Connection, run_id: str) -> dict[str, tuple[Standing, ...]]:
    """Return the final ranking of each finished document, best first."""
    query = select(DocumentRow.id, DocumentRow.standings).where(DocumentRow.run_id == run_id)
    return {
        document_id: tuple(Standing.model_validate(entry) for entry in kept)
        for document_id, kept in connection.execute(query)
        if kept is not None
    }


def fusions(connection: Connection, run_id: str) -> dict[str, tuple[Fusion, ...]]:
    """Return the fusions of each finished document."""
    query = select(DocumentRow.id, DocumentRow.fusions).where(DocumentRow.run_id == run_id)
    return {
        document_id: tuple(Fusion.model_validate(entry) for entry in kept)
        for document_id, kept in connection.execute(query)
        if kept is not None
    }


def has_open_units(connection: Connection, document_id: str) -> bool:
    """Return whether a document has a unit that has not ended."""
    return any(
        connection.execute(_open_unit(kind), {"document": document_id}).first() is not None
        for kind in UNIT_ROWS
    )


def idle(connection: Connection, run_id: str) -> list[str]:
    """Return the running documents of a run without open units, which are ready to advance."""
    query = select(DocumentRow.id).where(
        DocumentRow.run_id == run_id,
        DocumentRow.state == "running",
        DocumentRow.stage != "planned",
        _no_unit_in("planned", "claimed"),
    )
    return list(connection.scalars(query.order_by(DocumentRow.id)))


def count_begun(connection: Connection, run_id: str) -> int:
    """Return the number of documents of a run that have begun or have a message to begin."""
    begun = (DocumentRow.stage != "planned") | DocumentRow.published_at.is_not(None)
    query = select(func.count()).where(
        DocumentRow.run_id == run_id, DocumentRow.state == "running", begun
    )
    return connection.scalar(query) or 0


def undecided(connection: Connection, run_id: str) -> list[str]:
    """Return the running documents of a run without open units, begun or not."""
    query = select(DocumentRow.id).where(
        DocumentRow.run_id == run_id,
        DocumentRow.state == "running",
        _no_unit_in("planned", "claimed"),
    )
    return list(connection.scalars(query.order_by(DocumentRow.id)))


def reopen_cancelled(connection: Connection, run_id: str) -> None:
    """Set the cancelled documents of a run to running again, so that they can be decided."""
    which = (DocumentRow.run_id == run_id, DocumentRow.state == "cancelled")
    values = {"state": "running", "reason": None, "finished_at": None}
    connection.execute(update(DocumentRow).where(*which).values(**values))


def cancel_idle(connection: Connection, run_id: str, now: datetime) -> None:
    """Cancel the idle documents of a run; a resumed run continues from their stage."""
    connection.execute(
        update(DocumentRow)
        .where(
            DocumentRow.run_id == run_id,
            DocumentRow.state == "running",
            _no_unit_in("planned", "claimed"),
        )
        .values(state="cancelled", reason="the run was cancelled", finished_at=now)
    )


def unstarted(connection: Connection, run_id: str, before: datetime) -> list[str]:
    """Return the documents of a run older than ``before`` for which no message was sent."""
    query = select(DocumentRow.id).where(
        DocumentRow.run_id == run_id,
        DocumentRow.state == "running",
        DocumentRow.stage == "planned",
        DocumentRow.published_at.is_(None),
        DocumentRow.created_at < before,
    )
    return list(connection.scalars(query.order_by(DocumentRow.id)))


def lost_messages(connection: Connection, run_id: str, before: datetime) -> list[str]:
    """Return documents that have not begun although their message was sent before ``before``.

    The message is lost if the queue has no waiting messages.
    """
    query = select(DocumentRow.id).where(
        DocumentRow.run_id == run_id,
        DocumentRow.state == "running",
        DocumentRow.stage == "planned",
        DocumentRow.published_at < before,
    )
    return list(connection.scalars(query.order_by(DocumentRow.id)))


def mark_unsent(connection: Connection, ids: Sequence[str]) -> None:
    """Record that the first messages of documents could not be sent."""
    if ids:
        statement = update(DocumentRow).where(DocumentRow.id.in_(ids))
        connection.execute(statement.values(published_at=None))


def mark_published(connection: Connection, ids: Sequence[str], now: datetime) -> None:
    """Record that the first messages of documents are being sent."""
    statement = update(DocumentRow).where(DocumentRow.id == bindparam("document"))
    if ids:
        values = [{"document": document_id} for document_id in ids]
        connection.execute(statement.values(published_at=now), values)


def mark_all_unsent(connection: Connection, run_id: str) -> None:
    """Mark the documents of a run that have not begun as unpublished, since messages were lost."""
    connection.execute(
        update(DocumentRow)
        .where(DocumentRow.run_id == run_id, DocumentRow.stage == "planned")
        .values(published_at=None)
    )


def _no_unit_in(*states: str) -> ColumnElement[bool]:
    return and_(
        *(
            ~exists().where(row.document_id == DocumentRow.id, row.state.in_(states))
            for row in UNIT_ROWS.values()
        )
    )


@lru_cache(maxsize=8)
def _open_unit(kind: UnitKind) -> Select[Any]:
    row = UNIT_ROWS[kind]
    document, state = column(row, "document_id"), column(row, "state")
    open_ones = (document == bindparam("document"), state.in_(["planned", "claimed"]))
    return select(column(row, "id")).where(*open_ones).limit(1)


def _set(connection: Connection, document_id: str, **values: object) -> None:
    connection.execute(update(DocumentRow).where(DocumentRow.id == document_id).values(**values))
