"""The tables of a store: made by migrations, and refused where they are not those of this ACM."""

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import JSON, inspect, text

from acm_workers.errors import RequestError
from acm_workers.store import schema, workers
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import Base
from tests.support import postgres as servers
from tests.support import store_versions, stored
from tests.support.project import PATIENCE_S


@pytest.fixture
def new(new_url: str) -> Iterator[Database]:
    database = Database(new_url)
    yield database
    database.close()


@pytest.fixture
def postgres_new(postgres: str) -> Iterator[Database]:
    with servers.schema(postgres, "acm_empty") as url:
        database = Database(url)
        yield database
        database.close()


def tables(database: Database) -> set[str]:
    with database.read() as connection:
        return set(inspect(connection).get_table_names())


def workers_seen(database: Database, ago_s: dict[str, float]) -> None:
    """Have workers tell of themselves, as they would have done so long ago, by their names."""
    with database.write() as connection:
        for name, seconds in ago_s.items():
            seen = datetime.now(UTC) - timedelta(seconds=seconds)
            workers.register(connection, stored.worker(name, host="box", name=name, seen_at=seen))


def test_migrations_make_exactly_the_tables_of_the_program(database: Database) -> None:
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": _differs})

        assert compare_metadata(context, Base.metadata) == []
    assert tables(database) == {*Base.metadata.tables, "alembic_version"}


def _differs(*compared: Any) -> bool | None:
    """Return whether defaults differ, where the library cannot: Postgres has no = for JSON."""
    _, _, column, known, _, wanted = compared
    if not isinstance(column.type, JSON):
        return None
    return str(known).removesuffix("::json").strip("'") != str(wanted)


def test_head_is_the_one_newest_step() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))

    assert ScriptDirectory.from_config(config).get_heads() == [schema.HEAD]


def test_a_second_upgrade_changes_nothing(new: Database) -> None:
    schema.upgrade(new)
    schema.upgrade(new)

    assert schema.version(new) == schema.HEAD
    with new.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM tenants")) == 1


def test_a_new_store_can_be_opened_while_another_process_writes_to_it(tmp_path: Path) -> None:
    store = Database(f"sqlite:///{tmp_path / 'acm.db'}")
    writer = sqlite3.connect(tmp_path / "acm.db", isolation_level=None)
    with closing(writer), ThreadPoolExecutor() as pool:
        writer.execute("BEGIN IMMEDIATE")
        opened = pool.submit(schema.version, store)

        # However long this is, who opens the store still waits for the writer.
        assert not wait([opened], timeout=0.5).done
        writer.execute("COMMIT")
        assert opened.result(PATIENCE_S) is None

    store.close()


def test_many_may_open_a_new_store_at_the_same_moment(tmp_path: Path) -> None:
    start = Barrier(8)

    def opened(store: Database) -> str | None:
        start.wait(PATIENCE_S)
        return schema.version(store)

    with ThreadPoolExecutor(start.parties) as pool:
        for number in range(50):
            url = f"sqlite:///{tmp_path / f'{number}.db'}"
            stores = [Database(url) for _ in range(start.parties)]
            assert list(pool.map(opened, stores)) == [None] * start.parties
            for store in stores:
                store.close()


def test_several_may_upgrade_a_store_at_the_same_time(new_url: str) -> None:
    stores = [Database(new_url) for _ in range(4)]

    with ThreadPoolExecutor(len(stores)) as pool:
        list(pool.map(schema.upgrade, stores))

    assert {schema.version(store) for store in stores} == {schema.HEAD}
    for store in stores:
        store.close()


def test_an_empty_store_has_no_version(new: Database) -> None:
    assert schema.version(new) is None


def test_a_new_sqlite_store_is_made_at_once(tmp_path: Path) -> None:
    new = Database(f"sqlite:///{tmp_path / 'deep' / 'down' / 'acm.db'}")
    schema.ensure(new)

    assert schema.version(new) == schema.HEAD
    new.close()


def test_a_server_is_only_upgraded_when_somebody_asks_for_it(postgres_new: Database) -> None:
    with pytest.raises(RequestError, match="acm db upgrade"):
        schema.ensure(postgres_new)

    assert tables(postgres_new) == set()


def test_an_upgrade_is_refused_by_the_names_of_some_of_the_workers_that_live(
    postgres_new: Database,
) -> None:
    schema.upgrade(postgres_new)
    workers_seen(postgres_new, {"dead": 21.0, **{f"w{number}": 1.0 for number in range(7)}})
    schema.upgrade(postgres_new)
    earlier = store_versions.downgrade(postgres_new)

    with pytest.raises(RequestError, match="at work on this store") as refused:
        schema.upgrade(postgres_new)

    assert ": box/w0, box/w1, box/w2, box/w3, box/w4 and 2 more; drain" in str(refused.value)
    assert schema.version(postgres_new) == earlier


def test_workers_that_told_nothing_for_a_while_hinder_no_upgrade(postgres_new: Database) -> None:
    schema.upgrade(postgres_new)
    workers_seen(postgres_new, {"dead": 21.0})
    store_versions.downgrade(postgres_new)

    schema.upgrade(postgres_new)

    assert schema.version(postgres_new) == schema.HEAD


def test_a_store_of_before_there_were_workers_is_upgraded(postgres_new: Database) -> None:
    schema.upgrade(postgres_new)
    while "workers" in tables(postgres_new):
        store_versions.downgrade(postgres_new)

    schema.upgrade(postgres_new)

    assert schema.version(postgres_new) == schema.HEAD


def test_a_store_that_is_up_to_date_is_taken_as_it_is(database: Database) -> None:
    schema.ensure(database)

    assert schema.version(database) == schema.HEAD


@pytest.mark.parametrize("opened", [schema.ensure, schema.upgrade])
def test_a_store_of_a_newer_program_is_refused_and_not_touched(
    new: Database, opened: Callable[[Database], None]
) -> None:
    schema.upgrade(new)
    store_versions.set_version(new, "9999")

    with pytest.raises(RequestError, match=r"newer ACM \(step 9999"):
        opened(new)

    assert schema.version(new) == "9999"


def test_every_row_belongs_to_a_tenant() -> None:
    without = {
        name for name, table in Base.metadata.tables.items() if "tenant_id" not in table.columns
    }
    optional = {
        name for name, table in Base.metadata.tables.items() if table.columns.tenant_id.nullable
    }

    assert without == optional == set()
