"""Evaluations: planned with the artifact they are about, ended with its scores."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, case, func, select

from acm_workers.store import rows
from acm_workers.store.rows import fetch_all, insert_once, select_as
from acm_workers.store.tables import EvaluationRow
from schemas.units import Evaluation

_LIGHT = frozenset({"raw", "reasons", "summary"})


def plan(
    connection: Connection, evaluations: Sequence[Evaluation], published_at: datetime | None
) -> None:
    """Insert planned evaluations; those there already stay.

    Args:
        published_at: When their messages are sent; the sweep sends them where absent.
    """
    values = [
        {**evaluation.model_dump(), "published_at": published_at} for evaluation in evaluations
    ]
    insert_once(connection, EvaluationRow, values)


def get(connection: Connection, evaluation_id: str) -> Evaluation | None:
    """Return an evaluation."""
    return rows.get(connection, EvaluationRow, Evaluation, evaluation_id)


def of_document(connection: Connection, document_id: str) -> list[Evaluation]:
    """Return the evaluations of a document without reasons and raw answers, by id."""
    query = select_as(EvaluationRow, Evaluation, without=_LIGHT)
    query = query.where(EvaluationRow.document_id == document_id).order_by(EvaluationRow.id)
    return fetch_all(connection, query, Evaluation)


def of_run(connection: Connection, run_id: str) -> list[Evaluation]:
    """Return the evaluations of a run, by id."""
    query = select_as(EvaluationRow, Evaluation).where(EvaluationRow.run_id == run_id)
    return fetch_all(connection, query.order_by(EvaluationRow.id), Evaluation)


def shown(connection: Connection, document_id: str, limit: int) -> list[Evaluation]:
    """Return evaluations of a document with reasons, without raw answers, by id."""
    query = select_as(EvaluationRow, Evaluation, without=frozenset({"raw"}))
    query = query.where(EvaluationRow.document_id == document_id).order_by(EvaluationRow.id)
    return fetch_all(connection, query.limit(limit), Evaluation)


def count_evaluated(connection: Connection, run_id: str) -> int:
    """Return how many artifacts of a run have evaluations, all of which have ended."""
    left = func.sum(case((EvaluationRow.state.in_(["planned", "claimed"]), 1), else_=0))
    query = select(EvaluationRow.artifact_id).where(EvaluationRow.run_id == run_id)
    ended = query.group_by(EvaluationRow.artifact_id).having(left == 0).subquery()
    return connection.scalar(select(func.count()).select_from(ended)) or 0


def reasons(connection: Connection, artifact_id: str) -> list[str]:
    """Return what judges criticised about an artifact, by evaluation and criterion."""
    query = select_as(EvaluationRow, Evaluation).where(
        EvaluationRow.artifact_id == artifact_id, EvaluationRow.state == "done"
    )
    found = fetch_all(connection, query.order_by(EvaluationRow.id), Evaluation)
    return [
        f"{criterion}: {reason}"
        for evaluation in found
        for criterion, reason in evaluation.reasons.items()
    ]
