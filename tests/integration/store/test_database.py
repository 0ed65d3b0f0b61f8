"""Transactions: whole or not at all, one state for readers, and failures said in one way."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError, StatementError

from acm_workers.errors import RequestError, StoreFailed
from acm_workers.store import documents, events, runs
from acm_workers.store.connection.database import Database
from acm_workers.store.tables import Base
from tests.support import stored
from tests.support.project import wait_until
from tests.support.stored import NOW

_PROCESS = text("SELECT pg_backend_pid()")
_END = text("SELECT pg_terminate_backend(:process, 10000)")
_SESSIONS = text("SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(:processes)")


def test_an_error_takes_back_the_whole_transaction(database: Database) -> None:
    def interrupted() -> None:
        with database.write() as connection:
            stored.document(connection, stored.run(connection))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interrupted()

    with database.read() as connection:
        assert runs.running(connection) == []


def test_what_is_not_committed_nobody_else_sees(database: Database) -> None:
    with database.write() as writing:
        stored.run(writing, "RUN")

        with database.read() as reading:
            assert runs.running(reading) == []

    with database.read() as reading:
        assert runs.running(reading) == ["RUN"]


def test_a_reader_sees_one_state_however_long_it_reads(database: Database) -> None:
    with database.read() as reading:
        before = runs.running(reading)
        with database.write() as writing:
            stored.run(writing)

        assert runs.running(reading) == before == []


def test_writers_of_many_threads_do_not_hinder_each_other(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)

    def note(number: int) -> None:
        with database.write() as connection:
            found = len(events.since(connection, run.id, 0))
            events.add(connection, run.id, "note", NOW, data={"number": number, "found": found})

    with ThreadPoolExecutor(32) as pool:
        list(pool.map(note, range(200)))

    with database.read() as connection:
        noted = {event.data["number"] for event in events.since(connection, run.id, 0)}
        assert noted == set(range(200))


def test_rows_that_refer_to_nothing_are_refused(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write() as connection:
        events.add(connection, "no such run", "note", NOW)


def test_a_fault_of_one_statement_is_no_fault_of_the_store(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write() as connection:
        events.add(connection, "no such run", "secret text", NOW)

    with database.write() as connection:
        stored.run(connection)


def test_errors_do_not_quote_what_was_to_be_stored(database: Database) -> None:
    with pytest.raises(IntegrityError) as caught, database.write() as connection:
        events.add(connection, "no such run", "note", NOW, data={"text": "confidential words"})

    assert "confidential" not in str(caught.value)


def test_times_come_back_in_utc(database: Database) -> None:
    east = timezone(timedelta(hours=5, minutes=30))
    with database.write() as connection:
        run = stored.run(connection, created_at=datetime(2026, 3, 2, 15, 0, 0, 123456, east))
        created_at = runs.get(connection, run.id).created_at

    assert created_at == datetime(2026, 3, 2, 9, 30, 0, 123456, UTC)
    assert created_at.tzinfo is UTC or created_at.utcoffset() == timedelta()


def test_times_without_a_zone_are_refused(database: Database) -> None:
    with pytest.raises(StatementError, match="without time zone"), database.write() as connection:
        stored.run(connection, created_at=datetime(2026, 3, 2))  # noqa: DTZ001


def test_every_row_belongs_to_the_tenant_who_made_it(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        document = stored.document(connection, run)
        a, b = stored.candidates(connection, document)
        stored.evaluation(connection, a)
        stored.comparison(connection, a, b)
        events.add(connection, run.id, "note", NOW)

        for table in Base.metadata.tables.values():
            assert set(connection.scalars(select(table.c.tenant_id))) <= {"default"}, table.name


def test_a_server_that_is_gone_is_a_failed_store_and_shows_no_password() -> None:
    database = Database("postgresql://acm:hunter2@127.0.0.1:1/acm")

    with pytest.raises(StoreFailed) as caught, database.read() as connection:
        runs.running(connection)

    assert "127.0.0.1" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_connection_that_dies_in_a_transaction_is_a_failed_store(
    postgres_database: Database,
) -> None:
    def interrupted() -> None:
        with postgres_database.write() as connection:
            process = connection.scalar(_PROCESS)
            with postgres_database.write() as other:
                other.execute(text("SELECT pg_terminate_backend(:one)"), {"one": process})
            runs.running(connection)

    with pytest.raises(StoreFailed):
        interrupted()

    with postgres_database.read() as connection:
        assert runs.running(connection) == []


@pytest.mark.parametrize("way", ["read", "autocommit", "write"])
def test_a_connection_that_postgres_has_ended_is_replaced_and_nobody_notices(
    postgres_database: Database, way: str
) -> None:
    opened = getattr(postgres_database, way)
    with opened() as connection:
        ended = connection.scalar(_PROCESS)

    with closing(_another(postgres_database)) as other, other.autocommit() as connection:
        assert connection.scalar(_END, {"process": ended})
    with opened() as connection:
        found = connection.scalar(_PROCESS)

    assert found != ended


def test_all_connections_that_postgres_has_ended_are_replaced(postgres_database: Database) -> None:
    with closing(_another(postgres_database)) as store:
        ended = _processes_in_use_together(store, 3)
        with postgres_database.write() as connection:
            for process in ended:
                assert connection.scalar(_END, {"process": process})

        assert not ended & _processes_in_use_together(store, 3)


def test_a_pool_serves_many_more_threads_than_it_has_connections(
    postgres_database: Database,
) -> None:
    def query(_: int) -> int:
        with postgres_database.autocommit() as connection:
            return connection.scalar(_PROCESS) or 0

    with ThreadPoolExecutor(200) as pool:
        processes = set(pool.map(query, range(1000)))

    assert len(processes) <= 12


def test_a_store_that_is_closed_keeps_no_session(postgres_database: Database) -> None:
    store = _another(postgres_database)
    processes = _processes_in_use_together(store, 3)

    store.close()

    def sessions() -> int:
        with postgres_database.autocommit() as connection:
            return connection.scalar(_SESSIONS, {"processes": list(processes)}) or 0

    wait_until(lambda: sessions() == 0)


def test_a_file_that_is_no_store_is_a_failed_store(tmp_path: Path) -> None:
    file = tmp_path / "acm.db"
    file.write_bytes(b"This is no database at all. " * 100)
    database = Database(f"sqlite:///{file}")

    with pytest.raises(StoreFailed, match="not a database"), database.read() as connection:
        runs.running(connection)

    assert file.read_bytes().startswith(b"This is")
    database.close()


def test_a_folder_that_cannot_be_made_is_a_failed_store(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreFailed, match="cannot be made"):
        Database(f"sqlite:///{tmp_path / 'file' / 'acm.db'}")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://root@localhost/acm", "ACM_DATABASE_URL must be SQLite or Postgres, not 'mysql'"),
        ("my store", "ACM_DATABASE_URL cannot be read"),
        ("", "ACM_DATABASE_URL cannot be read"),
        ("postgresql://acm@127.0.0.1:port/acm", "ACM_DATABASE_URL cannot be read"),
    ],
)
def test_only_sqlite_and_postgres_are_taken(url: str, why: str) -> None:
    with pytest.raises(RequestError, match=why):
        Database(url)


def test_thousands_of_keys_can_be_asked_for_at_once(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        won = stored.document(connection, run, key="the key", stage="finished", state="done")

        keys = [f"key {number}" for number in range(35_000)]

        assert documents.with_winner(connection, [*keys, "the key"]) == {"the key": won}


def _processes_in_use_together(store: Database, number: int) -> set[int]:
    """Use so many connections at the same time; return their processes on the server."""
    with ExitStack() as stack:
        connections = [stack.enter_context(store.autocommit()) for _ in range(number)]
        return {connection.scalar(_PROCESS) or 0 for connection in connections}


def _another(database: Database) -> Database:
    return Database(database.url.render_as_string(hide_password=False))


def test_a_password_among_the_options_of_the_url_is_shown_nowhere(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(f"{postgres}?password=hunter2")
    held = [database.read() for _ in range(12)]
    monkeypatch.setattr(database.engine.pool, "_timeout", 0.01)

    with ExitStack() as stack:
        for one in held:
            stack.enter_context(one)
        with pytest.raises(StoreFailed, match="no connection free") as caught, database.read():
            pass

    database.close()
    assert "hunter2" not in str(caught.value)
