"""Admission of documents: all at once, or one after another if the budget is limited."""

from collections.abc import Sequence

from sqlalchemy import Connection

from acm_workers.pipeline import document_order
from acm_workers.store import budgets, documents, runs


def admitted(connection: Connection, run_id: str, unstarted: Sequence[str]) -> list[str]:
    """Return the documents of a run that may begin now."""
    if not unstarted:
        return []
    run = runs.get(connection, run_id)
    if run.config.budget_usd is None or run.expected is None or run.expected.usd is None:
        return list(unstarted)
    number = sum(documents.stages(connection, run_id).values())
    return list(
        document_order.admitted(
            unstarted,
            documents.count_begun(connection, run_id),
            run.config.budget_usd - budgets.spent_on_ended_usd(connection, run_id),
            run.expected.usd / number,
        )
    )
