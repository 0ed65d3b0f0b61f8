"""The version of a store's tables: upgrading, and refusing outdated or foreign tables."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, inspect, make_url, text

from acm_workers.errors import RequestError
from acm_workers.store import (
    account_tables,  # noqa: F401  makes its tables known
    batch_tables,  # noqa: F401
    locks,
    submission_tables,  # noqa: F401
    vote_tables,  # noqa: F401
    workers,
)
from acm_workers.store.connection.database import Database

HEAD = "0023"
"""The newest migration in ``migrations/versions``; a test checks it."""

_MOST_NAMED = 5


def refuse_foreign(url: str) -> None:
    """Raise an error for a SQLite file of another program, without changing the file.

    Raises:
        RequestError: The file has tables, but none of ACM's tables.
    """
    parsed = make_url(url)
    file = parsed.database
    if parsed.get_backend_name() != "sqlite" or not file or not os.path.exists(file):
        return
    try:
        uri = f"{Path(file).absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            query = "SELECT name FROM sqlite_master WHERE type = 'table'"
            names = {row[0] for row in connection.execute(query)}
    except sqlite3.Error:
        return  # opening it tells what is wrong
    if names and not {"alembic_version", "runs", "artifacts"} <= names:
        raise RequestError(
            f"{file} is a database of another program, and is left alone; `acm import {file}` reads"
            " results of ACM 1 and llm-doc-eval from it",
            file,
        )


def version(database: Database) -> str | None:
    """Return the current migration of the store; None if the store is empty."""
    with database.read() as connection:
        return _version(connection)


def upgrade(database: Database) -> None:
    """Apply every missing migration; concurrent callers wait for each other.

    Raises:
        RequestError: The tables are newer than this program, or workers are using them.
    """
    from alembic import command  # slow to import, and needed once in a store's life
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with database.write() as connection:
        if not database.is_sqlite:
            locks.lock_transaction(connection, "the tables")
        found = _version(connection)
        refuse_newer(found)
        if not database.is_sqlite and found != HEAD:
            _refuse_while_worked_on(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def refuse_newer(found: str | None) -> None:
    """Raise an error if the store's migration is unknown to this program.

    Raises:
        RequestError: The migration is unknown.
    """
    if found is not None and found > HEAD:
        raise RequestError(
            f"the store was made by a newer ACM (step {found}, this one knows {HEAD});"
            " install that version"
        )


def ensure(database: Database) -> None:
    """Ensure that the store is up to date: upgrade SQLite, and only check a server.

    Raises:
        RequestError: The tables of a server are older or newer than this program.
    """
    found = version(database)
    if found == HEAD:
        return
    refuse_newer(found)
    if database.is_sqlite:
        upgrade(database)
        return
    raise RequestError(
        f"the store's tables are at step {found or 'none'}, this ACM needs {HEAD};"
        " run `acm db upgrade` first"
    )


def _refuse_while_worked_on(connection: Connection) -> None:
    """Raise RequestError while workers use this store, since they require the present tables."""
    if not inspect(connection).has_table("workers"):
        return  # of a version that had none
    names = workers.names_alive(connection, workers.server_time(connection))
    if not names:
        return
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    raise RequestError(
        f"workers are at work on this store: {', '.join(names[:_MOST_NAMED])}{more}; drain them as"
        ' ops/docs/operations.md tells under "Drain and stop", then run `acm db upgrade` again'
        f" (one that was killed counts for {workers.ALIVE.total_seconds():.0f} s)"
    )


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found
