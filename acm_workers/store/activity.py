"""The activity of a run by document and by model, for live views."""

from typing import NamedTuple

from sqlalchemy import Connection, case, func, select

from acm_workers.store.rows import UNIT_ROWS
from acm_workers.store.tables import CallRow, DocumentRow
from schemas.units import UnitKind


class DocumentActivity(NamedTuple):
    """The progress of a document.

    Attributes:
        stage: Stage of a running document, else its state.
        units: Numbers of ended units and of all units, by kind.
    """

    path: str
    stage: str
    units: dict[UnitKind, tuple[int, int]]


class ModelActivity(NamedTuple):
    """The calls of a run that were sent to one model.

    Attributes:
        cost_usd: Sum of the known costs.
    """

    name: str
    sent: int
    in_flight: int
    failed: int
    cost_usd: float


class RunActivity(NamedTuple):
    """The activity of a run.

    Attributes:
        documents: Progress of documents, running documents first.
        left_out: Number of documents that are not in ``documents``.
        models: Calls by model, sorted by the number of calls in flight, highest first.
    """

    documents: tuple[DocumentActivity, ...]
    left_out: int
    models: tuple[ModelActivity, ...]


def of_run(connection: Connection, run_id: str, most: int) -> RunActivity:
    """Return the activity of a run, with at most ``most`` documents."""
    row = DocumentRow
    mine = row.run_id == run_id
    order = (case((row.state == "running", 0), else_=1), row.path)
    query = select(row.id, row.path, row.state, row.stage).where(mine).order_by(*order).limit(most)
    shown = connection.execute(query).all()
    total = connection.scalar(select(func.count()).select_from(row).where(mine)) or 0
    units = _units(connection, run_id, [document_id for document_id, *_ in shown])
    return RunActivity(
        tuple(
            DocumentActivity(path, stage if state == "running" else state, units[document_id])
            for document_id, path, state, stage in shown
        ),
        total - len(shown),
        _models(connection, run_id),
    )


def _units(
    connection: Connection, run_id: str, ids: list[str]
) -> dict[str, dict[UnitKind, tuple[int, int]]]:
    found: dict[str, dict[UnitKind, tuple[int, int]]] = {one: {} for one in ids}
    for kind, row in UNIT_ROWS.items():
        ended = func.sum(case((row.state.in_(("done", "failed", "cancelled")), 1), else_=0))
        query = (
            select(row.document_id, ended, func.count())
            .where(row.run_id == run_id, row.document_id.in_(ids))
            .group_by(row.document_id)
        )
        for document_id, number, total in connection.execute(query):
            found[document_id][kind] = (int(number), total)
    return found


def _models(connection: Connection, run_id: str) -> tuple[ModelActivity, ...]:
    row = CallRow
    query = (
        select(
            row.provider,
            row.model,
            func.count(),
            func.sum(case((row.state == "started", 1), else_=0)),
            func.sum(case((row.state == "failed", 1), else_=0)),
            func.coalesce(func.sum(row.cost_usd), 0.0),
        )
        .where(row.run_id == run_id, row.cached.is_(False))
        .group_by(row.provider, row.model)
    )
    found = [
        ModelActivity(f"{provider}:{model}", sent, int(in_flight), int(failed), float(usd))
        for provider, model, sent, in_flight, failed, usd in connection.execute(query)
    ]
    return tuple(sorted(found, key=lambda one: (-one.in_flight, -one.sent, one.name)))
