"""Stores to test on: SQLite and a real Postgres, empty for each test."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from acm_workers.providers.http import transport
from acm_workers.store import schema
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import Base
from tests.support import postgres as servers

_KINDS = ["sqlite", "postgres"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Yield the URL of a Postgres that runs as long as the tests."""
    with servers.running() as url:
        yield url


@pytest.fixture(scope="session")
def _postgres_store(postgres: str) -> Iterator[Database]:
    with servers.schema(postgres, "acm_test") as url:
        database = Database(url)
        schema.upgrade(database)
        yield database
        database.close()


@pytest.fixture(scope="session")
def _sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("store") / "acm.db"
    database = Database(f"sqlite:///{file}")
    schema.upgrade(database)
    database.close()
    return file


@pytest.fixture
def sqlite_database(_sqlite_file: Path, tmp_path: Path) -> Iterator[Database]:
    """Yield a migrated, empty SQLite store."""
    database = Database(f"sqlite:///{shutil.copy(_sqlite_file, tmp_path / 'acm.db')}")
    yield database
    database.close()


@pytest.fixture
def postgres_database(_postgres_store: Database) -> Iterator[Database]:
    """Yield a migrated, empty Postgres store."""
    yield _postgres_store
    with _postgres_store.write() as connection:
        for table in reversed(Base.metadata.sorted_tables):
            delete = table.delete()
            if table.name == "tenants":  # the first migration makes one, which stays
                delete = delete.where(table.c.tenant_id != "default")
            connection.execute(delete)


@pytest.fixture(params=_KINDS)
def database(request: pytest.FixtureRequest) -> Database:
    """Return a migrated, empty store of each kind."""
    found: Database = request.getfixturevalue(f"{request.param}_database")
    return found


@pytest.fixture(params=_KINDS)
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yield the URL of a store of each kind that has no tables yet."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'new' / 'acm.db'}"
        return
    with servers.schema(request.getfixturevalue("postgres"), "acm_new") as url:
        yield url


@pytest.fixture
def closed() -> Iterator[None]:
    """Close the connections of pytest's own thread, which does not end as those do that ask."""
    yield
    vars(transport._thread).clear()
