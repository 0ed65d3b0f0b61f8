"""Translation of errors of the database drivers into errors of ACM."""

import re
from typing import Any

from sqlalchemy import URL, Connection
from sqlalchemy.exc import DBAPIError

from acm_workers.errors import StoreFailed, StoreRefused

# Drivers give no code for a connection that failed. A text that is missing here is treated as a
# server that is unavailable: the caller waits for it, and the log says why.
_REFUSED = re.compile(
    "authentication failed|no password supplied|no pg_hba.conf entry|permission denied for database"
    '|(database|role) ".*" does not exist|is not permitted to log in|unrecognized configuration'
    "|invalid connection option|bad value for|invalid [a-z ]+ value|invalid port number"
)
_NO_CONNECTION = ("connection", "failed to resolve")


def as_sqlalchemy(connection: Connection, statement: str, error: Any) -> DBAPIError:
    """Return SQLAlchemy's error for an error of the driver.

    A dead connection is invalidated.
    """
    driver: Any = connection.dialect.dbapi
    if connection.dialect.is_disconnect(error, connection.connection.dbapi_connection, None):
        connection.invalidate(error)
    found: DBAPIError = DBAPIError.instance(
        statement, None, error, driver.Error, hide_parameters=True
    )
    return found


def is_refusal(error: DBAPIError) -> bool:
    """Return whether connecting failed and would fail again with the same URL."""
    return error.statement is None and _REFUSED.search(_text(error)) is not None


def as_store_error(url: URL, error: DBAPIError) -> StoreFailed:
    """Return the error of ACM for an error of SQLAlchemy with the store at ``url``."""
    if url.get_backend_name() == "sqlite":
        return StoreFailed(f"the store {display(url)} failed: {_text(error)}")
    if is_refusal(error):
        why = _text(error).rpartition(" failed: ")[2]
        return StoreRefused(f"the store {display(url)} refuses: {why}; mend ACM_DATABASE_URL")
    if error.statement is None and _text(error).startswith(_NO_CONNECTION):
        why = f"of ACM_DATABASE_URL cannot be reached: {_text(error)}"
        return StoreFailed(f"the store {display(url)} {why}")
    return StoreFailed(f"the store {display(url)} failed: {_text(error)}")


def display(url: URL) -> str:
    """Return the URL of a store for users, without passwords."""
    # The options of a URL may hold a password too.
    return url.set(query={}).render_as_string(hide_password=True)


def _text(error: DBAPIError) -> str:
    return " ".join(str(error.orig).split())
