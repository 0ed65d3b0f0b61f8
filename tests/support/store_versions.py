"""Stores whose tables are those of another version of this program."""

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import select, text

from acm_workers.store import schema
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import Base


def downgrade(database: Database) -> str:
    """Take the newest step back; return the step that the store is at now."""
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "-1")
    earlier = schema.version(database)
    assert earlier is not None
    return earlier


def set_version(database: Database, step: str) -> None:
    """Have a store say that it is at a step, whatever its tables are."""
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :v"), {"v": step})


def contents(database: Database) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of all tables, in the order of their keys."""
    with database.read() as connection:
        return {
            name: [
                dict(row._mapping)
                for row in connection.execute(select(table).order_by(*table.primary_key))
            ]
            for name, table in Base.metadata.tables.items()
        }
