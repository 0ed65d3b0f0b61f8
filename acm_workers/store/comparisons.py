"""Comparisons: planning, reading and counting of verdicts."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, func, or_, select

from acm_workers.store import rows
from acm_workers.store.rows import fetch_all, insert_once, select_as
from acm_workers.store.tables import ComparisonRow
from schemas.units import Comparison

_LIGHT = frozenset({"raw", "reason"})


class VerdictCount(NamedTuple):
    """The number of verdicts ``a``, ``b`` or ``tie`` on a pair in one order."""

    a_id: str
    b_id: str
    winner: str
    games: int


def plan(
    connection: Connection, comparisons: Sequence[Comparison], published_at: datetime | None
) -> None:
    """Insert planned comparisons, except existing comparisons.

    Args:
        published_at: Time when the messages are sent; None if the sweep sends them.
    """
    values = [
        {**comparison.model_dump(), "published_at": published_at} for comparison in comparisons
    ]
    insert_once(connection, ComparisonRow, values)


def get(connection: Connection, comparison_id: str) -> Comparison | None:
    """Return a comparison."""
    return rows.get(connection, ComparisonRow, Comparison, comparison_id)


def of_document(connection: Connection, document_id: str) -> list[Comparison]:
    """Return the comparisons of a document without reasons and raw answers, by id."""
    query = select_as(ComparisonRow, Comparison, without=_LIGHT)
    query = query.where(ComparisonRow.document_id == document_id).order_by(ComparisonRow.id)
    return fetch_all(connection, query, Comparison)


def shown(
    connection: Connection, document_id: str, limit: int, of: Sequence[str]
) -> list[Comparison]:
    """Return comparisons of a document with reasons, without raw answers, by id.

    Args:
        of: One candidate, or two candidates that were compared with each other.
    """
    query = select_as(ComparisonRow, Comparison, without=frozenset({"raw"}))
    query = query.where(ComparisonRow.document_id == document_id)
    for one in of:
        query = query.where(or_(ComparisonRow.a_id == one, ComparisonRow.b_id == one))
    return fetch_all(connection, query.order_by(ComparisonRow.id).limit(limit), Comparison)


def verdict_counts(connection: Connection, document_id: str) -> list[VerdictCount]:
    """Return the number of comparisons of each pair of a document, by order and verdict."""
    row = ComparisonRow
    query = (
        select(row.a_id, row.b_id, row.winner, func.count())
        .where(row.document_id == document_id, row.state == "done", row.winner.is_not(None))
        .group_by(row.a_id, row.b_id, row.winner)
        .order_by(row.a_id, row.b_id, row.winner)
    )
    return [
        VerdictCount(a_id, b_id, winner or "", number)
        for a_id, b_id, winner, number in connection.execute(query)
    ]


def of_run(connection: Connection, run_id: str) -> list[Comparison]:
    """Return the comparisons of a run, by id."""
    query = select_as(ComparisonRow, Comparison).where(ComparisonRow.run_id == run_id)
    return fetch_all(connection, query.order_by(ComparisonRow.id), Comparison)
