"""The store's clock: the one that leases of several machines go by."""

from datetime import UTC, datetime

from sqlalchemy import Connection, func, select


def now(connection: Connection) -> datetime:
    """Return the time at a Postgres server, in UTC."""
    found: datetime = connection.scalars(select(func.clock_timestamp())).one()
    return found.astimezone(UTC)
