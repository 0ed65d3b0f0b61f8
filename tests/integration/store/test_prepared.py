"""Prepared statements: what SQLAlchemy would have sent and read, on both servers."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from threading import Barrier

import pytest
from sqlalchemy import bindparam, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from acm_workers.errors import StoreFailed
from acm_workers.store import rows, runs
from acm_workers.store.connection.database import Database
from acm_workers.store.connection.prepared import PreparedStatement
from acm_workers.store.tables import DocumentRow, RunRow
from tests.support import stored

_RUNS = rows.table(RunRow)
_DOCUMENTS = rows.table(DocumentRow)
_FIND = select(_RUNS).where(_RUNS.c.run_id == bindparam("id"), _RUNS.c.tenant_id == "default")


def test_a_row_is_read_as_sqlalchemy_reads_it(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)

    with database.read() as connection:
        usual = connection.execute(_FIND, {"id": run.id}).one()
        found = PreparedStatement(_FIND).first(connection, {"id": run.id})

    assert found == dict(usual._mapping)


def test_what_is_not_there_is_none(database: Database) -> None:
    with database.autocommit() as connection:
        assert PreparedStatement(_FIND).first(connection, {"id": "nobody"}) is None


def test_values_go_through_their_types(database: Database) -> None:
    east = datetime(2026, 3, 2, 12, tzinfo=timezone(timedelta(hours=5)))
    finish = PreparedStatement(
        update(_RUNS)
        .where(_RUNS.c.run_id == bindparam("id"))
        .values(finished_at=bindparam("finished_at"), state="done")
    )
    with database.write() as connection:
        run = stored.run(connection)
        changed = finish.execute(connection, {"id": run.id, "finished_at": east})

    with database.read() as connection:
        ended = runs.get(connection, run.id)
    assert (changed, ended.finished_at, ended.state) == (1, east, "done")


def test_a_change_that_finds_nothing_says_so(database: Database) -> None:
    forget = PreparedStatement(
        update(_RUNS).where(_RUNS.c.run_id == bindparam("id")).values(state="done")
    )

    with database.write() as connection:
        assert forget.execute(connection, {"id": "nobody"}) == 0


def test_values_of_one_statement_need_not_be_of_one_kind(database: Database) -> None:
    write = PreparedStatement(
        update(_RUNS)
        .where(_RUNS.c.run_id == bindparam("id"))
        .values({name: bindparam(name) for name in ("guidelines", "revision")})
    )
    with database.write() as connection:
        run = stored.run(connection)
        kept = []
        for guidelines, revision in (
            (None, 1),
            ("Élan — «brief» ✓", 2_000_000_000),
            (None, 70_000),
        ):
            write.execute(
                connection, {"id": run.id, "guidelines": guidelines, "revision": revision}
            )
            found = PreparedStatement(_FIND).first(connection, {"id": run.id}) or {}
            kept.append((found["guidelines"], found["revision"]))

    assert kept == [(None, 1), ("Élan — «brief» ✓", 2_000_000_000), (None, 70_000)]


def test_a_statement_stays_prepared_whatever_else_was_undone(postgres_database: Database) -> None:
    find = PreparedStatement(_FIND)

    def undone() -> None:
        with postgres_database.write() as connection:
            find.first(connection, {"id": "nobody"})
            for _ in range(10):  # so often that the driver might prepare it by itself
                connection.execute(text("SELECT 1"))
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        undone()

    with postgres_database.read() as connection:
        assert find.first(connection, {"id": "nobody"}) is None


def test_what_is_changed_is_undone_with_its_transaction(database: Database) -> None:
    rename = PreparedStatement(
        update(_RUNS).where(_RUNS.c.run_id == bindparam("id")).values(state="done")
    )
    with database.write() as connection:
        run = stored.run(connection)

    def broken() -> None:
        with database.write() as connection:
            rename.execute(connection, {"id": run.id})
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        broken()

    with database.read() as connection:
        assert runs.get(connection, run.id).state == run.state


def test_a_column_with_a_default_has_to_be_named(database: Database) -> None:
    new = PreparedStatement(insert(_DOCUMENTS).values(document_id=bindparam("id")))

    with database.write() as connection, pytest.raises(ValueError, match="every column"):
        new.execute(connection, {"id": "new"})


def test_a_broken_rule_is_the_error_that_sqlalchemy_raises(database: Database) -> None:
    with database.write() as connection:
        run = stored.run(connection)
        twin = stored.run(connection)
    rename = PreparedStatement(
        update(_RUNS).where(_RUNS.c.run_id == bindparam("id")).values(run_id=bindparam("new"))
    )

    with pytest.raises(IntegrityError), database.write() as connection:
        rename.execute(connection, {"id": run.id, "new": twin.id})


def test_a_connection_that_dies_before_a_prepared_statement_is_a_failed_store(
    postgres_database: Database,
) -> None:
    def interrupted() -> None:
        with postgres_database.write() as connection:
            process = connection.scalar(text("SELECT pg_backend_pid()"))
            with postgres_database.write() as other:
                other.execute(text("SELECT pg_terminate_backend(:one)"), {"one": process})
            PreparedStatement(_FIND).first(connection, {"id": "nobody"})

    with pytest.raises(StoreFailed):
        interrupted()

    with postgres_database.read() as connection:
        assert PreparedStatement(_FIND).first(connection, {"id": "nobody"}) is None


def test_a_store_that_somebody_else_writes_to_for_too_long_is_a_failed_store(
    sqlite_database: Database,
) -> None:
    other = sqlite3.connect(str(sqlite_database.url.database), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with sqlite_database.read() as connection:
        connection.execute(text("PRAGMA busy_timeout = 1"))

    with pytest.raises(StoreFailed, match="locked"), sqlite_database.write():
        pass

    other.close()


def test_threads_and_the_main_one_read_and_write_alike(database: Database) -> None:
    name = PreparedStatement(
        update(_RUNS).where(_RUNS.c.run_id == bindparam("id")).values(title=bindparam("title"))
    )
    find = PreparedStatement(_FIND)

    def renamed(title: str) -> str:
        with database.write() as connection:
            name.execute(connection, {"id": run.id, "title": title})
        with database.read() as connection:
            return str((find.first(connection, {"id": run.id}) or {})["title"])

    with database.write() as connection:
        run = stored.run(connection)
    with ThreadPoolExecutor(1) as thread:
        titles = [renamed("main"), thread.submit(renamed, "thread").result(), renamed("main again")]

    assert titles == ["main", "thread", "main again"]


def test_a_statement_is_prepared_once_whatever_its_numbers(postgres_database: Database) -> None:
    find = PreparedStatement(
        select(_RUNS.c.run_id).where(_RUNS.c.revision == bindparam("revision"))
    )
    prepared = text(
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%runs.revision = %'"
    )
    with postgres_database.write() as connection:
        for revision in (1, 70_000, 2_000_000_000):
            find.first(connection, {"revision": revision})

        assert connection.scalar(prepared) == 1


def test_a_statement_stays_prepared_on_a_connection_that_was_only_read_from(
    postgres_database: Database,
) -> None:
    counts = []
    for _ in range(3):
        with postgres_database.read() as connection:
            PreparedStatement(_FIND).first(connection, {"id": "nobody"})
            counts.append(
                connection.scalar(
                    text(
                        "SELECT sum(generic_plans + custom_plans) FROM"
                        " pg_prepared_statements WHERE statement LIKE '%runs.run_id%'"
                    )
                )
            )

    assert counts[2] > counts[1] > counts[0]


def test_threads_that_start_together_compile_a_statement_once(sqlite_database: Database) -> None:
    find = PreparedStatement(_FIND)
    start = Barrier(16)

    def compiled(_: int) -> object:
        start.wait()
        with sqlite_database.autocommit() as connection:
            find.first(connection, {"id": "nobody"})
        return find._compiled["sqlite"]

    with ThreadPoolExecutor(16) as pool:
        assert len(set(pool.map(compiled, range(16)))) == 1
