"""The tenants of runs; every row of a run belongs to the tenant of the run."""

from sqlalchemy import Connection, bindparam, select

from acm_workers.store.connection.database import Database
from acm_workers.store.connection.prepared import PreparedStatement
from acm_workers.store.tables import RunRow
from schemas.scope import LOCAL, Scope

_MOST_KNOWN = 10_000
_known: dict[str, str] = {}
"""Tenants of runs; ids of runs are globally unique, and a run never changes its tenant."""


def of_run(connection: Connection, run_id: str) -> str:
    """Return the id of the tenant of a run, cached in this process."""
    tenant_id = _known.get(run_id)
    if tenant_id is not None:
        return tenant_id
    found = _QUERY.first(connection, {"id": run_id})
    if found is None:
        return LOCAL.tenant_id
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[run_id] = str(found["found"])
    return _known[run_id]


def scope_of(database: Database, run_id: str) -> Scope:
    """Return the tenant of a run, cached in this process."""
    tenant_id = _known.get(run_id)
    if tenant_id is None:
        with database.autocommit() as connection:
            tenant_id = of_run(connection, run_id)
    return Scope(tenant_id)


_QUERY = PreparedStatement(
    select(RunRow.__table__.c.tenant_id.label("found")).where(
        RunRow.__table__.c.run_id == bindparam("id")
    )
)
