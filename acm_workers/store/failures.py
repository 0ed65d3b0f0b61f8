"""Units that failed, counted by kind, model and message."""

from sqlalchemy import Connection, func, select

from acm_workers.causes import FailedUnits
from acm_workers.store.rows import UNIT_ROWS


def of_run(connection: Connection, run_id: str) -> list[FailedUnits]:
    """Return the failed units of a run, found by the index on states."""
    found: list[FailedUnits] = []
    for kind, row in UNIT_ROWS.items():
        same = (row.provider, row.model, row.error_kind, row.error)
        query = select(*same, func.count()).where(row.run_id == run_id, row.state == "failed")
        rows = connection.execute(query.group_by(*same))
        found += [FailedUnits(kind, *values) for values in rows]
    return found
