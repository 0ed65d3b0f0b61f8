"""Opening the store for a command, and finding the run it is about."""

from collections.abc import Iterator
from contextlib import contextmanager

from acm_workers import runtime
from acm_workers.errors import NotFound
from acm_workers.settings import Settings
from acm_workers.store import runs
from acm_workers.store.connection.database import Database
from schemas.run import Run


@contextmanager
def store(settings: Settings, *, create: bool = False) -> Iterator[Database]:
    """Open the store that the environment names.

    Args:
        create: Make a new one where there is none.

    Raises:
        NotFound: There is no store here.
    """
    if not create and settings.database_url is None and not (settings.home / "acm.db").exists():
        raise NotFound(
            f"no runs here: {settings.home / 'acm.db'} does not exist;"
            " go to the folder where `acm run` was started, or set ACM_HOME"
        )
    database = runtime.open_store(settings)
    try:
        yield database
    finally:
        database.close()


def find(database: Database, run_id: str | None) -> Run:
    """Return the run that was named, or the latest.

    Raises:
        NotFound: There is no such run.
    """
    with database.read() as connection:
        return runs.latest(connection) if run_id is None else runs.get(connection, run_id)
