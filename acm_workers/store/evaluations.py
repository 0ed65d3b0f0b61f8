"""Evaluations: planning, reading, and the judges' remarks and reasons."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, case, func, select

from acm_workers.store import rows
from acm_workers.store.rows import fetch_all, insert_once, select_as
from acm_workers.store.tables import EvaluationRow
from schemas.units import Evaluation, Remark

_LIGHT = frozenset({"raw", "reasons", "summary"})
_AT_ONCE = 500
"""Maximum number of ids in a statement."""


def plan(
    connection: Connection, evaluations: Sequence[Evaluation], published_at: datetime | None
) -> None:
    """Insert planned evaluations, except existing evaluations.

    Args:
        published_at: Time when the messages are sent; None if the sweep sends them.
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


def shown(
    connection: Connection,
    document_id: str,
    limit: int | None = None,
    artifact_id: str | None = None,
) -> list[Evaluation]:
    """Return evaluations of a document, or of one candidate, with reasons, by id.

    Raw answers are left out.
    """
    query = select_as(EvaluationRow, Evaluation, without=frozenset({"raw"}))
    query = query.where(EvaluationRow.document_id == document_id).order_by(EvaluationRow.id)
    if artifact_id is not None:
        query = query.where(EvaluationRow.artifact_id == artifact_id)
    return fetch_all(connection, query.limit(limit), Evaluation)


def remarks(connection: Connection, artifact_ids: Sequence[str]) -> dict[str, tuple[Remark, ...]]:
    """Return the judges' remarks in addition to scores, for artifacts that have remarks."""
    row, found = EvaluationRow, defaultdict[str, list[Remark]](list)
    for start in range(0, len(artifact_ids), _AT_ONCE):
        query = (
            select_as(row, Remark)
            .add_columns(row.artifact_id)
            .where(row.artifact_id.in_(artifact_ids[start : start + _AT_ONCE]), row.state == "done")
            .where(row.summary.is_not(None) | row.confidence.is_not(None))
            .order_by(row.judge, row.iteration)
        )
        for one in connection.execute(query):
            values = dict(one._mapping)
            found[values.pop("artifact_id")].append(Remark.model_validate(values))
    return {artifact_id: tuple(said) for artifact_id, said in found.items()}


def count_evaluated(connection: Connection, run_id: str) -> int:
    """Return the number of artifacts of a run whose evaluations have all ended."""
    left = func.sum(case((EvaluationRow.state.in_(["planned", "claimed"]), 1), else_=0))
    query = select(EvaluationRow.artifact_id).where(EvaluationRow.run_id == run_id)
    ended = query.group_by(EvaluationRow.artifact_id).having(left == 0).subquery()
    return connection.scalar(select(func.count()).select_from(ended)) or 0


def reasons(connection: Connection, artifact_id: str) -> list[str]:
    """Return the judges' reasons for an artifact's scores, by evaluation and criterion."""
    query = select_as(EvaluationRow, Evaluation).where(
        EvaluationRow.artifact_id == artifact_id, EvaluationRow.state == "done"
    )
    found = fetch_all(connection, query.order_by(EvaluationRow.id), Evaluation)
    return [
        f"{criterion}: {reason}"
        for evaluation in found
        for criterion, reason in evaluation.reasons.items()
    ]
