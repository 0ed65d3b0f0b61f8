"""Queries that decide whether a run can continue while some of its providers are paused."""

from collections.abc import Collection

from sqlalchemy import Connection, exists, func, select

from acm_workers.store import documents
from acm_workers.store.rows import UNIT_ROWS
from acm_workers.store.tables import BudgetRow, DocumentRow


def has_claimed_units(connection: Connection, run_id: str) -> bool:
    """Return whether a unit of a run is claimed."""
    return any(
        connection.execute(
            select(row.id).where(row.run_id == run_id, row.state == "claimed").limit(1)
        ).first()
        is not None
        for row in UNIT_ROWS.values()
    )


def count_planned(connection: Connection, run_id: str, provider: str) -> int:
    """Return the number of units of a run that wait for one provider."""
    return sum(
        connection.scalar(
            select(func.count()).where(
                row.run_id == run_id, row.state == "planned", row.provider == provider
            )
        )
        or 0
        for row in UNIT_ROWS.values()
    )


def count_planned_elsewhere(connection: Connection, run_id: str, resting: Collection[str]) -> int:
    """Return the number of units of a run that wait for providers not in ``resting``."""
    return sum(
        connection.scalar(
            select(func.count()).where(
                row.run_id == run_id, row.state == "planned", row.provider.not_in(resting)
            )
        )
        or 0
        for row in UNIT_ROWS.values()
    )


def has_moving_documents(connection: Connection, run_id: str) -> bool:
    """Return whether a document of a run is about to begin or to advance.

    Under a budget, documents without a message wait until others have ended.
    """
    has_budget = exists().where(BudgetRow.run_id == run_id)
    unstarted = select(DocumentRow.id).where(
        DocumentRow.run_id == run_id,
        DocumentRow.state == "running",
        DocumentRow.stage == "planned",
        DocumentRow.published_at.is_not(None) | ~has_budget,
    )
    if connection.execute(unstarted.limit(1)).first() is not None:
        return True
    return bool(documents.idle(connection, run_id))


def suspended_units(connection: Connection, run_id: str) -> dict[str, str]:
    """Return the providers of the suspended units of a run, by unit id."""
    return {
        unit_id: provider
        for row in UNIT_ROWS.values()
        for unit_id, provider in connection.execute(
            select(row.id, row.provider).where(
                row.run_id == run_id, row.state == "planned", row.rests.is_(True)
            )
        )
    }
