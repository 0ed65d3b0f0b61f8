"""Events of a run on Postgres: a reader that has one has all before it."""

import threading

from sqlalchemy import text

from acm_workers.store import events
from acm_workers.store.connection.database import Database
from tests.support import stored
from tests.support.project import wait_until
from tests.support.stored import NOW

_WAITING = "select count(*) from pg_locks where not granted"
_WRITERS, _EACH = 6, 20


def test_a_later_event_is_not_seen_before_an_earlier_one(postgres_database: Database) -> None:
    database = postgres_database
    with database.write() as connection:
        run = stored.run(connection)

    def second() -> None:
        with database.write() as connection:
            events.add(connection, run.id, "second", NOW)

    thread = threading.Thread(target=second)
    with database.write() as connection:
        events.add(connection, run.id, "first", NOW)
        thread.start()
        with database.autocommit() as other:
            wait_until(lambda: other.scalar(text(_WAITING)))
            seen = events.since(other, run.id, 0)
    thread.join()

    assert seen == []
    with database.read() as connection:
        found = events.since(connection, run.id, 0)
    assert [one.kind for one in found] == ["first", "second"]


def test_a_reader_beside_many_writers_misses_none_and_sees_none_twice(
    postgres_database: Database,
) -> None:
    database = postgres_database
    with database.write() as connection:
        run = stored.run(connection)

    def write() -> None:
        for _ in range(_EACH):
            with database.write() as connection:
                events.add(connection, run.id, "stage", NOW)

    writers = [threading.Thread(target=write) for _ in range(_WRITERS)]
    read: list[int] = []
    for writer in writers:
        writer.start()
    while len(read) < _WRITERS * _EACH:
        all_written = not any(writer.is_alive() for writer in writers)
        with database.autocommit() as connection:
            new = events.since(connection, run.id, read[-1] if read else 0)
        read += [one.id for one in new]
        if all_written and not new:
            break

    for writer in writers:
        writer.join()
    with database.read() as connection:
        assert read == [one.id for one in events.since(connection, run.id, 0)]
    assert len(read) == _WRITERS * _EACH
