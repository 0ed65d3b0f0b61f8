"""What drivers of stores say when they fail, in one line; whether a server refuses us."""

import re
from typing import Any

from sqlalchemy import URL, Connection, Dialect
from sqlalchemy.exc import DBAPIError

from acm_workers.errors import StoreFailed, StoreRefused

# Drivers tell no code of a connection that did not come about. What is missing here is taken for
# a server that is away: somebody waits for it, and reads why.
_REFUSED = re.compile(
    "authentication failed|no password supplied|no pg_hba.conf entry|permission denied for database"
    '|(database|role) ".*" does not exist|is not permitted to log in|unrecognized configuration'
    "|invalid connection option|bad value for|invalid [a-z ]+ value|invalid port number"
)
_NO_CONNECTION = ("connection", "failed to resolve")


def met(connection: Connection, statement: str, error: Any) -> DBAPIError:
    """Return what SQLAlchemy makes of a driver's error that it has not met itself.

    A connection that is found dead is not used again.
    """
    dialect = connection.dialect
    if dialect.is_disconnect(error, connection.connection.dbapi_connection, None):
        connection.invalidate(error)
    found: DBAPIError = DBAPIError.instance(
        statement, None, error, of_driver(dialect), hide_parameters=True
    )
    return found


def of_driver(dialect: Dialect) -> type[Exception]:
    """Return what the errors of a dialect's driver have in common."""
    driver: Any = dialect.dbapi
    found: type[Exception] = driver.Error
    return found


def is_of_url(error: DBAPIError) -> bool:
    """Return whether a connection did not come about, and never will by that URL."""
    return error.statement is None and _REFUSED.search(_said(error)) is not None


def of(url: URL, error: DBAPIError) -> StoreFailed:
    """Return what a driver's error means for whoever uses the store at ``url``."""
    if url.get_backend_name() == "sqlite":
        return StoreFailed(f"the store {name(url)} failed: {_said(error)}")
    if is_of_url(error):
        why = _said(error).rpartition(" failed: ")[2]
        return StoreRefused(f"the store {name(url)} refuses: {why}; mend ACM_DATABASE_URL")
    if error.statement is None and _said(error).startswith(_NO_CONNECTION):
        why = f"of ACM_DATABASE_URL cannot be reached: {_said(error)}"
        return StoreFailed(f"the store {name(url)} {why}")
    return StoreFailed(f"the store {name(url)} failed: {_said(error)}")


def name(url: URL) -> str:
    """Return the URL of a store for people, without what nobody may read."""
    # Passwords may stand among the options too.
    return url.set(query={}).render_as_string(hide_password=True)


def _said(error: DBAPIError) -> str:
    return " ".join(str(error.orig).split())
