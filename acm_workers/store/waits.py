"""The limits for which units of a run currently wait."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, delete, select

from acm_workers.store.rows import insert_once
from acm_workers.store.tables import WaitingUnitsRow

_IN_WORDS = {
    "requests": "requests per minute",
    "tokens": "tokens per minute",
    "in_flight": "calls in flight",
    "launch_delay": "launch delay",
    "penalty": "the provider asked to wait",
    "recovery": "slower for a while after a pause",
}


class WaitingUnits(NamedTuple):
    """The number of units that wait for a limit of one provider.

    Attributes:
        reason: The limit, such as requests, tokens or penalty; or why the provider is paused.
        until: Time when the next unit may start; None if unknown.
    """

    provider: str
    reason: str
    units: int
    until: datetime | None

    @property
    def why(self) -> str:
        """Return the reason for users."""
        return _IN_WORDS.get(self.reason, self.reason)


def replace(connection: Connection, run_id: str, waiting: Sequence[WaitingUnits]) -> None:
    """Replace the waits of a run's units."""
    connection.execute(delete(WaitingUnitsRow).where(WaitingUnitsRow.run_id == run_id))
    insert_once(
        connection, WaitingUnitsRow, [{"run_id": run_id, **one._asdict()} for one in waiting]
    )


def of_run(connection: Connection, run_id: str) -> list[WaitingUnits]:
    """Return the waits of a run's units, by provider."""
    query = (
        select(
            WaitingUnitsRow.provider,
            WaitingUnitsRow.reason,
            WaitingUnitsRow.units,
            WaitingUnitsRow.until,
        )
        .where(WaitingUnitsRow.run_id == run_id)
        .order_by(WaitingUnitsRow.provider)
    )
    return [WaitingUnits(*row) for row in connection.execute(query)]
